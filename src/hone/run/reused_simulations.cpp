#include "hone/run/reused_simulations.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/simulator/part_of_request.h"

namespace hone {
namespace {

constexpr Index kRowsAtOnce = 4096;

// The missing rows; what is known of all holds for them.
SimulationRequest missing_part(const SimulationRequest& request, const std::vector<Index>& rows) {
  SimulationRequest part = part_of(request, rows);
  part.finished_before = request.finished_before + request.rows() - part.rows();
  part.failed_before = request.failed_before;
  part.known_to_work = request.known_to_work;
  return part;
}

}  // namespace

bool ReusingExecutor::has(const SimulationRequest& request, Index row) const {
  const std::int64_t id = request.ids[static_cast<std::size_t>(row)];
  if (!earlier_.contains(id)) return false;
  const SimulationInfo info = earlier_.info(id);
  return !info.failed && info.seed == request.seeds[static_cast<std::size_t>(row)] &&
         std::ranges::equal(info.theta, request.theta.row(row));
}

void ReusingExecutor::deliver(const std::vector<Index>& rows, const SimulationRequest& request,
                              const SimulationSink& sink) const {
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsAtOnce) {
    const auto part =
        std::span(rows).subspan(begin, std::min<std::size_t>(kRowsAtOnce, rows.size() - begin));
    Matrix<double> x(std::ssize(part), earlier_.schema().data_size);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const auto row = static_cast<std::size_t>(part[i]);
      std::ranges::copy(earlier_.read_x(request.ids[row]), x.row(static_cast<Index>(i)).begin());
    }
    sink({part, x, std::vector<Failure>(part.size())});
  }
}

ExecutionSummary ReusingExecutor::run(const SimulationRequest& request, const SimulationSink& sink,
                                      Observer& observer) {
  std::vector<Index> known, missing;
  for (Index i = 0; i < request.rows(); ++i) (has(request, i) ? known : missing).push_back(i);
  if (known.empty()) return executor_.run(request, sink, observer);
  deliver(known, request, sink);
  observer.log(LogLevel::info, fmt::format("{} of {} simulations are those of the earlier run",
                                           known.size(), request.rows()));
  ExecutionSummary summary;
  if (!missing.empty()) {
    summary = executor_.run(
        missing_part(request, missing),
        [&](const FinishedSimulations& finished) {
          std::vector<Index> rows;
          for (const Index row : finished.rows) {
            rows.push_back(missing[static_cast<std::size_t>(row)]);
          }
          sink({rows, finished.x, finished.failures});
        },
        observer);
  }
  summary.finished += std::ssize(known);
  return summary;
}

std::optional<SimulationStore> reusable_simulations(const RunDirectory& run, Observer& observer) {
  const std::string& earlier = run.spec().reuses;
  if (earlier.empty()) return std::nullopt;
  try {
    return RunDirectory::open(earlier).store();
  } catch (const Error& error) {
    observer.log(LogLevel::warning,
                 fmt::format("simulations of the earlier run cannot be used, so all are made: {}",
                             error.message()));
    return std::nullopt;
  }
}

}  // namespace hone
