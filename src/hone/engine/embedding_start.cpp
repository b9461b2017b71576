#include "hone/engine/embedding_start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "hone/core/cholesky.h"
#include "hone/core/parallel.h"
#include "hone/engine/flush_denormals.h"
#include "hone/engine/gemm.h"

namespace hone {
namespace {

// More would follow the noise of the realisations read, which training then has to unlearn.
constexpr int kSteps = 4;
constexpr int kRealisations = 4;  // of every row, for each step

constexpr double kChance = 1.5;  // standard errors that an entry of a gradient must exceed

constexpr Index kTaskColumns = 512;
constexpr Index kTaskRows = 16;

Index tasks(Index count, Index size) {
  return (count + size - 1) / size;
}

// Means over the rows of one pass. f: theta, then x times the directions.
struct Moments {
  Matrix<float> x_f;            // (columns, width): E x f
  Matrix<double> f_f;           // (width, width): E f f
  std::vector<double> squares;  // (columns): E x^2
  double rows = 0;
};

class Passes {
 public:
  Passes(SegmentReader& x, Index columns, MatrixView<const float> theta,
         std::span<const Index> rows, bool random, std::uint64_t first)
      : x_(x), columns_(columns), theta_(theta), random_(random), realisation_(first) {
    if (random) {
      all_.assign(rows.begin(), rows.end());
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i) (i % 2 == 0 ? all_ : other_).push_back(rows[i]);
    }
  }

  // directions: (columns, width), with room for theta in front.
  Moments next(const Matrix<float>& directions) {
    const Index width = directions.cols();
    Moments m{Matrix<float>(columns_, width), Matrix<double>(width, width),
              std::vector<double>(static_cast<std::size_t>(columns_), 0.0)};
    for (int r = 0; r < (random_ ? kRealisations : 1); ++r) {
      x_.for_segments(all_, realisation_++,
                      [&](const Segment& segment) { add(m, segment, directions); });
    }
    if (!random_) std::swap(all_, other_);
    const double scale = 1 / m.rows;
    for (double& value : m.squares) value *= scale;
    for (Index j = 0; j < columns_; ++j) {
      for (float& value : m.x_f.row(j)) value *= static_cast<float>(scale);
    }
    for (Index k = 0; k < width; ++k) {
      for (double& value : m.f_f.row(k)) value *= scale;
    }
    return m;
  }

 private:
  void add(Moments& m, const Segment& segment, const Matrix<float>& directions) {
    const Index n = segment.x.rows(), width = directions.cols(), stride = segment.x.stride();
    Matrix<float> f(n, width);
    parallel_for(tasks(n, kTaskRows), [&](Index task) {
      const FlushDenormals flush;
      const Index begin = task * kTaskRows, count = std::min(kTaskRows, n - begin);
      Gemm<float>({.rows = count,
                   .cols = width,
                   .inner = columns_,
                   .lda = stride,
                   .ldb = width,
                   .ldc = width})(f.row(begin).data(), segment.x.row(begin).data(),
                                  directions.data());
      for (Index i = begin; i < begin + count; ++i) {
        std::ranges::copy(theta_.row(segment.rows[static_cast<std::size_t>(i)]), f.row(i).begin());
      }
    });
    parallel_for(tasks(columns_, kTaskColumns), [&](Index task) {
      const FlushDenormals flush;
      const Index begin = task * kTaskColumns, count = std::min(kTaskColumns, columns_ - begin);
      Gemm<float>({.rows = count,
                   .cols = width,
                   .inner = n,
                   .lda = stride,
                   .ldb = width,
                   .ldc = width,
                   .transpose_a = true,
                   .accumulate = true})(m.x_f.row(begin).data(), segment.x.data() + begin,
                                        f.data());
      std::array<float, kTaskColumns> squares{};  // of this segment: a float cannot count for long
      for (Index i = 0; i < n; ++i) {
        const float* x = segment.x.row(i).data() + begin;
        for (Index j = 0; j < count; ++j) squares[static_cast<std::size_t>(j)] += x[j] * x[j];
      }
      for (Index j = 0; j < count; ++j) {
        m.squares[static_cast<std::size_t>(begin + j)] +=
            static_cast<double>(squares[static_cast<std::size_t>(j)]);
      }
    });
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < width; ++k) {
        for (Index l = 0; l < width; ++l) {
          m.f_f(k, l) += static_cast<double>(f(i, k)) * static_cast<double>(f(i, l));
        }
      }
    }
    m.rows += static_cast<double>(n);
  }

  SegmentReader& x_;
  Index columns_;
  MatrixView<const float> theta_;
  bool random_;
  std::uint64_t realisation_;
  std::vector<Index> all_, other_;  // other_: the half that the next pass reads
};

