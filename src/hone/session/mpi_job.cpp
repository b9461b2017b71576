#include "hone/session/mpi_job.h"

#include <csignal>
#include <cstdio>
#include <numeric>
#include <vector>

#include <unistd.h>

#include "hone/core/error.h"
#include "hone/mpi/launch.h"
#include "hone/mpi/other_ranks.h"
#include "hone/mpi/serve_rank_zero.h"
#include "hone/session/open_simulator.h"

namespace hone {
namespace {

constexpr int kWrongUse = 2;  // exit code

// Rank 0 stops the run when the user wishes; the others wait for its word. If that does not come,
// for it is gone, they end by themselves.
void end_later(int) {
  alarm(100);  // networks stop at the end of an epoch
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

void MpiJob::fall_silent() {
  standard_error_ = dup(STDERR_FILENO);
  for (std::FILE* stream : {stdout, stderr}) {
    if (std::freopen("/dev/null", "w", stream) == nullptr) std::fclose(stream);
  }
}

std::optional<int> MpiJob::join(Sharing sharing) {
  if (!launched_by_mpi()) return std::nullopt;
  sharing_ = sharing;
  std::unique_ptr<Transport> transport;
  try {
    transport = join_mpi_job();
    forget_launcher();
  } catch (const Error&) {
    if (launched_rank() > 0) return kWrongUse;  // rank 0 says it
    throw;
  }
  if (transport->rank() > 0 && sharing == Sharing::alike) fall_silent();
  if (transport->rank() > 0 && sharing == Sharing::led) {
    std::signal(SIGINT, end_later);
    std::signal(SIGTERM, end_later);
    serve_rank_zero(*transport, open_thread_executors);
    transport->finish();
    return 0;
  }
  transport_ = std::move(transport);
  return std::nullopt;
}

void MpiJob::leave(int exit_code) {
  const std::unique_ptr<Transport> transport = std::move(transport_);
  if (!transport) return;
  std::fflush(stdout);
  if (transport->lost) transport->abort(exit_code);
  if (sharing_ == Sharing::led) end_other_ranks(*transport);
  transport->finish();
}

Transport* MpiJob::transport() const {
  return transport_ && transport_->size() > 1 ? transport_.get() : nullptr;
}

int MpiJob::threads(int wish) const {
  return wish > 0 || !transport_ ? wish : threads_of_rank(*transport_);
}

ProcessGroup& MpiJob::all_ranks() {
  if (transport() == nullptr) return single_process();
  std::vector<int> everybody(static_cast<std::size_t>(transport()->size()));
  std::iota(everybody.begin(), everybody.end(), 0);
  return group_.emplace(*transport(), everybody, true);
}

void MpiJob::lose(const char* reason) const {
  if (transport() == nullptr) return;
  transport()->lost = true;
  if (standard_error_ >= 0) {
    dprintf(standard_error_, "hone: rank %d: %s\n", transport()->rank(), reason);
  }
}

void MpiJob::tell_others(const std::string& trouble) {
  if (transport() == nullptr) return;
  if (!calls_) calls_.emplace(*transport());
  const auto texts = calls_->begin(training_kernels() + "\n" + trouble, silent_observer());
  std::string answer;
  if (transport()->rank() == 0) {
    answer = objection(texts);
    calls_->say(answer);
    transport()->flush();
  } else {
    answer = calls_->hear();
  }
  if (trouble.empty() && !answer.empty()) fail(ErrorKind::input, "{}", answer);
}

}  // namespace hone
