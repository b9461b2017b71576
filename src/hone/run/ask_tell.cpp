#include "hone/run/ask_tell.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/core/error.h"
#include "hone/run/execute_run.h"
#include "hone/simulator/failure_tally.h"
#include "hone/simulator/part_of_request.h"

namespace hone {
namespace {

[[noreturn]] void refuse(std::int64_t id, const std::string& what) {
  fail(ErrorKind::input, "simulation {}: {}; nothing was stored", id, what);
}

[[noreturn]] void refuse_unasked(std::int64_t id) {
  fail_with_advice(ErrorKind::input, fmt::format("simulation {}: it was not asked for", id),
                   {.before = "; ", .action = Action::ask, .after = "; nothing was stored"});
}

// Numbers that went through somebody's text file may have lost their last digits.
bool nearly_equal(double a, double b) {
  return std::abs(a - b) <= 1e-5 * std::max(std::abs(a), std::abs(b)) || a == b;
}

void check_theta(std::int64_t id, std::span<const double> told, std::span<const double> asked) {
  if (told.empty()) return;
  if (!std::ranges::equal(told, asked, nearly_equal)) {
    refuse(id, fmt::format("its parameters begin with {}, but {} was handed out; is this the right "
                           "run?",
                           told[0], asked[0]));
  }
}

// The store keeps x as float; a result told twice must agree in that.
bool same_result(const SimulationStore& store, std::int64_t id, const ToldResult& result) {
  const bool failed = store.info(id).failed;
  if (failed || result.failure) return failed && result.failure.has_value();
  return std::ranges::equal(store.read_x(id), result.x, [&](double stored, double told) {
    if (std::isnan(stored)) return std::isnan(told);
    return stored == told || stored == static_cast<double>(static_cast<float>(told));
  });
}

// Removes what is known already. Returns how many that were.
Index drop_known(ToldResults& results, const SimulationStore& store) {
  return static_cast<Index>(std::erase_if(results, [&](const ToldResults::value_type& one) {
    const auto& [id, result] = one;
    if (!store.contains(id)) return false;
    check_theta(id, result.theta, store.info(id).theta);
    if (!same_result(store, id, result)) {
      refuse(id, "it is in the run already, with a different result");
    }
    return true;
  }));
}

// What makes x useless is a failure, as for every other simulator.
void check_results(ToldResults& results, Index data_size, std::span<const char> may_be_missing) {
  for (auto& [id, result] : results) {
    if (id < 0) refuse(id, "an id cannot be negative");
    if (result.failure) {
      result.x.assign(static_cast<std::size_t>(data_size), 0);
      continue;
    }
    if (std::ssize(result.x) != data_size) {
      refuse(id, fmt::format("x has {} numbers, a simulation has {}", result.x.size(), data_size));
    }
    for (std::size_t j = 0; j < result.x.size() && !result.failure; ++j) {
      if (std::abs(result.x[j]) <= std::numeric_limits<float>::max()) continue;
      if (std::isnan(result.x[j]) && !may_be_missing.empty() && may_be_missing[j] != 0) continue;
      result.failure = fmt::format("x[{}] is {}", j, result.x[j]);
    }
  }
}

}  // namespace

std::optional<Index> missing_simulations(RunDirectory& run, Executor& executor) {
  try {
    simulate_run(run, executor);
  } catch (const WaitingForSimulations& waiting) {
    return waiting.count();
  }
  return std::nullopt;
}

WaitingForSimulations::WaitingForSimulations(Index count)
    : Error(ErrorKind::interrupted,
            count == 0 ? ErrorParts{.reason = "all simulations of this round are there",
                                    .advice = {.before = "; ", .action = Action::ask_or_resume}}
                       : ErrorParts{.reason = fmt::format("waiting for {} simulations", count),
                                    .advice = {.before = "; ", .action = Action::ask_and_tell}}),
      count_(count) {}

ToldExecutor::ToldExecutor(ToldResults results, ExecutorOptions options, bool pause)
    : results_(std::move(results)), options_(std::move(options)), pause_(pause) {
  options_.validate();
}

ExecutionSummary ToldExecutor::run(const SimulationRequest& request, const SimulationSink& sink,
                                   Observer& observer) {
  std::vector<Index> here, absent;
  for (Index i = 0; i < request.rows(); ++i) {
    const std::int64_t id = request.ids[static_cast<std::size_t>(i)];
    (results_.contains(id) ? here : absent).push_back(i);
  }
  // Everything is checked before anything is handed over.
  for (const Index row : here) {
    const std::int64_t id = request.ids[static_cast<std::size_t>(row)];
    check_theta(id, results_.at(id).theta, request.theta.row(row));
  }
  if (pause_ && std::ssize(here) < std::ssize(results_)) {
    for (const Index row : here) results_.erase(request.ids[static_cast<std::size_t>(row)]);
    refuse(results_.begin()->first, "it was not asked for");
  }
  FailureTally tally(options_, request);
  if (!here.empty()) {
    Matrix<double> x(std::ssize(here),
                     std::ssize(results_.at(request.ids[static_cast<std::size_t>(here[0])]).x));
    std::vector<Failure> failures;
    for (std::size_t i = 0; i < here.size(); ++i) {
      const auto result = results_.extract(request.ids[static_cast<std::size_t>(here[i])]);
      std::ranges::copy(result.mapped().x, x.row(static_cast<Index>(i)).begin());
      failures.push_back(result.mapped().failure);
      tally.add(failures.back());
    }
    sink({here, x, failures});
    delivered_ += std::ssize(here);
  }
  observer.stage_started("simulate", request.rows());
  observer.stage_advanced("simulate", std::ssize(here), request.rows());
  observer.stage_finished("simulate");
  missing_ = part_of(request, absent);
  if (tally.hopeless() || (absent.empty() && tally.too_many())) throw tally.error();
  if (!absent.empty() || pause_) throw WaitingForSimulations(std::ssize(absent));
  return tally.summary();
}

AskedSimulations ask(RunDirectory& run, Index most, Observer& observer) {
  if (most < 1) fail(ErrorKind::input, "ask for {} simulations: must be 1 or more", most);
  AskedSimulations asked;
  if (run.finished()) return asked;
  ToldExecutor executor;
  try {
    execute_run(run, {executor, observer});
  } catch (const WaitingForSimulations& waiting) {
    asked.waiting = waiting.count();
    std::vector<Index> rows;
    for (Index i = 0; i < std::min(most, waiting.count()); ++i) rows.push_back(i);
    asked.request = part_of(*executor.missing(), rows);
  }
  return asked;
}

ToldSummary tell(RunDirectory& run, ToldResults results) {
  check_results(results, simulated_size(run.spec().noise, std::ssize(run.spec().observation)),
                run.spec().data.may_be_missing());
  ToldSummary summary;
  if (const auto store = run.store()) summary.repeated = drop_known(results, *store);
  const std::int64_t first = results.empty() ? -1 : results.begin()->first;
  if (run.finished()) {
    if (first >= 0) refuse(first, "the run is finished and asks for nothing");
    return summary;
  }
  for (const auto& [id, result] : results) summary.failed += result.failure ? 1 : 0;
  ToldExecutor executor(std::move(results),
                        {.max_failed_fraction = run.spec().options.max_failed_fraction}, true);
  const std::optional<Index> waiting = missing_simulations(run, executor);
  summary.waiting = waiting.value_or(0);
  if (!waiting && first >= 0) refuse_unasked(first);
  summary.stored = executor.delivered();
  return summary;
}

}  // namespace hone
