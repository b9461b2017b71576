#include "hone/posterior/envelope.h"

#include <cmath>

namespace hone {
namespace {

constexpr double kHeadRoom = 0.05;  // above the highest density known, in nats

struct Grid {
  Index cells;   // per axis
  Index inside;  // points of the finer grid per cell and axis
};
constexpr Grid kGrid1d{512, 8}, kGrid2d{48, 4};
constexpr Index kRandomPoints = 65536;  // that stand for a grid in more dimensions

// The highest of the values in a cell, and of those just beyond its ends: a slope may go on up
// between the last point and the end of the cell.
double highest_1d(std::span<const double> values, Index cell, const Grid& grid) {
  const Index begin = std::max<Index>(0, cell * grid.inside - 1);
  const Index end = std::min<Index>(std::ssize(values), (cell + 1) * grid.inside + 1);
  return *std::ranges::max_element(
      values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
}

std::vector<double> heights_1d(std::span<const double> values, const Grid& grid) {
  std::vector<double> heights;
  for (Index cell = 0; cell < grid.cells; ++cell) {
    heights.push_back(highest_1d(values, cell, grid));
  }
  return heights;
}

// Along the last axis, then along the first.
std::vector<double> heights_2d(std::span<const double> values, const Grid& grid) {
  const Index fine = grid.cells * grid.inside;
  Matrix<double> columns(grid.cells, fine);  // of each row of points, the highest per cell
  for (Index i = 0; i < fine; ++i) {
    const auto row = values.subspan(static_cast<std::size_t>(i * fine), std::size_t(fine));
    for (Index cell = 0; cell < grid.cells; ++cell) columns(cell, i) = highest_1d(row, cell, grid);
  }
  std::vector<double> heights;
  for (Index a = 0; a < grid.cells; ++a) {
    for (Index b = 0; b < grid.cells; ++b) heights.push_back(highest_1d(columns.row(b), a, grid));
  }
  return heights;
}

std::vector<double> log_heights(const MarginalPosterior& posterior, const Rng& rng) {
  const Index dimensions = posterior.dimensions();
  if (dimensions == 1) {
    const Matrix<float> points = local_grid(kGrid1d.cells * kGrid1d.inside, 1);
    return heights_1d(posterior.log_density_local(points), kGrid1d);
  }
  if (dimensions == 2) {
    const Matrix<float> points = local_grid(kGrid2d.cells * kGrid2d.inside, 2);
    return heights_2d(posterior.log_density_local(points), kGrid2d);
  }
  const auto values = posterior.log_density_local(uniform_points(kRandomPoints, dimensions, rng));
  return {*std::ranges::max_element(values)};
}

std::vector<double> weights(std::span<const double> log_height) {
  std::vector<double> result;
  for (const double height : log_height) {
    result.push_back(std::exp(height) / static_cast<double>(log_height.size()));
  }
  return result;
}

}  // namespace

Matrix<float> uniform_points(Index rows, Index dimensions, Rng rng) {
  Matrix<float> points(rows, dimensions);
  for (Index i = 0; i < rows; ++i) {
    for (float& value : points.row(i)) value = static_cast<float>(rng.uniform());
  }
  return points;
}

Envelope::Envelope(const MarginalPosterior& posterior, const Rng& rng)
    : Envelope(posterior.dimensions() == 1   ? kGrid1d.cells
               : posterior.dimensions() == 2 ? kGrid2d.cells
                                             : 1,
               posterior.dimensions(), log_heights(posterior, rng)) {}

Envelope::Envelope(Index cells, Index dimensions, std::vector<double> log_height)
    : cells_(cells),
      dimensions_(dimensions),
      log_height_(std::move(log_height)),
      pick_(weights(log_height_)),
      raised_(kHeadRoom) {}

double Envelope::acceptance() const {
  return 1 / (pick_.total() * std::exp(raised_));
}

Envelope::Proposals Envelope::propose(Index rows, Rng rng) const {
  Proposals proposals{uniform_points(rows, dimensions_, rng.child("inside")), {}};
  for (Index i = 0; i < rows; ++i) {
    const Index cell = pick_(rng);
    proposals.log_bound.push_back(log_height_[static_cast<std::size_t>(cell)] + raised_);
    Index rest = cell;
    for (Index d = dimensions_ - 1; d >= 0; --d, rest /= cells_) {
      float& value = proposals.points(i, d);
      value = (static_cast<float>(rest % cells_) + value) / static_cast<float>(cells_);
    }
  }
  return proposals;
}

}  // namespace hone
