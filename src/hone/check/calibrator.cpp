#include "hone/check/calibrator.h"

#include <algorithm>

namespace hone {

std::vector<MarginalRanks> Calibrator::rank(const std::vector<TrainedPosterior>& trained,
                                            const CalibrationDraws& draws,
                                            const RankOptions& options, const Rng& rng,
                                            Observer& observer) {
  std::vector<MarginalRanks> result;
  for (std::size_t i = 0; i < trained.size(); ++i) {
    const AmortizedPosterior& estimator = *trained[i].posterior;
    const Matrix<float> features = estimator.features(draws.x);
    for (MarginalRanks& ranks :
         rank_draws(block_posteriors(estimator), {features, draws.local, draws.first},
                    rng.child("ranks", i), observer, options)) {
      result.push_back(std::move(ranks));
    }
  }
  std::ranges::stable_sort(result, {}, [](const MarginalRanks& r) { return r.marginal.size(); });
  return result;
}

Calibrator& local_calibrator() {
  static Calibrator here;
  return here;
}

}  // namespace hone
