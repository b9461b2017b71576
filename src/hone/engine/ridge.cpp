#include "hone/engine/ridge.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/engine/flush_denormals.h"
#include "hone/engine/gemm.h"

namespace hone {
namespace {

// Of the number of rows times the mean square of a column.
constexpr double kPenalties[] = {1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 10};

// Products of more parameters than this would be more numbers than they are worth.
constexpr Index kMostSquared = 6;

constexpr Index kBlock = 64;
constexpr Index kTaskRows = 64;

Index tasks_of(Index count, Index size) {
  return (count + size - 1) / size;
}

// Gauss-Jordan on a block in place: small, and positive definite.
void invert_small(double* a, Index stride, Index size) {
  for (Index k = 0; k < size; ++k) {
    const double pivot = 1 / a[k * stride + k];
    for (Index j = 0; j < size; ++j) a[k * stride + j] *= pivot;
    for (Index i = 0; i < size; ++i) {
      if (i == k) continue;
      const double factor = a[i * stride + k];
      for (Index j = 0; j < size; ++j) {
        if (j != k) a[i * stride + j] -= factor * a[k * stride + j];
      }
      a[i * stride + k] = -factor * pivot;
    }
    a[k * stride + k] = pivot;
  }
}

// What the regression sees of the data: some columns, or functions of all columns.
struct View {
  std::vector<Index> columns;
  const Matrix<float>* functions = nullptr;  // (all columns, functions); null: the columns

  Index size() const { return functions != nullptr ? functions->cols() : std::ssize(columns); }
};

// Sums over the rows of a table.
struct Sums {
  Matrix<float> x_x;  // (inputs, padded inputs)
  Matrix<float> x_t;  // (inputs, padded targets)
};

// The columns that take part, side by side, with 0 for what is not finite. (rows, padded columns)
Matrix<float> gathered(MatrixView<const float> x, std::span<const Index> columns) {
  Matrix<float> result(x.rows(), padded(std::ssize(columns)));
  parallel_for(tasks_of(x.rows(), kTaskRows), [&](Index task) {
    for (Index i = task * kTaskRows; i < std::min((task + 1) * kTaskRows, x.rows()); ++i) {
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const float value = x(i, columns[j]);
        result(i, static_cast<Index>(j)) = std::isfinite(value) ? value : 0.0F;
      }
    }
  });
  return result;
}

// (rows, padded inputs)
Matrix<float> inputs_of(MatrixView<const float> x, const View& view) {
  Matrix<float> columns = gathered(x, view.columns);
  if (view.functions == nullptr) return columns;
  // Functions have rows for all columns; those that take part are gathered as the data's are.
  const Index d = std::ssize(view.columns), count = view.functions->cols(), width = padded(count);
  Matrix<float> weights(d, width), result(x.rows(), width);
  for (Index j = 0; j < d; ++j) {
    std::ranges::copy(view.functions->row(view.columns[std::size_t(j)]), weights.row(j).begin());
  }
  parallel_for(tasks_of(x.rows(), kTaskRows), [&](Index task) {
    const FlushDenormals flush;
    const Index begin = task * kTaskRows, rows = std::min(kTaskRows, x.rows() - begin);
    Gemm<float>({.rows = rows,
                 .cols = width,
                 .inner = d,
                 .lda = columns.cols(),
                 .ldb = width,
                 .ldc = width})(result.row(begin).data(), columns.row(begin).data(),
                                weights.data());
  });
  return result;
}

Matrix<float> gathered(MatrixView<const float> targets, std::span<const Index> rows, Index width) {
  Matrix<float> result(std::ssize(rows), width);
  for (Index i = 0; i < result.rows(); ++i) {
    std::ranges::copy(targets.row(rows[std::size_t(i)]), result.row(i).begin());
  }
  return result;
}

// sum += x^T f, each task a range of the rows of the sum.
void add_products(Matrix<float>& sum, const Matrix<float>& x, const Matrix<float>& f) {
  parallel_for(tasks_of(sum.rows(), kBlock), [&](Index task) {
    const FlushDenormals flush;
    const Index begin = task * kBlock, count = std::min(kBlock, sum.rows() - begin);
    Gemm<float>({.rows = count,
                 .cols = f.cols(),
                 .inner = x.rows(),
                 .lda = x.cols(),
                 .ldb = f.cols(),
                 .ldc = f.cols(),
                 .transpose_a = true,
                 .accumulate = true})(sum.row(begin).data(), x.data() + begin, f.data());
  });
}

// One penalty: weights of all targets, and the estimates that leave a row out.
struct Candidate {
  Matrix<float> inverse;  // (columns, padded columns)
  Matrix<float> weights;  // (columns, padded targets)
};

Candidate solve(const Sums& sums, double penalty) {
  const Index d = sums.x_x.rows(), width = sums.x_x.cols(), t = sums.x_t.cols();
  Matrix<double> a(d, d);
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < d; ++j) a(i, j) = static_cast<double>(sums.x_x(i, j));
    a(i, i) += penalty;
  }
  invert(a);
  Candidate result{Matrix<float>(d, width), Matrix<float>(d, t)};
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < d; ++j) result.inverse(i, j) = static_cast<float>(a(i, j));
  }
  parallel_for(d, [&](Index i) {
    std::vector<double> sum(static_cast<std::size_t>(t), 0.0);
    for (Index j = 0; j < d; ++j) {
      for (Index k = 0; k < t; ++k) {
        sum[std::size_t(k)] += a(i, j) * static_cast<double>(sums.x_t(j, k));
      }
    }
    for (Index k = 0; k < t; ++k) result.weights(i, k) = static_cast<float>(sum[std::size_t(k)]);
  });
  return result;
}

