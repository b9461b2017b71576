#include "hone/session/compare_runs.h"

#include "hone/session/resources.h"

namespace hone {

ModelComparison compare_runs(const std::vector<const RunDirectory*>& runs,
                             const ModelComparisonOptions& options, Observer& observer) {
  std::vector<Resources> opened;
  opened.reserve(runs.size());
  std::vector<ModelRun> models;
  for (const RunDirectory* run : runs) {
    const NoiseModel* noise = nullptr;
    if (run->spec().noise.kind == NoiseKind::simulator) {
      noise = opened.emplace_back(*run, ResourceRequest{}).executor().noise();
    }
    models.push_back({*run, noise});
  }
  return compare_models(models, options, observer);
}

// A simulator's own noise has no density: there is nothing to open.
ModelEvidence evidence_of_run(const RunDirectory& run) {
  return evidence_of_model({run, nullptr});
}

}  // namespace hone
