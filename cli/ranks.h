#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "hone/core/team.h"
#include "hone/mpi/transport.h"

// The MPI job that this process may be a rank of (docs/howto/cluster.md).

namespace hone::cli {

// Joins the job if there is one and the command has something to share out. If it works on a run,
// rank 0 then goes on as if it were alone; the others serve it until it leaves, and get their exit
// code here. If not, all ranks do the same, and only rank 0 is heard.
std::optional<int> join_ranks(int count, char** arguments);

// To be called last, with what the program will return.
void leave_ranks(int exit_code);

// The job; null: this process is alone.
Transport* ranks();

// For a command that all ranks do: the team that shares its work out.
Team& all_ranks();
// Why this rank cannot go on, or nothing. If it can, but not all others: Error{io} names one.
void tell_ranks(const std::string& trouble);

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
  tell_ranks(trouble);
  if (error) std::rethrow_exception(error);
  return std::move(*result);
}

// This rank has left shared work: the job cannot go on.
void lose_ranks(const char* reason);

// Shared work. A rank that cannot finish its part ends the job: the others wait for it.
template <typename F>
auto work_on_all_ranks(F&& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    lose_ranks(error.what());
    throw;
  }
}

// Threads of this process: as wished, or 0 for all it has.
int threads_here(int wish);

}  // namespace hone::cli
