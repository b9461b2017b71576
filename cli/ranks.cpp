#include "cli/ranks.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "cli/workforce.h"
#include "hone/core/error.h"
#include "hone/mpi/crew.h"
#include "hone/mpi/launch.h"
#include "hone/mpi/leader.h"
#include "hone/mpi/rank_team.h"
#include "hone/mpi/roll_call.h"

namespace hone::cli {
namespace {

// Those that work on a run, and those that all ranks do alike. Others have nothing to share out.
constexpr std::array<std::string_view, 4> kLed = {"run", "resume", "check", "train"};
constexpr std::array<std::string_view, 1> kAlike = {"compare"};

bool is_one_of(std::span<const std::string_view> commands, std::string_view command) {
  return std::ranges::find(commands, command) != commands.end();
}

std::unique_ptr<Transport>& job() {
  static std::unique_ptr<Transport> transport;
  return transport;
}

// Do the other ranks serve this one, or do all the same?
bool led = true;

constexpr int kWrongUse = 2;  // exit code

// Rank 0 stops the run when the user wishes; the others wait for its word. If that does not come,
// for it is gone, they end by themselves.
void end_later(int) {
  alarm(100);  // networks stop at the end of an epoch
}

int loud = -1;  // what was standard error

void fall_silent() {
  loud = dup(STDERR_FILENO);
  for (std::FILE* stream : {stdout, stderr}) {
    if (std::freopen("/dev/null", "w", stream) == nullptr) std::fclose(stream);
  }
}

// What speaks against going on, in the words of all ranks: "kernels\ntrouble".
std::string objection(const std::vector<std::string>& texts) {
  for (std::size_t r = 0; r < texts.size(); ++r) {
    const auto end = texts[r].find('\n');
    const std::string kernels = texts[r].substr(0, end), trouble = texts[r].substr(end + 1);
    if (!trouble.empty()) return fmt::format("rank {} cannot take part: {}", r, trouble);
    if (kernels == training_kernels()) continue;
    return fmt::format(
        "rank {} computes with {}, rank 0 with {}: their sums would differ in the last bits; start "
        "it on machines of one kind",
        r, kernels, training_kernels());
  }
  return "";
}

}  // namespace

std::optional<int> join_ranks(int count, char** arguments) {
  const std::string_view command = count > 1 ? arguments[1] : "";
  led = is_one_of(kLed, command);
  if ((!led && !is_one_of(kAlike, command)) || !launched_by_mpi()) return std::nullopt;
  std::unique_ptr<Transport> transport;
  try {
    transport = join_mpi_job();
    forget_launcher();
  } catch (const Error&) {
    if (launched_rank() > 0) return kWrongUse;  // rank 0 says it
    throw;
  }
  if (transport->rank() > 0 && !led) fall_silent();
  if (transport->rank() > 0 && led) {
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
  if (led) dismiss_crew(*transport);
  transport->finish();
}

Transport* ranks() {
  return job() && job()->size() > 1 ? job().get() : nullptr;
}

Team& all_ranks() {
  static std::optional<RankTeam> team;
  if (ranks() == nullptr) return no_team();
  std::vector<int> everybody(static_cast<std::size_t>(ranks()->size()));
  std::iota(everybody.begin(), everybody.end(), 0);
  return team.emplace(*ranks(), everybody, true);
}

void lose_ranks(const char* reason) {
  if (ranks() == nullptr) return;
  ranks()->lost = true;
  if (loud >= 0) dprintf(loud, "hone: rank %d: %s\n", ranks()->rank(), reason);
}

void tell_ranks(const std::string& trouble) {
  if (ranks() == nullptr) return;
  static RollCall roll_call(*ranks());
  const auto texts = roll_call.begin(training_kernels() + "\n" + trouble, silent_observer());
  std::string answer;
  if (ranks()->rank() == 0) {
    answer = objection(texts);
    roll_call.say(answer);
    ranks()->flush();
  } else {
    answer = roll_call.hear();
  }
  if (trouble.empty() && !answer.empty()) fail(ErrorKind::input, "{}", answer);
}

int threads_here(int wish) {
  return wish > 0 || !job() ? wish : threads_of_rank(*job());
}

}  // namespace hone::cli
