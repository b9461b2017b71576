#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hone {

struct Message {
  int from = 0;
  int tag = 0;
  std::vector<std::byte> bytes;  // followed by up to 7 zeros
};

// Messages between the ranks of an MPI job. What is above this interface makes no MPI call; what is
// below (mpi_transport.cpp) is a shared library of its own, opened only in a job: hone itself needs
// no MPI to start. No call spins: ranks that wait sleep.
//
// Calls come from one thread at a time, not always the same (MPI_THREAD_SERIALIZED). What MPI
// itself finds wrong ends the job with MPI's message.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int ranks_on_this_machine() const = 0;
  virtual std::string machine() const = 0;

  // Returns at once. Messages of one rank to another arrive in the order they were sent. Up to
  // 16 GiB; std::length_error beyond.
  virtual void send(int to, int tag, std::vector<std::byte> bytes) = 0;
  // Waits until all that was sent has left. Some networks carry large messages only while the
  // sender takes part: for a rank that will be busy, and whose messages others wait for.
  virtual void flush() {}
  // The next message, from anybody, if one has arrived.
  virtual std::optional<Message> receive() = 0;

  // Every rank calls this with parts of the same owners and sizes; afterwards all have the bytes of
  // the owners.
  struct Part {
    int owner = 0;
    std::span<std::byte> bytes;
  };
  virtual void share(std::span<const Part> parts) = 0;

  // Every rank calls this last: waits until what was sent has arrived, then for the others, and
  // ends MPI if it was begun here. False: the others have not come within so many seconds.
  virtual bool finish_within(double seconds) = 0;
  void finish() { finish_within(std::numeric_limits<double>::infinity()); }
  virtual bool began_mpi() const = 0;  // else MPI is the program's
  // Ends all ranks at once: for when one of them does not answer.
  virtual void abort(int code) = 0;

  bool lost = false;  // a rank does not answer any more: only abort() ends the job
};

// Which ranks.
struct MpiWish {
  // The handle of a communicator (an MPI_Comm) of the program and its size; null: all ranks.
  const void* communicator = nullptr;
  std::size_t communicator_size = 0;
  bool others_call_mpi = false;  // in this process, at any time
};

// What the shared library exports as `hone_open_mpi`: initialises MPI unless the program (mpi4py)
// has. Null on failure, with the reason in `error`.
using OpenMpi = Transport*(const char* version, const MpiWish& wish, char* error,
                           std::size_t error_size);

}  // namespace hone