// M: (width - parameters, parameters) with theta ~ f M, from E (theta, f) (theta, f).
Matrix<double> regression(const Matrix<double>& moments, Index parameters) {
  const Index width = moments.rows() - parameters;
  Matrix<double> normal(width, width);
  for (Index k = 0; k < width; ++k) {
    for (Index l = 0; l < width; ++l) normal(k, l) = moments(parameters + k, parameters + l);
    // Directions may be 0, or nearly depend on each other.
    normal(k, k) = normal(k, k) * (1 + 1e-6) + 1e-12;
  }
  const Matrix<double> factor = cholesky(normal);
  Matrix<double> result(width, parameters);
  std::vector<double> column(static_cast<std::size_t>(width));
  for (Index p = 0; p < parameters; ++p) {
    for (Index k = 0; k < width; ++k)
      column[static_cast<std::size_t>(k)] = moments(parameters + k, p);
    solve_lower(column, factor, column);
    solve_lower_transposed(column, factor, column);
    for (Index k = 0; k < width; ++k) result(k, p) = column[static_cast<std::size_t>(k)];
  }
  return result;
}

// Variance of every column around its line in theta: E x^2 - A C^-1 A^T, A = E x theta.
std::vector<double> variances_around_lines(const Moments& m, Index parameters) {
  Matrix<double> c(parameters, parameters);
  for (Index k = 0; k < parameters; ++k) {
    for (Index l = 0; l < parameters; ++l) c(k, l) = m.f_f(k, l);
    c(k, k) += 1e-6;  // a parameter may be constant in these rows
  }
  const Matrix<double> factor = cholesky(c);
  std::vector<double> variances, z(static_cast<std::size_t>(parameters));
  for (Index j = 0; j < m.x_f.rows(); ++j) {
    std::copy_n(m.x_f.row(j).begin(), parameters, z.begin());
    solve_lower(z, factor, z);
    const double total = m.squares[static_cast<std::size_t>(j)];
    double rest = total;
    for (const double value : z) rest -= value * value;
    // A column without noise must not hide all others.
    variances.push_back(std::max(rest, 1e-4 * total));
  }
  return variances;
}

}  // namespace

Matrix<float> linear_start(SegmentReader& x, Index columns, MatrixView<const float> theta,
                           std::span<const Index> rows, bool random, std::uint64_t first) {
  const Index p = theta.cols();
  Passes passes(x, columns, theta, rows, random, first);
  // Blocks of p columns: room for theta, weights so far, the gradient, the step before.
  Matrix<float> directions(columns, 4 * p);
  const Moments lines = passes.next(directions);
  const std::vector<double> variance = variances_around_lines(lines, p);
  // An entry of a gradient over the column's variance, shrunk by what may be chance: of thousands
  // of columns often a few matter, and the scatter of all others would hide them.
  const auto weighed = [&](Index j, double gradient, double theta_variance, double count) {
    const double scale = variance[static_cast<std::size_t>(j)];
    const double chance = kChance * kChance * scale * theta_variance / count;
    if (!(scale > 0) || gradient * gradient <= chance) return 0.0F;
    return static_cast<float>(gradient * (1 - chance / (gradient * gradient)) / scale);
  };
  for (Index j = 0; j < columns; ++j) {
    for (Index k = 0; k < p; ++k) {
      directions(j, 2 * p + k) =
          weighed(j, static_cast<double>(lines.x_f(j, k)), lines.f_f(k, k), lines.rows);
    }
  }
  Matrix<float> weights(columns, p);
  for (int step = 0; step < (random ? kSteps : 1); ++step) {
    const Moments m = passes.next(directions);
    const Matrix<double> best = regression(m.f_f, p);
    // Of every parameter around its estimate: E theta^2 - E theta f M.
    std::vector<double> rest;
    for (Index k = 0; k < p; ++k) {
      rest.push_back(m.f_f(k, k));
      for (Index l = 0; l < 3 * p; ++l) rest.back() -= m.f_f(k, p + l) * best(l, k);
    }
    parallel_for(columns, [&](Index j) {
      const std::vector<float> old(directions.row(j).begin(), directions.row(j).end());
      for (Index k = 0; k < p; ++k) {
        double weight = 0, moved = 0, gradient = static_cast<double>(m.x_f(j, k));
        for (Index l = 0; l < 3 * p; ++l) {
          const double part =
              static_cast<double>(old[static_cast<std::size_t>(p + l)]) * best(l, k);
          weight += part;
          if (l >= p) moved += part;
          gradient -= static_cast<double>(m.x_f(j, p + l)) * best(l, k);
        }
        weights(j, k) = directions(j, p + k) = static_cast<float>(weight);
        directions(j, 2 * p + k) = weighed(j, gradient, rest[static_cast<std::size_t>(k)], m.rows);
        directions(j, 3 * p + k) = static_cast<float>(moved);
      }
    });
  }
  return weights;
}

void scale_columns(Standardizer& x, Matrix<float>& weights) {
  // Relative to the mean, so that the features as a whole learn at the same rate.
  constexpr double kSmallest = 0.3, kLargest = 30;
  std::vector<double> size;
  double mean = 0;
  for (Index j = 0; j < weights.rows(); ++j) {
    double square = 0;
    for (const float weight : weights.row(j)) square += static_cast<double>(weight * weight);
    size.push_back(std::sqrt(square));
    mean += size.back() / static_cast<double>(weights.rows());
  }
  if (!(mean > 0)) return;
  for (Index j = 0; j < weights.rows(); ++j) {
    const std::size_t column = static_cast<std::size_t>(j);
    const auto scale = static_cast<float>(std::clamp(size[column] / mean, kSmallest, kLargest));
    x.inverse[column] *= scale;
    for (float& weight : weights.row(j)) weight /= scale;
  }
}

}  // namespace hone
