#include "hone/session/resources.h"

namespace hone {

Resources::Resources(const RunDirectory& run, const ResourceRequest& request) {
  if (!request.log) log_ = std::make_shared<SimulatorLog>(run.simulator_log());
  const LogSink log = request.log ? request.log : [log = log_](int worker, std::string_view line) {
    log->write(worker, line);
  };
  if (request.transport != nullptr) {
    ranks_ = std::make_unique<RankResources>(
        *request.transport, run, request.threads, log,
        request.with_simulator ? request.open_on_rank : OpenExecutors());
  }
  const bool on_ranks = ranks_ && ranks_->executor() != nullptr;
  if (request.with_simulator && !on_ranks) open_ = request.open(run.spec(), log);
}

Executor& Resources::executor() const {
  if (open_.executor) return *open_.executor;
  return ranks_ && ranks_->executor() != nullptr ? *ranks_->executor() : no_executor();
}

}  // namespace hone
