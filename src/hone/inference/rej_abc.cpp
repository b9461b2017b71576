#include "hone/inference/rej_abc.h"

#include <algorithm>
#include <cmath>

#include "hone/inference/abc.h"

namespace hone {

InferenceResult rej_abc(const InferenceRequest& request) {
  Simulations& simulations = request.simulations;
  const InferenceOptions& options = request.options;
  const Region whole = Region::whole(simulations.prior().dimensions());
  request.observer.context_changed("whole prior");
  simulations.simulate(whole, 1, options.budget - simulations.issued(), request.observer);
  stop_if_requested(request.observer);
  return abc_result(request, [&] {
    const Dataset data = simulations.inside(whole, options.validation_fraction);
    const std::vector<double> scale = column_scale(data, options.abc);
    const AbcSamples all = measure(data, request.observation, scale);
    const auto part = std::llround(options.abc.accept_fraction * static_cast<double>(all.rows()));
    AbcSamples accepted =
        selected(all, nearest(all, std::max<Index>(options.abc.accept_minimum, part)));
    if (options.abc.adjust) {
      std::vector<double> observed(scale.size());
      for (std::size_t j = 0; j < scale.size(); ++j)
        observed[j] = request.observation[j] / scale[j];
      adjust_by_regression(accepted, observed);
    }
    return accepted;
  });
}

}  // namespace hone
