#include "hone/estimate/simulations.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/estimate/masked_rows.h"
#include "hone/simulator/failure_tally.h"
#include "hone/simulator/noisy_rows.h"
#include "hone/store/grouped_append.h"
#include "hone/store/small_columns.h"
#include "hone/store/split.h"

namespace hone {

Simulations::Simulations(Prior prior, SimulationStore& store, Executor& executor, const Rng& rng,
                         const NoiseModel* noise, double max_failed_fraction)
    : prior_(std::move(prior)),
      store_(store),
      executor_(executor),
      rng_(rng),
      noise_(noise),
      max_failed_fraction_(max_failed_fraction) {}

void Simulations::set_observation(std::span<const double> observation) {
  observed_gaps_.clear();
  if (std::ranges::none_of(observation, [](double v) { return std::isnan(v); })) return;
  for (const double value : observation) observed_gaps_.push_back(std::isnan(value) ? 1 : 0);
}

namespace {

// The parameters of simulations that are not in the store yet.
struct Pending {
  SimulationRequest request;
  Matrix<double> u;
};

// Of the simulations first .. first + count - 1.
Pending draw_pending(const Prior& whole, const Proposal& proposal, std::vector<std::int64_t> ids,
                     Index first, Index count, const Rng& rng) {
  const TruncatedPrior prior(whole, proposal.region());
  const Index rows = static_cast<Index>(ids.size());
  const Matrix<double> draws = proposal.draws() ? proposal.draws()(count) : Matrix<double>();
  Pending pending{
      {.ids = std::move(ids), .theta = Matrix<double>(rows, prior.dimensions()), .seeds = {}},
      Matrix<double>(rows, prior.dimensions())};
  for (Index i = 0; i < rows; ++i) {
    const auto id = static_cast<std::uint64_t>(pending.request.ids[static_cast<std::size_t>(i)]);
    if (proposal.draws()) {
      const auto theta = draws.row(static_cast<Index>(id) - first);
      std::ranges::copy(theta, pending.request.theta.row(i).begin());
      for (int d = 0; d < prior.dimensions(); ++d) {
        pending.u(i, d) = to_unit(whole[d], theta[static_cast<std::size_t>(d)]).u;
      }
    } else {
      prior.sample_row(pending.request.theta.row(i), pending.u.row(i), rng.child("parameters", id));
    }
    pending.request.seeds.push_back(rng.child("simulate", id).bits64());
  }
  return pending;
}

// Those rows of a request that the executor has finished, as the store wants them.
SimulationRows finished_rows(const Pending& pending, const FinishedSimulations& finished,
                             const StoreSchema& schema, int round) {
  if (finished.x.cols() != schema.data_size) {
    fail(ErrorKind::input,
         "the simulator returns {} numbers; it must return {}, as many as the observation has (or, "
         "if "
         "noise is declared, as many as the noise needs)",
         finished.x.cols(), schema.data_size);
  }
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

// Those of the first `count` that an earlier process has made.
void look_at_stored(SmallColumns& small, const SimulationStore& store, Index count) {
  for (Index id = 0; id < count && !small.settled(); ++id) {
    if (store.contains(id) && !store.info(id).failed) small.look_at(store.read_x(id));
  }
}

void complain(const SmallColumns& small, const SimulationStore& store) {
  const std::string complaint = small.complaint(store.schema().data);
  if (!complaint.empty()) fail(ErrorKind::input, "{}", complaint);
}

}  // namespace

void fail_unfit_for_noise(SimulationRows& rows, const NoiseModel& noise) {
  for (Index i = 0; i < rows.rows(); ++i) {
    Failure& failure = rows.failures[static_cast<std::size_t>(i)];
    if (!failure) failure = noise.check(rows.x.row(i));
  }
}

void Simulations::take_existing(Index count) {
  HONE_ASSERT(issued_ == 0);
  issued_ = count;
}

void Simulations::simulate(const Proposal& proposal, int round, Index count, Observer& observer) {
  std::vector<std::int64_t> missing;
  const auto& reasons = store_.failure_reasons();
  FailureTally stored({.max_failed_fraction = max_failed_fraction_}, count);
  for (Index id = issued_; id < issued_ + count; ++id) {
    if (store_.contains(id)) {
      const auto reason = reasons.find(id);
      stored.add(reason == reasons.end() ? Failure() : reason->second);
    } else {
      missing.push_back(id);
    }
  }
  if (missing.empty() ? stored.too_many() : stored.certainly_too_many()) throw stored.error();
  const Index first = issued_;
  issued_ += count;
  // Noise makes columns of its own size; what comes after the first round has had the same units.
  SmallColumns small(noise_ == nullptr && first == 0 ? store_.schema().data_size : 0);
  look_at_stored(small, store_, count);
  if (missing.empty()) {
    complain(small, store_);
    return;
  }
  Pending pending = draw_pending(prior_, proposal, std::move(missing), first, count, rng_);
  pending.request.finished_before = count - pending.request.rows();
  pending.request.failed_before = stored.summary().failed;
  GroupedAppend stored_rows(store_);
  const auto keep = [&](const FinishedSimulations& finished) {
    SimulationRows rows = finished_rows(pending, finished, store_.schema(), round);
    if (noise_ != nullptr) fail_unfit_for_noise(rows, *noise_);
    for (Index i = 0; i < rows.rows() && !small.settled(); ++i) {
      if (!rows.failures[static_cast<std::size_t>(i)]) small.look_at(rows.x.row(i));
    }
    stored_rows.add(std::move(rows));
  };
  try {
    executor_.run(pending.request, keep, observer);
  } catch (...) {
    try {
      stored_rows.finish();
    } catch (const Error&) {  // what is in the journal is safe; the first error says more
    }
    throw;
  }
  stored_rows.finish();
  complain(small, store_);
}

std::vector<std::int64_t> Simulations::select(const Region& region, bool failed,
                                              Index first) const {
  return store_.select([&](const SimulationInfo& info) {
    return info.id >= first && info.id < issued_ && info.failed == failed &&
           region.contains(prior_, info.theta);
  });
}

Index Simulations::count_inside(const Region& region) const {
  return static_cast<Index>(select(region, false).size());
}

Index Simulations::failed() const {
  const auto& reasons = store_.failure_reasons();  // by id
  return std::distance(reasons.begin(), reasons.lower_bound(issued_));
}

namespace {

// A whole number stands anywhere in what it owns, so that local coordinates are uniform.
float local_value(const TruncatedPrior& prior, int d, double theta, std::int64_t id,
                  const Rng& rng) {
  if (!prior.prior()[d].discrete()) return static_cast<float>(prior.to_local(d, theta));
  Rng within = rng.child("within a whole number", static_cast<std::uint64_t>(id))
                   .child("parameter", static_cast<std::uint64_t>(d));
  return static_cast<float>(prior.to_local(d, theta, within.uniform()));
}

// A ratio of the joint density to p(x) times any density of the parameters gives the posterior,
// over that density. Against uniform negatives it is the posterior density in local coordinates
// itself, whatever the correlations, and whatever shape the region has inside its intervals.
void add_with_uniform_negatives(Dataset& data, const Matrix<double>& theta,
                                double validation_fraction, const Rng& rng) {
  const Index n = theta.rows();
  data.theta = Matrix<float>(2 * n, theta.cols());
  for (Index i = 0; i < n; ++i) {
    const std::int64_t id = data.ids[static_cast<std::size_t>(i)];
    Rng uniform = rng.child("uniform negative", static_cast<std::uint64_t>(id));
    for (Index d = 0; d < theta.cols(); ++d) {
      data.theta(i, d) = local_value(data.prior, static_cast<int>(d), theta(i, d), id, rng);
      data.theta(n + i, d) = static_cast<float>(uniform.uniform());
    }
    const bool validates = is_validation(id, validation_fraction);
    (validates ? data.validation : data.training).push_back(i);
    (validates ? data.validation_negatives : data.training_negatives).push_back(n + i);
  }
}

}  // namespace

Dataset Simulations::inside(const Region& region, double validation_fraction, Index first) const {
  Dataset data{.prior = TruncatedPrior(prior_, region), .ids = select(region, false, first)};
  data.issued = issued_;
  data.first = first;
  data.x = store_.x_rows(data.ids);
  for (const std::int64_t id : data.ids) data.rounds.push_back(store_.info(id).round);
  if (noise_ != nullptr) {
    data.x = std::make_unique<NoisyRows>(std::move(data.x), *noise_, data.ids, rng_);
  }
  if (store_.schema().data.size() == data.x->cols()) data.description = store_.schema().data;
  if (!whole_ && MaskedRows::has_work(data.description)) {
    data.before_gaps = data.x.get();
    data.x = std::make_unique<MaskedRows>(std::move(data.x), data.description, observed_gaps_,
                                          data.ids, rng_);
  }
  // Only independent parameters in intervals are uniform in local coordinates.
  if (prior_.copula() != nullptr || region.has_constraint()) {
    add_with_uniform_negatives(data, store_.read_theta(data.ids), validation_fraction, rng_);
    return data;
  }
  std::vector<std::int64_t> all = data.ids;
  const std::vector<std::int64_t> failed = select(region, true, first);
  all.insert(all.end(), failed.begin(), failed.end());
  const Matrix<double> theta = store_.read_theta(all);
  data.theta = Matrix<float>(theta.rows(), theta.cols());
  for (Index i = 0; i < theta.rows(); ++i) {
    for (Index d = 0; d < theta.cols(); ++d) {
      data.theta(i, d) = local_value(data.prior, static_cast<int>(d), theta(i, d),
                                     all[static_cast<std::size_t>(i)], rng_);
    }
    const bool validates = is_validation(all[static_cast<std::size_t>(i)], validation_fraction);
    (validates ? data.validation_negatives : data.training_negatives).push_back(i);
    if (i < data.rows()) (validates ? data.validation : data.training).push_back(i);
  }
  return data;
}

}  // namespace hone
