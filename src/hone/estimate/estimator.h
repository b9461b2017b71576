#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hone/core/named_array.h"
#include "hone/core/observer.h"
#include "hone/core/process_group.h"
#include "hone/core/rng.h"
#include "hone/estimate/options.h"
#include "hone/estimate/simulations.h"
#include "hone/posterior/amortized_posterior.h"

namespace hone {

// What to learn, from what.
struct EstimationRequest {
  const Dataset& data;
  const std::vector<Marginal>& marginals;
  int ensemble = 1;  // networks per marginal
  const InferenceOptions& options;
  Rng rng;
  Observer& observer;
};

// For fitted() of the options.
DataSize data_size(const Dataset& data);

// Networks after training, as processes that share the work see them: members by number, marginal
// by marginal, each a list of numbers.
class TrainedNetworks {
 public:
  virtual ~TrainedNetworks() = default;
  virtual Index size() const = 0;
  virtual std::span<float> parameters(Index member) = 0;
  std::vector<MemberHistory> histories;  // per member
};

// A kind of estimator: what is learned from simulations. A method (inference/method.h) names the
// kind that it trains; the files of a run name the kind that reads them.
struct EstimatorKind {
  std::string name;
  // In a group each process trains its own members; who has gathered them all assembles.
  std::unique_ptr<TrainedNetworks> (*train)(const EstimationRequest&, ProcessGroup&);
  TrainedPosterior (*assemble)(const EstimationRequest&, std::unique_ptr<TrainedNetworks>);
  // From AmortizedPosterior::to_arrays(). Error{io} if they do not fit.
  SharedPosterior (*load)(const Prior&, const Region&, std::span<const NamedArray>);
  // The options as it uses them on so many simulations.
  InferenceOptions (*fit)(InferenceOptions, const DataSize&) = fitted;
  // Error{input} if it cannot learn from data of this length with these options.
  void (*check)(const InferenceOptions&, Index data_size) = nullptr;
  // Learns each marginal from its own local coordinates alone, and so also those of quantities that
  // are derived from the parameters (hone/estimate/derived_data.h).
  bool any_axis = false;
  bool whole_numbers = false;  // can infer discrete parameters
  // Trains likelihoods beside ratio networks where there is enough to learn them from
  // (combined_estimation.h).
  bool with_likelihoods = false;
};

// Whether its networks on these data learn behind an embedding that they share.
bool shares_embedding(const EstimatorKind& kind, const InferenceOptions& options,
                      const Dataset& data);

// Both steps, in this process.
TrainedPosterior estimate(const EstimatorKind& kind, const EstimationRequest& request);

// Where networks are trained. This base trains them in this process, another may share them out
// over several: the networks are the same bit for bit.
class NetworkTrainer {
 public:
  virtual ~NetworkTrainer() = default;
  virtual TrainedPosterior train(const EstimatorKind& kind, const EstimationRequest& request) {
    return estimate(kind, request);
  }
};
NetworkTrainer& local_trainer();

}  // namespace hone
