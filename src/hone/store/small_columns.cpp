#include "hone/store/small_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hone/core/error.h"

namespace hone {
namespace {

// Floats have all their digits above 1.2e-38. A thousand times that is left to the smaller values
// of a column.
constexpr double kLargeEnough = 1e-35;

}  // namespace

SmallColumns::SmallColumns(Index columns)
    : open_(static_cast<std::size_t>(columns)), largest_(open_.size()) {
  std::iota(open_.begin(), open_.end(), 0);
}

void SmallColumns::look_at(std::span<const double> x) {
  ++rows_;
  std::size_t left = 0;
  for (std::size_t k = 0; k < open_.size(); ++k) {
    const double value = std::abs(x[static_cast<std::size_t>(open_[k])]);
    if (value >= kLargeEnough) continue;
    open_[left] = open_[k];
    largest_[left++] = std::max(largest_[k], value);
  }
  open_.resize(left);
  largest_.resize(left);
}

std::string SmallColumns::complaint(const DataDescription& data) const {
  for (std::size_t k = 0; k < open_.size(); ++k) {
    if (largest_[k] == 0) continue;  // a column of zeros
    return fmt::format(
        "{}: none of its values in {} simulations is larger than {:.2g}, and single precision, in "
        "which simulations are kept, ends at 1e-38; give this part of the data in another unit, in "
        "the observation and in the simulator",
        data.declared() ? data.name_of(open_[k]) : fmt::format("x[{}]", open_[k]), rows_,
        largest_[k]);
  }
  return "";
}

void check_columns(const SimulationRows& rows, const DataDescription& data) {
  SmallColumns small(rows.x.cols());
  for (Index i = 0; i < rows.rows() && !small.settled(); ++i) {
    if (!rows.failures[static_cast<std::size_t>(i)]) small.look_at(rows.x.row(i));
  }
  const std::string complaint = small.complaint(data);
  if (!complaint.empty()) fail(ErrorKind::input, "{}", complaint);
}

float kept_value(double x) {
  const auto value = static_cast<float>(x);
  if (value != 0 || x == 0) return value;
  return std::copysign(std::numeric_limits<float>::denorm_min(), value);
}

}  // namespace hone