// Estimates of rows x (n, padded columns) without themselves, for targets f (n, targets).
void leave_out(MatrixView<float> out, const Candidate& candidate, const Matrix<float>& x,
               const Matrix<float>& f) {
  const Index d = candidate.inverse.rows(), width = x.cols(), t = f.cols();
  parallel_for(tasks_of(x.rows(), kTaskRows), [&](Index task) {
    const FlushDenormals flush;
    const Index begin = task * kTaskRows, count = std::min(kTaskRows, x.rows() - begin);
    Matrix<float> y(count, width), estimate(count, t);
    Gemm<float>(
        {.rows = count, .cols = width, .inner = d, .lda = width, .ldb = width, .ldc = width})(
        y.data(), x.row(begin).data(), candidate.inverse.data());
    Gemm<float>({.rows = count, .cols = t, .inner = d, .lda = width, .ldb = t, .ldc = t})(
        estimate.data(), x.row(begin).data(), candidate.weights.data());
    for (Index i = 0; i < count; ++i) {
      double h = 0;
      for (Index j = 0; j < d; ++j) {
        h += static_cast<double>(y(i, j)) * static_cast<double>(x(begin + i, j));
      }
      const auto own = static_cast<float>(std::clamp(h, 0.0, 0.99));
      for (Index k = 0; k < out.cols(); ++k) {
        out(begin + i, k) = (estimate(i, k) - own * f(begin + i, k)) / (1 - own);
      }
    }
  });
}

}  // namespace

// Block by block: with P = A_kk^-1, row i of blocks becomes A_ij - A_ik P A_kj, and A_ik -A_ik P.
void invert(Matrix<double>& a) {
  const Index size = a.rows();
  HONE_ASSERT(a.cols() == size);
  for (Index k = 0; k < size; k += kBlock) {
    const Index width = std::min(kBlock, size - k);
    invert_small(&a(k, k), size, width);
    Matrix<double> pivot(width, width), line(width, size);
    for (Index i = 0; i < width; ++i) {
      for (Index j = 0; j < width; ++j) pivot(i, j) = a(k + i, k + j);
    }
    // The line of the pivot: P A_kj, with nothing where the pivot itself is.
    for (Index i = 0; i < width; ++i) {
      for (Index j = 0; j < size; ++j) {
        if (j < k || j >= k + width) line(i, j) = a(k + i, j);
      }
    }
    parallel_for(tasks_of(size, kBlock), [&](Index task) {
      const Index begin = task * kBlock, count = std::min(kBlock, size - begin);
      if (begin == k) return;
      Matrix<double> factor(count, width);
      Gemm<double>(
          {.rows = count, .cols = width, .inner = width, .lda = size, .ldb = width, .ldc = width})(
          factor.data(), &a(begin, k), pivot.data());
      for (Index i = 0; i < count; ++i) {
        for (Index j = 0; j < width; ++j) a(begin + i, k + j) = factor(i, j) = -factor(i, j);
      }
      Gemm<double>({.rows = count,
                    .cols = size,
                    .inner = width,
                    .lda = width,
                    .ldb = size,
                    .ldc = size,
                    .accumulate = true})(&a(begin, 0), factor.data(), line.data());
    });
    parallel_for(tasks_of(size, kBlock), [&](Index task) {
      const Index begin = task * kBlock, count = std::min(kBlock, size - begin);
      if (begin == k) return;
      Gemm<double>(
          {.rows = width, .cols = count, .inner = width, .lda = width, .ldb = size, .ldc = size})(
          &a(k, begin), pivot.data(), &line(0, begin));
    });
  }
}

Index target_count(Index parameters) {
  return parameters + (parameters <= kMostSquared ? parameters * (parameters + 1) / 2 : 0);
}

