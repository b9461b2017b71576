#include "hone/estimate/estimator.h"

namespace hone {

DataSize data_size(const Dataset& data) {
  return {data.rows(), std::ssize(data.training), data.x->cols(), data.prior.dimensions(),
          data.description};
}

bool shares_embedding(const EstimatorKind& kind, const InferenceOptions& options,
                      const Dataset& data) {
  return kind.fit(options, data_size(data)).embedding.kind != EmbeddingKind::none;
}

TrainedPosterior estimate(const EstimatorKind& kind, const EstimationRequest& request) {
  return kind.assemble(request, kind.train(request, single_process()));
}

NetworkTrainer& local_trainer() {
  static NetworkTrainer trainer;
  return trainer;
}

}  // namespace hone
