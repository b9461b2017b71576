#include "hone/core/named_array.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "hone/core/error.h"

namespace hone {

const NamedArray& find_array(std::span<const NamedArray> arrays, const std::string& name) {
  const auto found = std::ranges::find(arrays, name, &NamedArray::name);
  if (found == arrays.end()) fail(ErrorKind::io, "there is no array named '{}'", name);
  return *found;
}

template <typename T>
std::span<const T> array_values(std::span<const NamedArray> arrays, const std::string& name,
                                std::span<const Index> shape) {
  const NamedArray& array = find_array(arrays, name);
  const bool fits = std::ranges::equal(
      array.shape, shape, [](Index have, Index want) { return want == -1 || have == want; });
  if (!fits) {
    fail(ErrorKind::io, "array '{}' has shape ({}), expected ({})", name,
         fmt::join(array.shape, ", "), fmt::join(shape, ", "));
  }
  const auto* values = std::get_if<std::vector<T>>(&array.values);
  Index size = 1;
  for (const Index extent : array.shape) size *= extent;
  if (values == nullptr || static_cast<Index>(values->size()) != size) {
    fail(ErrorKind::io, "array '{}' does not hold {} numbers of the right type", name, size);
  }
  return *values;
}

template std::span<const float> array_values(std::span<const NamedArray>, const std::string&,
                                             std::span<const Index>);
template std::span<const double> array_values(std::span<const NamedArray>, const std::string&,
                                              std::span<const Index>);

}  // namespace hone
