#include "hone/check/information.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hone {
namespace {

std::string list_of(const std::vector<Index>& columns) {
  constexpr std::size_t kShown = 5;
  const std::size_t shown = std::min(kShown, columns.size());
  const std::vector<Index> first(columns.begin(), columns.begin() + static_cast<Index>(shown));
  return fmt::format("{}{}", fmt::join(first, ", "), columns.size() > shown ? ", ..." : "");
}

std::string constant_words(const std::vector<Index>& constant, Index columns) {
  if (constant.empty()) return "";
  return fmt::format(
      "{} of {} data columns ({}) {} the same value in all simulations; networks "
      "leave {} out",
      constant.size(), columns, list_of(constant), constant.size() == 1 ? "has" : "have",
      constant.size() == 1 ? "it" : "them");
}

}  // namespace

std::vector<Index> constant_columns(MatrixView<const float> reference, MatrixView<const float> x) {
  std::vector<Index> constant;
  if (reference.rows() + x.rows() < 2) return constant;
  for (Index c = 0; c < x.cols(); ++c) {
    const float first = reference.rows() > 0 ? reference(0, c) : x(0, c);
    const auto same = [&](MatrixView<const float> rows) {
      for (Index i = 0; i < rows.rows(); ++i) {
        if (rows(i, c) != first) return false;
      }
      return true;
    };
    if (same(reference) && same(x)) constant.push_back(c);
  }
  return constant;
}

std::vector<Index> unresolved_columns(MatrixView<const float> reference) {
  constexpr float kResolved = 1e-30F;  // 2^24 times the smallest number of full precision
  std::vector<Index> found;
  for (Index c = 0; c < reference.cols() && reference.rows() > 0; ++c) {
    float low = reference(0, c), high = low;
    for (Index i = 1; i < reference.rows(); ++i) {
      low = std::min(low, reference(i, c));
      high = std::max(high, reference(i, c));
    }
    if (high > low && high - low < kResolved) found.push_back(c);
  }
  return found;
}

// A posterior that fills 97 % of an axis has a chi-squared distance of 0.03 from the prior: nobody
// could tell them apart in a figure.
bool ParameterInformation::equals_prior() const {
  return kept > 0.95 && (!learned || efficiency > 0.97);
}

CheckResult information_result(const std::vector<Index>& constant, Index columns,
                               const std::vector<ParameterInformation>& parameters,
                               const std::vector<Index>& unresolved) {
  CheckResult result{.name = "information"};
  std::vector<std::string> silent;
  for (const ParameterInformation& one : parameters) {
    if (one.equals_prior()) silent.push_back(one.name);
  }
  const std::string columns_text = constant_words(constant, columns);
  if (std::ssize(constant) == columns) {
    result.status = Status::fail;
    result.reason =
        "every simulation has the same data, whatever its parameters: the simulator ignores its "
        "parameters and its seed, so the posterior is the prior";
    result.advice =
        "run the simulator by hand with two different parameters and look at its output";
  } else if (!unresolved.empty()) {
    result.status = Status::fail;
    result.reason = fmt::format(
        "{} of {} data columns ({}) change by less than 1e-30, which single precision does not "
        "resolve",
        unresolved.size(), columns, list_of(unresolved));
    result.advice = "give these data in another unit, in the simulator and in the observation";
  } else if (!silent.empty()) {
    result.status = Status::caution;
    const bool all = silent.size() == parameters.size();
    result.reason =
        fmt::format("{}: the data say nothing about {}{}{}",
                    all ? "every posterior equals its prior" : "the posterior equals the prior",
                    all ? "any parameter" : fmt::format("{}", fmt::join(silent, ", ")),
                    columns_text.empty() ? "" : "; ", columns_text);
    result.advice =
        all ? "does the simulator use its parameters? If it does, the networks may need more "
              "simulations or an embedding to see them"
            : "this is an answer if you expected it; otherwise look whether the simulator uses the "
              "parameter";
  } else if (!columns_text.empty()) {
    result.reason = "the data say something about every parameter; " + columns_text;
  } else {
    result.reason = "the data say something about every parameter, and every column changes";
  }
  result.numbers = {{"constant_columns", static_cast<double>(constant.size())},
                    {"parameters_without_information", static_cast<double>(silent.size())}};
  return result;
}

}  // namespace hone
