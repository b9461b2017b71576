#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace hone {

// What went wrong, seen from the user's side. The command line turns it into its exit code.
enum class ErrorKind {
  input,        // a value, file or option that the caller can correct; refused before any work
  io,           // a file could not be read or written (permissions, disk full, damaged file)
  simulator,    // the simulator failed more often than it may
  numerical,    // a computation has no usable answer
  interrupted,  // the user asked to stop; everything finished is saved
};

std::string to_string(ErrorKind kind);

// What a user may do with a run. Each interface has its own name for it.
enum class Action {
  none,
  resume,           // let the run go on
  open,             // the same, if it is not open yet
  ask,              // see which simulations come next
  ask_or_resume,    // go on in either way
  ask_and_tell,     // get parameters, hand back results
  train,            // train marginals on the simulations of a run
  check,            // check a run
  correct,          // check it and widen what is too narrow
  run_from,         // make another run like it, with other options
  allow_failures,   // correct the simulator and let the run go on, or make one that allows failures
  anyway,           // ask again and say that the answer is wanted all the same
  larger_budget,    // give a run more simulations
  more_test_draws,  // check it with more simulations
  list_failures,    // see why simulations failed
  compare,          // compare samples of two runs
  train_joint,      // train networks for all parameters together
};

// An action within a sentence: "; make room and " + action + ": what it held is computed again".
struct Advice {
  std::string before = {};
  Action action = Action::none;
  std::string run = {};  // directory, where it is known
  std::string after = {};
  bool empty() const { return action == Action::none && before.empty(); }
};

// How an interface phrases an action, on the run in this directory (empty: not known).
using ActionWords = std::string (*)(Action action, const std::string& run);
std::string command_words(Action action, const std::string& run);  // "run `hone resume DIR`"
// Their last N stands for a number, where the action needs one: "run `hone resume DIR --budget N`".

// What an error is made of: "<place> = <value>: <reason><advice>". A reason alone is enough.
struct ErrorParts {
  std::string place = {};  // a field or file, such as "epsilon"
  std::string value = {};
  std::string reason = {};
  Advice advice = {};
};

// The one exception type of the library. The message says what was wrong, which value, and what to
// do: "epsilon = 2: must lie in (0, 1)". what() speaks as the command line does.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : Error(kind, ErrorParts{.reason = message}) {}
  Error(ErrorKind kind, ErrorParts parts);

  ErrorKind kind() const { return kind_; }
  const std::string& place() const { return parts_->place; }
  const std::string& value() const { return parts_->value; }
  const std::string& reason() const { return parts_->reason; }
  const Advice& advice() const { return parts_->advice; }

  std::string message() const;                // without advice
  std::string text(ActionWords words) const;  // with advice in these words
  Error moved_to(std::string place) const;    // the same under another name of the place
  Error followed_by(const std::string& more) const;
  Error with_advice(Advice advice) const;

 private:
  ErrorKind kind_;
  std::shared_ptr<const ErrorParts> parts_;  // copies of an exception must not throw
};

// Of a file that a newer version wrote: nothing is wrong with it, but this one cannot read it.
class UnknownVersion : public Error {
 public:
  explicit UnknownVersion(const std::string& what)
      : Error(ErrorKind::io, what + "; use the version of hone that wrote it, or a newer one") {}
};

template <typename... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

// Wrong input at a place that has a name: "place = value: reason".
template <typename T>
[[noreturn]] void fail_value(const std::string& place, const T& value, const std::string& reason) {
  throw Error(ErrorKind::input,
              ErrorParts{.place = place, .value = fmt::format("{}", value), .reason = reason});
}

// "place: reason", where the value would say nothing.
[[noreturn]] void fail_place(std::string place, std::string reason);

// The advice follows the reason without a space.
[[noreturn]] void fail_with_advice(ErrorKind kind, std::string reason, Advice advice);

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace hone

// For broken promises inside hone, never for wrong input. Always on: none stands in a hot loop.
#define HONE_ASSERT(condition)                                                  \
  do {                                                                          \
    if (!(condition)) ::hone::assertion_failed(#condition, __FILE__, __LINE__); \
  } while (false)
