#include "hone/store/simulation_rows.h"

#include <algorithm>
#include <set>

#include "hone/core/error.h"

namespace hone {
namespace {

void copy_row(SimulationRows& to, Index row, const SimulationRows& from, Index from_row) {
  const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(from_row);
  to.ids[i] = from.ids[j];
  to.seeds[i] = from.seeds[j];
  to.rounds[i] = from.rounds[j];
  to.failures[i] = from.failures[j];
  std::ranges::copy(from.u.row(from_row), to.u.row(row).begin());
  std::ranges::copy(from.theta.row(from_row), to.theta.row(row).begin());
  std::ranges::copy(from.x.row(from_row), to.x.row(row).begin());
}

}  // namespace

std::string to_string(Precision precision) {
  return precision == Precision::float32 ? "float32" : "float64";
}

void StoreSchema::validate() const {
  // Far above anything useful, far below where products of sizes overflow.
  constexpr Index most = Index{1} << 32;
  if (data_size < 1 || data_size > most) {
    fail(ErrorKind::input, "data_size = {}: must lie between 1 and {}", data_size, most);
  }
  if (data.declared() && data.size() != data_size) {
    fail(ErrorKind::input, "data: the blocks have {} values, x has {}", data.size(), data_size);
  }
  if (parameters.empty()) fail(ErrorKind::input, "parameters: at least one is needed");
  std::set<std::string> seen;
  for (const std::string& name : parameters) {
    if (name.empty()) fail(ErrorKind::input, "parameters: an empty name");
    if (!seen.insert(name).second) fail(ErrorKind::input, "parameters: '{}' twice", name);
  }
}

SimulationRows::SimulationRows(Index rows, const StoreSchema& schema)
    : ids(static_cast<std::size_t>(rows)),
      u(rows, schema.parameter_count()),
      theta(rows, schema.parameter_count()),
      x(rows, schema.data_size),
      seeds(static_cast<std::size_t>(rows)),
      rounds(static_cast<std::size_t>(rows)),
      failures(static_cast<std::size_t>(rows)) {}

SimulationRows joined(const std::vector<SimulationRows>& groups, const StoreSchema& schema) {
  Index count = 0, row = 0;
  for (const SimulationRows& group : groups) count += group.rows();
  SimulationRows all(count, schema);
  for (const SimulationRows& group : groups) {
    for (Index i = 0; i < group.rows(); ++i) copy_row(all, row++, group, i);
  }
  return all;
}

}  // namespace hone
