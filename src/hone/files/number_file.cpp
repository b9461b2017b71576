#include "hone/files/number_file.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/npy.h"
#include "hone/core/number_text.h"
#include "hone/files/files.h"

namespace hone {

std::vector<double> read_numbers(const std::filesystem::path& file, bool may_be_missing) {
  const std::string bytes = read_file(file);
  if (!is_npy(bytes)) {
    return may_be_missing ? parse_numbers(bytes, file.string())
                          : parse_finite_numbers(bytes, file.string());
  }
  std::vector<double> numbers = parse_npy(bytes, file.string()).values;
  const auto wrong = std::ranges::find_if_not(numbers, [&](double value) {
    return std::isfinite(value) || (may_be_missing && std::isnan(value));
  });
  if (wrong != numbers.end()) {
    fail(ErrorKind::input, "{}: value {} is {}, not a finite number", file.string(),
         wrong - numbers.begin(), *wrong);
  }
  if (numbers.empty()) fail(ErrorKind::input, "{}: there are no numbers in it", file.string());
  return numbers;
}

}  // namespace hone
