#include "hone/files/number_file.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/npy.h"
#include "hone/core/number_text.h"
#include "hone/files/files.h"

namespace hone {

std::vector<double> read_numbers(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  if (!is_npy(bytes)) return parse_finite_numbers(bytes, file.string());
  std::vector<double> numbers = parse_npy(bytes, file.string()).values;
  const auto wrong =
      std::find_if_not(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  if (wrong != numbers.end()) {
    fail(ErrorKind::input, "{}: value {} is {}, not a finite number", file.string(),
         wrong - numbers.begin(), *wrong);
  }
  if (numbers.empty()) fail(ErrorKind::input, "{}: there are no numbers in it", file.string());
  return numbers;
}

}  // namespace hone
