#include "hone/posterior/metropolis.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {

MetropolisResult metropolis(const std::function<double(std::span<const double>)>& log_density,
                            std::vector<double> start, MatrixView<const double> proposal,
                            Index steps, Rng rng) {
  const Index dimensions = std::ssize(start);
  HONE_ASSERT(proposal.rows() == dimensions && proposal.cols() == dimensions && steps >= 1);
  std::vector<double> here = std::move(start), there(here.size()), z(here.size());
  double density = log_density(here);
  if (!std::isfinite(density)) {
    fail(ErrorKind::numerical, "the chain begins where the density is {}", std::exp(density));
  }
  MetropolisResult result{Matrix<double>(steps, dimensions)};
  Index accepted = 0;
  for (Index i = 0; i < steps; ++i) {
    for (double& value : z) value = rng.normal();
    for (Index d = 0; d < dimensions; ++d) {
      double& to = there[static_cast<std::size_t>(d)];
      to = here[static_cast<std::size_t>(d)];
      for (Index k = 0; k <= d; ++k) to += proposal(d, k) * z[static_cast<std::size_t>(k)];
    }
    const double proposed = log_density(there);
    if (std::log(rng.uniform()) < proposed - density) {
      std::swap(here, there);
      density = proposed;
      ++accepted;
    }
    std::ranges::copy(here, result.points.row(i).begin());
  }
  result.acceptance = static_cast<double>(accepted) / static_cast<double>(steps);
  return result;
}

}  // namespace hone
