#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>

#include "hone/core/observer.h"

namespace hone::python {

namespace py = pybind11;

// How the engine and Python work side by side. The engine runs in a thread of its own, which never
// touches Python. The thread that called hone keeps Python to itself: it lets go of the GIL while
// it waits, calls the simulator when the engine asks, shows progress, and notices Ctrl-C. So a
// simulator runs in the caller's thread, as if called directly.
class PythonThread final : public Observer {
 public:
  // `progress`: None, or an object with show(context, stage, done, total) and log(level, message).
  explicit PythonThread(py::object progress) : progress_(std::move(progress)) {}

  // Runs `work` in the engine's thread and serves it until it ends, with the GIL held on entry and
  // return. Throws the Python exception that ended it, if there was one, else what `work` threw.
  void serve(const std::function<void()>& work);

  // From the engine's thread: runs `task` in the Python thread, with the GIL. A Python exception
  // ends the work: it stays there, and Error{interrupted} is thrown here.
  void call(const std::function<void()>& task);

  // From the Python thread: hands on what is new.
  void show_progress();

  // The engine speaks through these, from any thread of its own.
  void stage_started(std::string_view stage, Index total) override;
  void stage_advanced(std::string_view stage, Index done, Index total) override;
  void context_changed(const std::string& context) override;
  void log(LogLevel level, const std::string& message) override;
  bool stop_requested() override;

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct State {
    std::string context, stage;
    Index done = 0, total = 0;
  };

  bool wait_for_task();  // false: the work has ended
  void run_task();
  void remember_python_error();

  py::object progress_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* task_ = nullptr;
  bool task_failed_ = false, ended_ = false, stop_ = false, news_ = false;
  State state_;
  std::deque<State> begun_;  // stages that nobody has been shown yet: short ones count too
  std::string stopped_by_;
  std::deque<std::pair<LogLevel, std::string>> messages_;
  std::exception_ptr work_error_, python_error_;
};

}  // namespace hone::python
