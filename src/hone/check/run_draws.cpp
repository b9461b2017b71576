#include "hone/check/run_draws.h"

#include <algorithm>
#include <numeric>

#include "hone/core/error.h"
#include "hone/run/finished_run.h"

namespace hone {
namespace {

Matrix<float> read_x(const Dataset& data, std::span<const Index> rows) {
  Matrix<float> x(std::ssize(rows), data.x->cols());
  data.x->read(x, rows);
  return x;
}

std::span<const Index> first_rows(const std::vector<Index>& rows, Index most) {
  return std::span(rows).first(static_cast<std::size_t>(std::min(most, std::ssize(rows))));
}

}  // namespace

RunDraws find_draws(const RunDirectory& run, const Region& region, const CheckOptions& options,
                    Executor* executor, Observer& observer) {
  const NoiseModel* noise = executor == nullptr ? nullptr : executor->noise();
  const RunData own = training_data(run, region, noise);
  const Index row_bytes = own.rows.x->cols() * static_cast<Index>(sizeof(float));
  const Index wanted = std::max(options.most_draws, options.simulations);
  const Index most = std::clamp<Index>(options.most_bytes / row_bytes, 1, wanted);
  RunDraws draws;
  draws.reference_x = read_x(own.rows, first_rows(own.rows.training, std::min<Index>(most, 4000)));
  const auto local_of = [](const Dataset& data, std::span<const Index> rows) {
    Matrix<double> local(std::ssize(rows), data.theta.cols());
    for (Index i = 0; i < local.rows(); ++i) {
      const auto theta = data.theta.row(rows[static_cast<std::size_t>(i)]);
      std::ranges::copy(theta, local.row(i).begin());
    }
    return local;
  };
  draws.reference_local =
      local_of(own.rows, first_rows(own.rows.training, draws.reference_x.rows()));
  const auto take = [&](const Dataset& data, const std::vector<Index>& rows) {
    const auto chosen = first_rows(rows, most);
    draws.x = read_x(data, chosen);
    draws.local = local_of(data, chosen);
  };
  if (options.simulations == 0) {
    draws.from = "validation";
    take(own.rows, own.rows.validation);
  } else {
    draws.from = "fresh";
    const RunData fresh = test_data(run, region, options.simulations,
                                    executor == nullptr ? no_executor() : *executor, observer);
    std::vector<Index> all(static_cast<std::size_t>(fresh.rows.rows()));
    std::iota(all.begin(), all.end(), Index{0});
    take(fresh.rows, all);
  }
  return draws;
}

}  // namespace hone
