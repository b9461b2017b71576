#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "hone/mpi/messages.h"
#include "hone/mpi/transport.h"
#include "hone/simulator/line_log.h"

namespace hone {

// Rank 0's view of the other ranks while one run is worked on. Between the calls of the executor
// and the trainer that use it they have nothing to do.
class OtherRanks {
 public:
  // Tells all ranks about the run. Lines that simulators write on other ranks go to `log`.
  OtherRanks(Transport& transport, const JobMessage& job, LogSink log);
  ~OtherRanks();  // dismisses them
  OtherRanks(const OtherRanks&) = delete;
  OtherRanks& operator=(const OtherRanks&) = delete;

  struct Rank {
    bool ready = false;
    ReadyMessage about;
    double silence = 0;  // seconds without a message, counted by note_time
  };
  Transport& transport() const { return transport_; }
  int size() const { return transport_.size(); }
  const Rank& rank(int number) const { return ranks_[static_cast<std::size_t>(number)]; }

  void send(int to, Tag tag, std::vector<std::byte> bytes = {}) const;
  void send_all(Tag tag, const std::vector<std::byte>& bytes = {}) const;
  // The next message that is not about a rank itself.
  std::optional<Message> receive();

  // Time passes for all. Only as much as rank 0 was there to listen: a job that the batch
  // system suspends and wakes up again has lost nobody.
  void note_time(double seconds);
  void forget_silence(int number) { ranks_[static_cast<std::size_t>(number)].silence = 0; }

  // Tells all ranks to stop simulating. Those that still have something to finish are halting; what
  // they send until they are not belongs to the request that was stopped.
  void halt();
  bool halting() const { return !halting_.empty(); }

  // A rank does not answer any more: the job cannot end as it should (Transport::abort).
  void lose() { transport_.lost = true; }
  bool lost() const { return transport_.lost; }

 private:
  Transport& transport_;
  LogSink log_;
  std::vector<Rank> ranks_;
  std::set<int> halting_;
};

// The name of the kernels that train on this machine: only the same ones give the same bits.
std::string training_kernels();

}  // namespace hone
