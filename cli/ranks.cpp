#include "cli/ranks.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>

#include <unistd.h>

#include "cli/workforce.h"
#include "hone/core/error.h"
#include "hone/mpi/crew.h"
#include "hone/mpi/launch.h"

namespace hone::cli {
namespace {

// Those that may simulate or train. Others have nothing to share out.
constexpr std::array<std::string_view, 4> kShared = {"run", "resume", "check", "train"};

std::unique_ptr<Transport>& job() {
  static std::unique_ptr<Transport> transport;
  return transport;
}

constexpr int kWrongUse = 2;  // exit code

// Rank 0 stops the run when the user wishes; the others wait for its word. If that does not come,
// for it is gone, they end by themselves.
void end_later(int) {
  alarm(10);
}

}  // namespace

std::optional<int> join_ranks(int count, char** arguments) {
  const bool shared = count > 1 && std::ranges::find(kShared, arguments[1]) != kShared.end();
  if (!shared || !launched_by_mpi()) return std::nullopt;
  std::unique_ptr<Transport> transport;
  try {
    transport = join_mpi_job();
    forget_launcher();
  } catch (const Error&) {
    if (launched_rank() > 0) return kWrongUse;  // rank 0 says it
    throw;
  }
  if (transport->rank() > 0) {
    std::signal(SIGINT, end_later);
    std::signal(SIGTERM, end_later);
    serve_leader(*transport, open_lanes);
    transport->finish();
    return 0;
  }
  job() = std::move(transport);
  return std::nullopt;
}

void leave_ranks(int exit_code) {
  const std::unique_ptr<Transport> transport = std::move(job());
  if (!transport) return;
  std::fflush(stdout);
  if (transport->lost) transport->abort(exit_code);
  dismiss_crew(*transport);
  transport->finish();
}

Transport* ranks() {
  return job() && job()->size() > 1 ? job().get() : nullptr;
}

int threads_here(int wish) {
  return wish > 0 || !job() ? wish : threads_of_rank(*job());
}

}  // namespace hone::cli
