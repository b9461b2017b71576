#include "python/core/python_thread.h"

#include <chrono>
#include <thread>

#include "hone/core/error.h"
#include "hone/core/visible_text.h"

namespace hone::python {
namespace {

// Short against patience, long against the cost of a look.
constexpr auto kLookAgain = std::chrono::milliseconds(50);

const char* word(LogLevel level) {
  return level == LogLevel::warning ? "warning" : level == LogLevel::info ? "info" : "debug";
}

}  // namespace

void PythonThread::serve(const std::function<void()>& work) {
  std::thread engine([&] {
    std::exception_ptr error;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    const Lock lock(mutex_);
    work_error_ = error;
    ended_ = true;
    changed_.notify_all();
  });
  while (wait_for_task()) {
    run_task();
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      show_progress();
    } catch (py::error_already_set&) {
      remember_python_error();
    }
  }
  engine.join();
  if (python_error_) std::rethrow_exception(python_error_);
  show_progress();
  if (work_error_) std::rethrow_exception(work_error_);
}

bool PythonThread::wait_for_task() {
  const py::gil_scoped_release release;
  Lock lock(mutex_);
  changed_.wait_for(lock, kLookAgain, [&] { return ended_ || task_ != nullptr; });
  return !ended_;
}

void PythonThread::run_task() {
  const std::function<void()>* task;
  {
    const Lock lock(mutex_);
    task = task_;
  }
  if (task == nullptr) return;
  bool failed = false;
  try {
    (*task)();
  } catch (...) {  // the engine waits for an answer, whatever happens
    failed = true;
    remember_python_error();
  }
  const Lock lock(mutex_);
  task_failed_ = failed;
  task_ = nullptr;
  changed_.notify_all();
}

// The first one counts; those that follow are of the same storm.
void PythonThread::remember_python_error() {
  std::string name = "an error";
  try {
    throw;
  } catch (const py::error_already_set& error) {
    name = py::str(error.type().attr("__name__"));
  } catch (...) {  // NOLINT: of C++; kept all the same
  }
  const Lock lock(mutex_);
  if (!python_error_) {
    python_error_ = std::current_exception();
    stopped_by_ = name;
  }
  stop_ = true;
}

void PythonThread::call(const std::function<void()>& task) {
  Lock lock(mutex_);
  if (!stop_) {
    task_ = &task;
    changed_.notify_all();
    changed_.wait(lock, [&] { return task_ == nullptr; });
  }
  if (stop_ || task_failed_) fail(ErrorKind::interrupted, "stopped by {}", stopped_by_);
}

void PythonThread::show_progress() {
  State state;
  std::deque<State> begun;
  std::deque<std::pair<LogLevel, std::string>> messages;
  bool news;
  {
    const Lock lock(mutex_);
    state = state_;
    begun.swap(begun_);
    messages.swap(messages_);
    news = std::exchange(news_, false);
  }
  if (progress_.is_none()) return;
  // Names and what simulators say are the text of others, which a terminal must not obey.
  for (const auto& [level, message] : messages) {
    progress_.attr("log")(word(level), visible_text(message));
  }
  const auto show = [this](const State& one) {
    progress_.attr("show")(visible_text(one.context), one.stage, one.done, one.total);
  };
  for (const State& one : begun) show(one);
  if (news) show(state);
}

void PythonThread::stage_started(std::string_view stage, Index total) {
  stage_advanced(stage, 0, total);
  const Lock lock(mutex_);
  begun_.push_back(state_);
}

void PythonThread::stage_advanced(std::string_view stage, Index done, Index total) {
  const Lock lock(mutex_);
  state_.stage = stage;
  state_.done = done;
  state_.total = total;
  news_ = true;
}

void PythonThread::context_changed(const std::string& context) {
  const Lock lock(mutex_);
  state_.context = context;
}

void PythonThread::log(LogLevel level, const std::string& message) {
  const Lock lock(mutex_);
  messages_.emplace_back(level, message);
}

bool PythonThread::stop_requested() {
  const Lock lock(mutex_);
  return stop_;
}

}  // namespace hone::python
