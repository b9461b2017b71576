#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hone/mpi/collective_calls.h"
#include "hone/run/run_directory.h"
#include "python/core/python_executors.h"

namespace hone::python {

// The ranks of an MPI job that run the same script (hone/_ranks.py).
class Ranks {
 public:
  explicit Ranks(const MpiWish& wish);

  Transport& transport() const { return *transport_; }
  int threads(int wish) const;  // of this process, 0 for all it has

  std::vector<std::string> begin(const std::string& text);
  void say(const std::string& text) { calls_.say(text); }
  std::string hear();
  // Ranks other than 0: simulate and train until rank 0 has spoken. `directory` is that of the run.
  std::string serve(const py::object& simulate, const std::string& directory);

  // Tracebacks. Those of other ranks go to rank 0 with its run, which takes them from here.
  void log(const std::string& text);
  LogSink log_sink();
  std::vector<std::string> take_log();

  // At the end of the program; `failed`: this rank has. Ends MPI if hone began it.
  void leave(bool failed);

 private:
  void send_log_to(LogSink others);

  std::unique_ptr<Transport> transport_;
  CollectiveCalls calls_;
  std::mutex mutex_;
  LogSink to_rank_zero_;
  std::vector<std::string> heard_;
};

}  // namespace hone::python
