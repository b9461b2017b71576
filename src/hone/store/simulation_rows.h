#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/data_description.h"
#include "hone/core/matrix.h"

namespace hone {

enum class Precision { float32, float64 };
std::string to_string(Precision precision);

// What every row of a store looks like; fixed when it is created.
struct StoreSchema {
  std::vector<std::string> parameters;       // names, in the order of the columns of u and theta
  Index data_size = 0;                       // length of x
  Precision precision = Precision::float32;  // of x on disk
  DataDescription data = {};                 // of x, if that is declared

  Index parameter_count() const { return static_cast<Index>(parameters.size()); }
  void validate() const;  // throws Error{input}
  bool operator==(const StoreSchema&) const = default;
};

// Finished simulations on their way into a store.
struct SimulationRows {
  SimulationRows() = default;
  SimulationRows(Index rows, const StoreSchema& schema);
  Index rows() const { return static_cast<Index>(ids.size()); }

  std::vector<std::int64_t> ids;     // (n) >= 0, unique in the store
  Matrix<double> u;                  // (n, parameters) prior CDF of theta
  Matrix<double> theta;              // (n, parameters)
  Matrix<double> x;                  // (n, data_size); without meaning where the row failed
  std::vector<std::uint64_t> seeds;  // (n)
  std::vector<std::int32_t> rounds;  // (n)
  std::vector<std::optional<std::string>> failures;  // (n) why it failed; nothing: it did not
};

// The rows of all groups, in their order.
SimulationRows joined(const std::vector<SimulationRows>& groups, const StoreSchema& schema);

}  // namespace hone
