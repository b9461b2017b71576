#pragma once

#include <set>
#include <string>
#include <vector>

#include "hone/core/observer.h"
#include "hone/mpi/serve_rank_zero.h"
#include "hone/mpi/transport.h"

namespace hone {

// How ranks that all run the same script (as Python programs do) work together, call by call. In
// every call, each rank but 0 says what it calls, rank 0 answers, and if all is well it leads the
// others through runs and says how that ended:
//
//   rank 0                         the others
//   begin(what it calls)           begin(what they call)    <- texts of all
//   say(answer)                    hear()                   -> the answer
//   [RankResources ...]            hear(simulators)              serves, -> the end
//   say(end)
class CollectiveCalls {
 public:
  explicit CollectiveCalls(Transport& transport) : transport_(transport) {}

  // On rank 0 waits for all and returns what they said, its own first; nothing on the others.
  // Error{input} if a rank has left; Error{interrupted} if the observer wants to stop.
  std::vector<std::string> begin(const std::string& text, Observer& observer);

  // Rank 0 to all, of this call.
  void say(const std::string& text);

  // The other ranks: serve rank 0 until it speaks of this call. Error{input} if it has left.
  std::string hear(const OpenExecutors& open = {});

  // At the end of the program: who waits for this rank need not any longer.
  void leave();

 private:
  void send(int to, const std::string& text);
  [[noreturn]] void fail_left(int rank);

  Transport& transport_;
  int call_ = 0;        // counts; what belongs to earlier ones is out of date
  std::set<int> left_;  // ranks that have ended their program
};

}  // namespace hone
