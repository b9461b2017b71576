#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// An array of any rank, row-major, with a name: weights of a network, a posterior on a grid. What
// the parts of hone hand to the store, and get back from it.
struct NamedArray {
  std::string name;          // not empty, without '/'
  std::vector<Index> shape;  // outermost first; empty for a single number
  std::variant<std::vector<float>, std::vector<double>> values;

  bool operator==(const NamedArray&) const = default;
};

// The array of this name, checked to have the shape (an extent of -1 fits any) and to hold values
// of type T; Error{io} names what is missing or wrong.
const NamedArray& find_array(std::span<const NamedArray> arrays, const std::string& name);
template <typename T>
std::span<const T> array_values(std::span<const NamedArray> arrays, const std::string& name,
                                std::span<const Index> shape);

}  // namespace hone