Matrix<float> regression_targets(MatrixView<const float> theta, std::span<const Index> rows) {
  const Index p = theta.cols(), count = target_count(p);
  Matrix<float> result(theta.rows(), count);
  for (Index i = 0; i < theta.rows(); ++i) std::ranges::copy(theta.row(i), result.row(i).begin());
  Index at = p;
  for (Index k = 0; k < p && count > p; ++k) {
    for (Index l = k; l < p; ++l, ++at) {
      double mean = 0, square = 0;
      for (const Index i : rows) {
        const double value = static_cast<double>(theta(i, k)) * static_cast<double>(theta(i, l));
        mean += value;
        square += value * value;
      }
      const double n = static_cast<double>(rows.size());
      mean /= n;
      const double deviation = std::sqrt(std::max(square / n - mean * mean, 0.0));
      const double scale = deviation > 1e-6 ? 1 / deviation : 0;
      for (Index i = 0; i < theta.rows(); ++i) {
        const double value = static_cast<double>(theta(i, k)) * static_cast<double>(theta(i, l));
        result(i, at) = static_cast<float>((value - mean) * scale);
      }
    }
  }
  return result;
}

namespace {

Sums sums_of(SegmentReader& x, const View& view, MatrixView<const float> targets,
             std::span<const Index> rows) {
  const Index width = padded(targets.cols());
  Sums sums{Matrix<float>(view.size(), padded(view.size())), Matrix<float>(view.size(), width)};
  x.for_segments(rows, 0, [&](const Segment& segment) {
    const Matrix<float> part = inputs_of(segment.x, view);
    add_products(sums.x_x, part, part);
    add_products(sums.x_t, part, gathered(targets, segment.rows, width));
  });
  return sums;
}

// Of one target.
void take_weights(Matrix<float>& weights, Index target, const Candidate& candidate,
                  const View& view) {
  for (Index j = 0; j < weights.rows(); ++j) weights(j, target) = 0;
  for (std::size_t i = 0; i < view.columns.size(); ++i) {
    const Index j = view.columns[i];
    double sum = 0;
    if (view.functions == nullptr) {
      sum = static_cast<double>(candidate.weights(Index(i), target));
    } else {
      for (Index k = 0; k < view.size(); ++k) {
        sum += static_cast<double>((*view.functions)(j, k)) *
               static_cast<double>(candidate.weights(k, target));
      }
    }
    weights(j, target) = static_cast<float>(sum);
  }
}

// Takes over, target by target, what predicts better than the best so far.
void try_penalties(RidgeFit& fit, std::vector<double>& best, SegmentReader& x, const View& view,
                   MatrixView<const float> targets, std::span<const Index> rows) {
  const Index count = targets.cols(), width = padded(count);
  const Sums sums = sums_of(x, view, targets, rows);
  double scale = 0;
  for (Index j = 0; j < view.size(); ++j) {
    scale += static_cast<double>(sums.x_x(j, j)) / double(view.size());
  }
  if (!(scale > 0)) return;
  for (const double penalty : kPenalties) {
    const Candidate candidate = solve(sums, penalty * scale);
    Matrix<float> estimates(std::ssize(rows), count);
    Index done = 0;
    x.for_segments(rows, 0, [&](const Segment& segment) {
      leave_out(estimates.view().rows(done, segment.x.rows()), candidate,
                inputs_of(segment.x, view), gathered(targets, segment.rows, width));
      done += segment.x.rows();
    });
    for (Index k = 0; k < count; ++k) {
      double error = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        error += std::pow(static_cast<double>(estimates(Index(i), k) - targets(rows[i], k)), 2);
      }
      if (!(error < best[std::size_t(k)])) continue;
      best[std::size_t(k)] = error;
      take_weights(fit.weights, k, candidate, view);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        fit.left_out(rows[i], k) = estimates(Index(i), k);
      }
    }
  }
}

}  // namespace

RidgeFit fit_ridge(SegmentReader& x, std::span<const char> columns, MatrixView<const float> targets,
                   std::span<const Index> rows, std::span<const Matrix<float>> bases, bool plain) {
  View view;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j] != 0) view.columns.push_back(static_cast<Index>(j));
  }
  HONE_ASSERT(view.size() > 0 && (!plain || view.size() <= kMostRidgeColumns));
  const Index count = targets.cols();
  RidgeFit fit{Matrix<float>(std::ssize(columns), count), Matrix<float>(targets.rows(), count)};
  std::vector<double> best(std::size_t(count), INFINITY);
  if (plain) try_penalties(fit, best, x, view, targets, rows);
  for (const Matrix<float>& basis : bases) {
    view.functions = &basis;
    try_penalties(fit, best, x, view, targets, rows);
  }
  return fit;
}

}  // namespace hone
