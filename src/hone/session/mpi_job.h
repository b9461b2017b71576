#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "hone/core/process_group.h"
#include "hone/mpi/collective_calls.h"
#include "hone/mpi/rank_group.h"
#include "hone/mpi/transport.h"

namespace hone {

// The MPI job that this process may be a rank of (docs/howto/cluster.md). Until join() finds one,
// and for ever where there is none, this process works alone.
class MpiJob {
 public:
  enum class Sharing {
    led,    // rank 0 goes on as if it were alone, the others serve it until it leaves
    alike,  // all ranks do the same, and only rank 0 is heard
  };

  // Joins the job if this process was started as a rank of one. Ranks that served rank 0 come back
  // with their exit code.
  std::optional<int> join(Sharing sharing);
  // To be called last, with what the program will return.
  void leave(int exit_code);

  Transport* transport() const;  // null: this process is alone
  int threads(int wish) const;   // of this process: as wished, or 0 for all it has

  // For work that all ranks do alike: the group that shares it out.
  ProcessGroup& all_ranks();

  // Prepares for shared work on every rank, and goes on only if all can: nobody waits for one that
  // has left.
  template <typename F>
  auto prepare_on_all_ranks(F&& prepare) {
    std::optional<decltype(prepare())> result;
    std::exception_ptr error;
    std::string trouble;
    try {
      result.emplace(prepare());
    } catch (const std::exception& e) {
      error = std::current_exception();
      trouble = e.what();
    }
    tell_others(trouble);
    if (error) std::rethrow_exception(error);
    return std::move(*result);
  }

  // Shared work. A rank that cannot finish its part ends the job: the others wait for it.
  template <typename F>
  auto work_on_all_ranks(F&& work) {
    try {
      return work();
    } catch (const std::exception& error) {
      lose(error.what());
      throw;
    }
  }

 private:
  // Why this rank cannot go on, or nothing. If it can, but not all others: Error{input} names one.
  void tell_others(const std::string& trouble);
  // This rank has left shared work: the job cannot go on.
  void lose(const char* reason) const;
  void fall_silent();

  std::unique_ptr<Transport> transport_;
  Sharing sharing_ = Sharing::led;
  std::optional<CollectiveCalls> calls_;
  std::optional<RankGroup> group_;
  int standard_error_ = -1;  // what it was before this rank fell silent
};

}  // namespace hone
