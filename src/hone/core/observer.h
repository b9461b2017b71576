#pragma once

#include <string>
#include <string_view>

#include "hone/core/matrix.h"

namespace hone {

enum class LogLevel { debug, info, warning };

// How algorithms speak to the outside. They print nothing, read no clock and open no file: they
// call an observer, whose base does nothing. Calls come from one thread at a time.
class Observer {
 public:
  virtual ~Observer() = default;

  // A stage of known length begins, moves on (`done` of `total` units), and ends.
  virtual void stage_started(std::string_view /*stage*/, Index /*total*/) {}
  virtual void stage_advanced(std::string_view /*stage*/, Index /*done*/, Index /*total*/) {}
  virtual void stage_finished(std::string_view /*stage*/) {}

  // Where the algorithm is now, for people: "round 2, prior mass 0.034".
  virtual void context_changed(const std::string& /*context*/) {}

  virtual void log(LogLevel /*level*/, const std::string& /*message*/) {}

  // Asked at every safe point. Once true, the algorithm saves what is finished and throws
  // Error{ErrorKind::interrupted}.
  virtual bool stop_requested() { return false; }
};

[[noreturn]] void fail_stopped();  // Error{interrupted}
// Throws that if the observer asks to stop.
void stop_if_requested(Observer& observer);

// For callers that do not want to watch.
Observer& silent_observer();

}  // namespace hone
