#include "hone/core/error.h"

namespace hone {
namespace {

std::string message_of(const ErrorParts& parts) {
  if (parts.place.empty()) return parts.reason;
  if (parts.value.empty()) return fmt::format("{}: {}", parts.place, parts.reason);
  return fmt::format("{} = {}: {}", parts.place, parts.value, parts.reason);
}

std::string text_of(const ErrorParts& parts, ActionWords words) {
  const Advice& advice = parts.advice;
  return message_of(parts) + advice.before + words(advice.action, advice.run) + advice.after;
}

}  // namespace

std::string to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::input: return "input";
    case ErrorKind::io: return "io";
    case ErrorKind::simulator: return "simulator";
    case ErrorKind::numerical: return "numerical";
    case ErrorKind::interrupted: return "interrupted";
  }
  return "unknown";
}

std::string command_words(Action action, const std::string& run) {
  const std::string where = run.empty() ? "" : " " + run;
  switch (action) {
    case Action::none: return "";
    case Action::resume:
    case Action::open: return fmt::format("run `hone resume{}`", where);
    case Action::ask: return fmt::format("`hone ask{}` says what comes next", where);
    case Action::ask_or_resume:
      return fmt::format("go on with `hone ask{0}` or `hone resume{0}`", where);
    case Action::ask_and_tell:
      return fmt::format(
          "get their parameters by `hone ask{0}`, hand back results by `hone tell{0}`", where);
    case Action::train: return fmt::format("run `hone train{}`", where);
    case Action::check: return fmt::format("run `hone check{}`", where);
    case Action::correct: return fmt::format("run `hone check{} --correct`", where);
    case Action::run_from:
      return fmt::format("make a new run with `hone run --from{}`", run.empty() ? " RUN" : where);
    case Action::allow_failures:
      return fmt::format(
          "Correct the simulator and run `hone resume{0}`. If so many failures are part of the "
          "model, start a new run that allows them: `hone run --from{0} --max-failed-fraction 0.8`",
          run.empty() ? " RUN" : where);
    case Action::anyway: return "add --anyway";
    case Action::larger_budget: return fmt::format("run `hone resume{} --budget N`", where);
    case Action::more_test_draws: return fmt::format("run `hone check{} --simulations N`", where);
    case Action::list_failures: return fmt::format("`hone show{}` lists the reasons", where);
    case Action::compare: return "`hone compare` does so";
    case Action::train_joint: return fmt::format("run `hone train{} --marginal joint`", where);
  }
  return "";
}

Error::Error(ErrorKind kind, ErrorParts parts)
    : std::runtime_error(text_of(parts, command_words)),
      kind_(kind),
      parts_(std::make_shared<const ErrorParts>(std::move(parts))) {}

std::string Error::message() const {
  return message_of(*parts_);
}

std::string Error::text(ActionWords words) const {
  return text_of(*parts_, words);
}

Error Error::moved_to(std::string place) const {
  ErrorParts parts = *parts_;
  parts.place = std::move(place);
  return {kind_, std::move(parts)};
}

Error Error::followed_by(const std::string& more) const {
  ErrorParts parts = *parts_;
  (parts.advice.empty() ? parts.reason : parts.advice.after) += more;
  return {kind_, std::move(parts)};
}

Error Error::with_advice(Advice advice) const {
  ErrorParts parts = *parts_;
  parts.advice = std::move(advice);
  return {kind_, std::move(parts)};
}

void fail_place(std::string place, std::string reason) {
  throw Error(ErrorKind::input, ErrorParts{.place = std::move(place), .reason = std::move(reason)});
}

void fail_with_advice(ErrorKind kind, std::string reason, Advice advice) {
  throw Error(kind, ErrorParts{.reason = std::move(reason), .advice = std::move(advice)});
}

void assertion_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(
      fmt::format("{}:{}: broken assertion '{}'; this is a bug in hone", file, line, condition));
}

}  // namespace hone
