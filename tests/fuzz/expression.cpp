// Formulas of parameters, from problem files and from --derived: a library parses what is left of
// them after our own checks.
#include "hone/prior/expression.h"

#include <limits>

#include "fuzz.h"
#include "hone/prior/derived.h"

HONE_FUZZ_TARGET(expression)(const std::string& bytes) {
  using namespace hone;
  // A plain one, one that hides a constant, one that is a function, and one that cannot be spoken
  // of.
  static const std::vector<std::string> names{"a", "e", "max", "b c"};
  survive([&] {
    const DerivedQuantity quantity = parse_derived(bytes);
    const Expression formula(quantity.value, names);
    Matrix<double> theta(4, 4);
    const double values[] = {0.5, 0, -1e308, std::numeric_limits<double>::infinity()};
    for (Index i = 0; i < theta.rows(); ++i) std::ranges::fill(theta.row(i), values[i]);
    formula(theta);
  });
}
