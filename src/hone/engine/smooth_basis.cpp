#include "hone/engine/smooth_basis.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr Index kWidths[] = {2, 4, 8};

// A block's places, and where its columns begin.
struct Grid {
  Index height = 1, width = 1, channels = 1, column = 0;
};

// exp(-(place - centre)^2 / 2 width^2) with centres `width` apart, symmetric about the middle.
Matrix<double> bumps_along(Index places, Index width) {
  const Index count = (places + width - 1) / width;
  Matrix<double> result(count, places);
  for (Index b = 0; b < count; ++b) {
    const double from_middle = static_cast<double>(2 * b - count + 1) / 2;
    const double centre =
        static_cast<double>(places - 1) / 2 + from_middle * static_cast<double>(width);
    for (Index at = 0; at < places; ++at) {
      const double z = (static_cast<double>(at) - centre) / static_cast<double>(width);
      result(b, at) = std::exp(-z * z / 2);
    }
  }
  return result;
}

using Function = std::vector<std::pair<Index, double>>;  // columns and weights

void add_bumps(std::vector<Function>& functions, const Grid& grid, Index width) {
  const Matrix<double> down = bumps_along(grid.height, width),
                       across = bumps_along(grid.width, width);
  for (Index i = 0; i < down.rows(); ++i) {
    for (Index j = 0; j < across.rows(); ++j) {
      for (Index channel = 0; channel < grid.channels; ++channel) {
        Function& bump = functions.emplace_back();
        for (Index y = 0; y < grid.height; ++y) {
          for (Index x = 0; x < grid.width; ++x) {
            const Index place = y * grid.width + x;
            bump.emplace_back(grid.column + place * grid.channels + channel,
                              down(i, y) * across(j, x));
          }
        }
      }
    }
  }
}

Matrix<float> table_of(const std::vector<Function>& functions, Index columns) {
  Matrix<float> result(columns, std::ssize(functions));
  for (std::size_t k = 0; k < functions.size(); ++k) {
    double square = 0;
    for (const auto& [column, weight] : functions[k]) square += weight * weight;
    for (const auto& [column, weight] : functions[k]) {
      result(column, static_cast<Index>(k)) = static_cast<float>(weight / std::sqrt(square));
    }
  }
  return result;
}

}  // namespace

std::vector<Matrix<float>> smooth_bases(const EmbeddingOptions& options, Index others) {
  std::vector<Matrix<float>> result;
  for (const Index width : kWidths) {
    std::vector<Function> functions;
    Index column = 0;
    bool has_places = false;
    for (const EncoderOptions& block : options.blocks) {
      const Index size = DataBlock{.name = "", .kind = block.kind, .shape = block.shape}.size();
      if (block.kind == DataKind::series || block.kind == DataKind::image) {
        const std::size_t places = block.kind == DataKind::image ? 2 : 1;
        const Grid grid{.height = places == 2 ? block.shape[0] : 1,
                        .width = block.shape[places - 1],
                        .channels = block.shape.size() > places ? block.shape[places] : 1,
                        .column = column};
        add_bumps(functions, grid, width);
        has_places = true;
      } else if (block.kind == DataKind::vector) {
        for (Index j = column; j < column + size; ++j) functions.push_back({{j, 1.0}});
      }
      column += size;
    }
    for (Index j = column; j < column + others; ++j) functions.push_back({{j, 1.0}});
    const bool few = std::ssize(functions) <= kMostFunctions || width == kWidths[2];
    if (has_places && few) result.push_back(table_of(functions, column + others));
  }
  return result;
}

}  // namespace hone
