#pragma once

#include <vector>

#include "hone/check/model_comparison.h"
#include "hone/check/model_evidence.h"

namespace hone {

// compare_models() (hone/check/model_comparison.h), with the noise of simulators that bring their
// own: these are opened for it. No simulation is made.
ModelComparison compare_runs(const std::vector<const RunDirectory*>& runs,
                             const ModelComparisonOptions& options, Observer& observer);

// evidence_of_model() (hone/check/model_evidence.h), likewise.
ModelEvidence evidence_of_run(const RunDirectory& run);

}  // namespace hone
