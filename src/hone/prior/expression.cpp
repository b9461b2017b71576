#include "hone/prior/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include <muParser.h>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"

namespace hone {
namespace {

using OneArgument = double (*)(double);
using ManyArguments = double (*)(const double*, int);

struct Function {
  const char* name;
  OneArgument one = nullptr;
  ManyArguments many = nullptr;
};

// A value that does not exist must not be hidden by one that does: comparisons with NaN are false.
bool exist(const double* values, int count) {
  return std::none_of(values, values + count, [](double value) { return std::isnan(value); });
}
double smallest(const double* values, int count) {
  return exist(values, count) ? *std::min_element(values, values + count) : std::nan("");
}
double largest(const double* values, int count) {
  return exist(values, count) ? *std::max_element(values, values + count) : std::nan("");
}

// All of them, instead of those the parser brings along: its log has meant base 10 and base e.
const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"log10", [](double x) { return std::log10(x); }},
      {"log2", [](double x) { return std::log2(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"abs", [](double x) { return std::abs(x); }},
      {"floor", [](double x) { return std::floor(x); }},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }},
      {"asin", [](double x) { return std::asin(x); }},
      {"acos", [](double x) { return std::acos(x); }},
      {"atan", [](double x) { return std::atan(x); }},
      {"sinh", [](double x) { return std::sinh(x); }},
      {"cosh", [](double x) { return std::cosh(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"min", nullptr, smallest},
      {"max", nullptr, largest},
  };
  return all;
}

bool is_function(const std::string& name) {
  return std::ranges::find(expression_functions(), name) != expression_functions().end();
}

constexpr const char* kNameCharacters =
    "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool can_be_named(const std::string& name) {
  return !is_function(name) && name.find_first_not_of(kNameCharacters) == std::string::npos &&
         std::isdigit(static_cast<unsigned char>(name.front())) == 0;
}

// The place is the formula itself, and the character in it.
[[noreturn]] void refuse(const std::string& text, std::size_t position, const std::string& reason) {
  constexpr std::size_t kShown = 100;
  const std::string shown =
      text.size() > kShown
          ? text.substr(0, kShown) + fmt::format(" ... ({} characters)", text.size())
          : text;
  fail_place(fmt::format("'{}', character {}", shown, position + 1), reason);
}

// What is left to the parser can only be arithmetic: no text, no statement, no assignment.
void check_characters(const std::string& text) {
  if (text.find_first_not_of(" \t") == std::string::npos) {
    fail_place(fmt::format("'{}'", text), "must be a formula of parameters, such as a * b");
  }
  if (text.size() > Expression::kLongest) {
    refuse(text, Expression::kLongest,
           fmt::format("must have at most {} characters", Expression::kLongest));
  }
  const std::string allowed = std::string(kNameCharacters) + " \t.+-*/^()<>=!&|?:,";
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (allowed.find(text[i]) == std::string::npos) {
      refuse(text, i, "there may be numbers, names, operators and parentheses only");
    }
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth > Expression::kDeepest) {
      refuse(text, i,
             fmt::format("more than {} parentheses inside each other", Expression::kDeepest));
    }
    const auto is_at = [&](std::size_t k, const char* any) {
      return k < text.size() && std::string_view(any).find(text[k]) != std::string_view::npos;
    };
    const bool compares = is_at(i + 1, "=") || (i > 0 && is_at(i - 1, "<>=!"));
    if (text[i] == '=' && !compares) {
      refuse(text, i, "nothing can be assigned; == compares");
    }
  }
}

// A parser with values to put the parameters into.
class Bound {
 public:
  Bound(const std::string& text, const std::vector<std::string>& names) : values_(names.size()) {
    parser_.ClearFun();
    parser_.ClearConst();
    for (const Function& function : functions()) {
      if (function.one != nullptr) parser_.DefineFun(function.name, function.one);
      if (function.many != nullptr) parser_.DefineFun(function.name, function.many);
    }
    for (std::size_t d = 0; d < names.size(); ++d) {
      if (can_be_named(names[d])) parser_.DefineVar(names[d], &values_[d]);
    }
    define_constant("pi", std::numbers::pi, names);
    define_constant("e", std::numbers::e, names);
    parser_.SetExpr(text);
  }

  double operator()(std::span<const double> theta) {
    std::ranges::copy(theta, values_.begin());
    return parser_.Eval();
  }
  mu::Parser& parser() { return parser_; }

 private:
  // A parameter may have its name: then that is meant.
  void define_constant(const char* name, double value, const std::vector<std::string>& names) {
    if (std::ranges::find(names, name) == names.end()) parser_.DefineConst(name, value);
  }

  mu::Parser parser_;
  std::vector<double> values_;
};

std::string reason_of(const mu::ParserError& error, const std::vector<std::string>& names) {
  if (error.GetCode() != mu::ecUNASSIGNABLE_TOKEN) return error.GetMsg();
  const std::string& word = error.GetToken();
  if (std::ranges::find(names, word) != names.end()) {
    return fmt::format(
        "the parameter '{}' cannot stand in a formula: it has the name of a function", word);
  }
  if (is_function(word)) return fmt::format("'{0}' is a function, as in {0}(a)", word);
  std::vector<std::string> known;
  std::ranges::copy_if(names, std::back_inserter(known), can_be_named);
  std::ranges::copy(expression_functions(), std::back_inserter(known));
  return fmt::format("there is no parameter or function '{}'; {}", word.substr(0, 60),
                     suggestion(word, known));
}

}  // namespace

const std::vector<std::string>& expression_functions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Function& function : functions()) all.emplace_back(function.name);
    return all;
  }();
  return names;
}

Expression::Expression(std::string text, std::vector<std::string> names)
    : text_(std::move(text)), names_(std::move(names)) {
  check_characters(text_);
  try {
    Bound bound(text_, names_);
    bound(std::vector<double>(names_.size(), 0.5));
    if (bound.parser().GetNumResults() != 1) {
      refuse(text_, text_.find(','), "a comma may stand between the arguments of min and max only");
    }
    const auto used = bound.parser().GetUsedVar();
    for (std::size_t d = 0; d < names_.size(); ++d) {
      if (used.contains(names_[d])) uses_.push_back(static_cast<int>(d));
    }
  } catch (const mu::ParserError& error) {
    const auto position = static_cast<std::size_t>(std::max(0, static_cast<int>(error.GetPos())));
    refuse(text_, std::min(position, text_.size()), reason_of(error, names_));
  }
  if (uses_.empty()) fail_place(fmt::format("'{}'", text_), "depends on no parameter");
}

std::vector<double> Expression::operator()(MatrixView<const double> theta) const {
  HONE_ASSERT(theta.cols() == std::ssize(names_));
  Bound bound(text_, names_);  // its own: a parser cannot be shared between threads
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(theta.rows()));
  for (Index i = 0; i < theta.rows(); ++i) values.push_back(bound(theta.row(i)));
  return values;
}

}  // namespace hone
