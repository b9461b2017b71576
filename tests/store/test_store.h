#pragma once

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "hone/store/simulation_store.h"

namespace hone {

inline StoreSchema small_schema(Precision precision = Precision::float64) {
  return {{"mass", "age"}, 3, precision};
}

// Row `id` has values that follow from the id alone; every seventh fails.
inline SimulationRows make_rows(std::int64_t first, Index count, const StoreSchema& schema) {
  SimulationRows rows(count, schema);
  for (Index i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int64_t id = first + i;
    const auto value = static_cast<double>(id);
    rows.ids[k] = id;
    rows.seeds[k] = static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u;
    rows.rounds[k] = static_cast<std::int32_t>(id / 100);
    for (Index j = 0; j < schema.parameter_count(); ++j) {
      rows.u(i, j) = std::fmod(value * 0.013 + 0.1 * static_cast<double>(j), 1.0);
      rows.theta(i, j) = 10 * rows.u(i, j);
    }
    for (Index j = 0; j < schema.data_size; ++j) {
      rows.x(i, j) = std::sin(value) + static_cast<double>(j);
    }
    if (id % 7 == 3) rows.failures[k] = "no convergence at " + std::to_string(id);
  }
  return rows;
}

inline void expect_row(const SimulationStore& store, std::int64_t id) {
  const StoreSchema& schema = store.schema();
  const SimulationRows expected = make_rows(id, 1, schema);
  const SimulationInfo info = store.info(id);
  EXPECT_EQ(info.id, id);
  EXPECT_EQ(info.seed, expected.seeds[0]);
  EXPECT_EQ(info.round, expected.rounds[0]);
  EXPECT_TRUE(std::ranges::equal(info.u, expected.u.row(0)));
  EXPECT_TRUE(std::ranges::equal(info.theta, expected.theta.row(0)));
  EXPECT_EQ(info.failed, expected.failures[0].has_value());
  if (info.failed) {
    EXPECT_EQ(store.failure_reasons().at(id), *expected.failures[0]);
    return;
  }
  const std::vector<double> x = store.read_x(id);
  for (Index j = 0; j < schema.data_size; ++j) {
    const double value = expected.x(0, j);
    EXPECT_EQ(x[static_cast<std::size_t>(j)], schema.precision == Precision::float64
                                                  ? value
                                                  : static_cast<double>(static_cast<float>(value)));
  }
}

inline std::vector<std::int64_t> successes(const SimulationStore& store) {
  return store.rows_inside([](std::span<const double>) { return true; });
}

}  // namespace hone
