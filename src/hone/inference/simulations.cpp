#include "hone/inference/simulations.h"

#include <algorithm>

#include "hone/store/split.h"

namespace hone {

Simulations::Simulations(Prior prior, SimulationStore& store, Executor& executor, const Rng& rng)
    : prior_(std::move(prior)), store_(store), executor_(executor), rng_(rng) {}

namespace {

// The parameters of simulations that are not in the store yet.
struct Pending {
  SimulationRequest request;
  Matrix<double> u;
};

Pending draw_pending(const TruncatedPrior& prior, std::vector<std::int64_t> ids, const Rng& rng) {
  const Index rows = static_cast<Index>(ids.size());
  Pending pending{{.ids = std::move(ids), .theta = Matrix<double>(rows, prior.dimensions()),
                   .seeds = {}},
                  Matrix<double>(rows, prior.dimensions())};
  for (Index i = 0; i < rows; ++i) {
    const auto id = static_cast<std::uint64_t>(pending.request.ids[static_cast<std::size_t>(i)]);
    prior.sample_row(pending.request.theta.row(i), pending.u.row(i), rng.child("parameters", id));
    pending.request.seeds.push_back(rng.child("simulate", id).bits64());
  }
  return pending;
}

// Those rows of a request that the executor has finished, as the store wants them.
SimulationRows finished_rows(const Pending& pending, const FinishedSimulations& finished,
                             const StoreSchema& schema, int round) {
  SimulationRows result(static_cast<Index>(finished.rows.size()), schema);
  for (std::size_t i = 0; i < finished.rows.size(); ++i) {
    const Index to = static_cast<Index>(i), from = finished.rows[i];
    result.ids[i] = pending.request.ids[static_cast<std::size_t>(from)];
    result.seeds[i] = pending.request.seeds[static_cast<std::size_t>(from)];
    result.rounds[i] = round;
    result.failures[i] = finished.failures[i];
    std::ranges::copy(pending.u.row(from), result.u.row(to).begin());
    std::ranges::copy(pending.request.theta.row(from), result.theta.row(to).begin());
    std::ranges::copy(finished.x.row(to), result.x.row(to).begin());
  }
  return result;
}

}  // namespace

void Simulations::simulate(const Region& region, int round, Index count, Observer& observer) {
  std::vector<std::int64_t> missing;
  Index failed_before = 0;
  for (Index id = issued_; id < issued_ + count; ++id) {
    if (!store_.contains(id)) {
      missing.push_back(id);
    } else if (store_.info(id).failed) {
      ++failed_before;
    }
  }
  issued_ += count;
  if (missing.empty()) return;
  Pending pending = draw_pending(TruncatedPrior(prior_, region), std::move(missing), rng_);
  pending.request.finished_before = count - pending.request.rows();
  pending.request.failed_before = failed_before;
  executor_.run(pending.request,
                [&](const FinishedSimulations& finished) {
                  store_.append(finished_rows(pending, finished, store_.schema(), round));
                },
                observer);
}

Index Simulations::count_inside(const Region& region) const {
  const auto ids = store_.select([&](const SimulationInfo& info) {
    return belongs(info) && !info.failed && region.contains(prior_, info.theta);
  });
  return static_cast<Index>(ids.size());
}

Index Simulations::failed() const {
  const auto ids = store_.select(
      [&](const SimulationInfo& info) { return belongs(info) && info.failed; });
  return static_cast<Index>(ids.size());
}

Dataset Simulations::inside(const Region& region, double validation_fraction) const {
  Dataset data{TruncatedPrior(prior_, region), {}, {}, nullptr, {}, {}};
  data.ids = store_.select([&](const SimulationInfo& info) {
    return belongs(info) && !info.failed && region.contains(prior_, info.theta);
  });
  const Matrix<double> theta = store_.read_theta(data.ids);
  data.theta = Matrix<float>(theta.rows(), theta.cols());
  for (Index i = 0; i < theta.rows(); ++i) {
    for (Index d = 0; d < theta.cols(); ++d) {
      data.theta(i, d) =
          static_cast<float>(data.prior.to_local(static_cast<int>(d), theta(i, d)));
    }
    const bool validates = is_validation(data.ids[static_cast<std::size_t>(i)],
                                         validation_fraction);
    (validates ? data.validation : data.training).push_back(i);
  }
  data.x = store_.x_rows(data.ids);
  return data;
}

}  // namespace hone
