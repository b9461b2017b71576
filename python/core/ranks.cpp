#include "python/core/ranks.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "hone/core/error.h"
#include "hone/mpi/launch.h"

namespace hone::python {
namespace {

// How long a rank that has failed waits for the others to notice.
constexpr double kPatienceWithOthers = 5;
// Network file systems may show a new directory to other machines only later.
constexpr std::chrono::seconds kPatienceWithFiles(10);

std::unique_ptr<Transport> join(const MpiWish& wish) {
  const py::gil_scoped_release release;
  return join_mpi_job(wish);
}

void wait_for_run_in(const std::string& directory) {
  const auto end = std::chrono::steady_clock::now() + kPatienceWithFiles;
  while (!RunDirectory::is_run(directory)) {
    if (std::chrono::steady_clock::now() > end) {
      fail(ErrorKind::input, "does not see {}; a run must be on a file system that all ranks see",
           directory);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

Ranks::Ranks(const MpiWish& wish) : transport_(join(wish)), calls_(*transport_) {}

int Ranks::threads(int wish) const {
  return wish > 0 ? wish : threads_of_rank(*transport_);
}

std::vector<std::string> Ranks::begin(const std::string& text) {
  std::vector<std::string> texts;
  PythonThread python(py::none{});
  python.serve([&] { texts = calls_.begin(text, python); });
  return texts;
}

std::string Ranks::hear() {
  return serve(py::none(), "");
}

std::string Ranks::serve(const py::object& simulate, const std::string& directory) {
  PythonThread python(py::none{});
  const PythonSimulator simulator(simulate);
  std::string word;
  const OpenExecutors open = [&](const RunSpec& spec, const LogSink& log) {
    wait_for_run_in(directory);
    send_log_to(log);
    return python_executors(python, simulator, spec);
  };
  python.serve([&] { word = calls_.hear(open); });
  send_log_to({});
  return word;
}

void Ranks::send_log_to(LogSink others) {
  const std::lock_guard lock(mutex_);
  to_rank_zero_ = std::move(others);
}

void Ranks::log(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (to_rank_zero_) to_rank_zero_(0, text);
}

LogSink Ranks::log_sink() {
  return [this](int, std::string_view text) {
    const std::lock_guard lock(mutex_);
    heard_.emplace_back(text);
  };
}

std::vector<std::string> Ranks::take_log() {
  const std::lock_guard lock(mutex_);
  return std::exchange(heard_, {});
}

void Ranks::leave(bool failed) {
  const py::gil_scoped_release release;
  if (transport_->lost) transport_->abort(1);
  calls_.leave();
  if (!transport_->began_mpi()) return;  // who began ends it
  if (!failed) return transport_->finish();
  if (transport_->finish_within(kPatienceWithOthers)) return;
  std::fprintf(stderr, "hone: rank %d has failed and the others go on without it: ending the job\n",
               transport_->rank());
  transport_->abort(1);
}

}  // namespace hone::python
