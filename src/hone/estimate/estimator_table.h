#pragma once

#include <optional>
#include <span>
#include <string>

#include "hone/estimate/estimator.h"

namespace hone {

// What else is known of a kind of estimator. Everything that a file of a run may name is here.
struct EstimatorEntry {
  const EstimatorKind& (*kind)();
  std::string of_all;  // its joint posterior, for people
  // Where it may be a part of several that answer together (combined_estimation.h): the number that
  // stands for it in files, never to change. The first kind with a number reads those of all kinds
  // with it.
  std::optional<int> part = std::nullopt;
};

std::span<const EstimatorEntry> estimator_table();

// Null: there is none of that name.
const EstimatorEntry* find_estimator_entry(const std::string& name);

// The kind that reads the parts of this number; null: there is none.
const EstimatorKind* reader_of_part(double number);

}  // namespace hone
