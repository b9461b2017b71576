#pragma once

#include <string>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// A formula of parameters, such as "sigma8 * sqrt(omega_m / 0.3)": numbers, names of parameters,
// + - * / ^ ( ), comparisons (1 where true, 0 where not), && || and condition ? a : b, the
// functions of expression_functions(), pi and e. Nothing can be assigned or defined in it, and no
// other code be called. Immutable, so it may be shared between threads.
class Expression {
 public:
  static constexpr std::size_t kLongest = 1000;  // characters
  static constexpr int kDeepest = 64;            // parentheses inside each other

  // `names` of the columns of theta. A parameter whose name is no word of letters, digits and _, or
  // is that of a function, cannot be spoken of. Throws Error{input} with the place in the text.
  Expression(std::string text, std::vector<std::string> names);

  const std::string& text() const { return text_; }
  const std::vector<int>& uses() const { return uses_; }  // columns it depends on, ascending

  // Of each row of theta (n, names). NaN or infinite where the formula has no value.
  std::vector<double> operator()(MatrixView<const double> theta) const;

 private:
  std::string text_;
  std::vector<std::string> names_;
  std::vector<int> uses_;
};

const std::vector<std::string>& expression_functions();

}  // namespace hone
