#include "hone/metrics/c2st.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "hone/core/error.h"
#include "hone/core/parallel.h"

namespace hone {

void C2stOptions::validate() const {
  if (folds < 2) fail(ErrorKind::input, "c2st.folds = {}: must be 2 or greater", folds);
  if (hidden_per_dimension < 1) {
    fail(ErrorKind::input, "c2st.hidden_per_dimension = {}: must be 1 or greater",
         hidden_per_dimension);
  }
  classifier.validate();
}

double c2st_noise(Index draws_per_sample) {
  return std::sqrt(0.125 / static_cast<double>(draws_per_sample));
}

namespace {

struct ViewPair {
  MatrixView<const double> a, b;
};

void check_finite_rows(MatrixView<const double> sample, std::size_t pair, const char* name) {
  for (Index i = 0; i < sample.rows(); ++i) {
    for (Index j = 0; j < sample.cols(); ++j) {
      if (!std::isfinite(sample(i, j))) {
        fail(ErrorKind::input,
             "c2st, pair {}: row {}, column {} of sample {} is {}: all values "
             "must be finite",
             pair + 1, i + 1, j + 1, name, sample(i, j));
      }
    }
  }
}

void check_pair(const ViewPair& pair, std::size_t number, int folds) {
  if (pair.a.cols() != pair.b.cols() || pair.a.cols() < 1) {
    fail(ErrorKind::input,
         "c2st, pair {}: the samples have {} and {} columns; give the same number, at least one",
         number + 1, pair.a.cols(), pair.b.cols());
  }
  const Index rows = std::min(pair.a.rows(), pair.b.rows());
  if (rows < folds) {
    fail(ErrorKind::input, "c2st, pair {}: only {} rows; at least as many as folds ({}) are needed",
         number + 1, rows, folds);
  }
  check_finite_rows(pair.a, number, "a");
  check_finite_rows(pair.b, number, "b");
}

// Mean and standard deviation (n - 1) of the columns of the first `rows` rows.
struct ColumnMoments {
  std::vector<double> mean, deviation;
};

ColumnMoments column_moments(MatrixView<const double> sample, Index rows, std::size_t pair) {
  ColumnMoments moments;
  for (Index j = 0; j < sample.cols(); ++j) {
    double sum = 0, square = 0;
    for (Index i = 0; i < rows; ++i) sum += sample(i, j);
    const double mean = sum / static_cast<double>(rows);
    for (Index i = 0; i < rows; ++i) square += (sample(i, j) - mean) * (sample(i, j) - mean);
    const double deviation = std::sqrt(square / static_cast<double>(rows - 1));
    if (!(deviation > 0)) {
      fail(ErrorKind::input,
           "c2st, pair {}: column {} of sample a is {} in every row; a constant column cannot be "
           "z-scored, leave it out",
           pair + 1, j + 1, sample(0, j));
    }
    moments.mean.push_back(mean);
    moments.deviation.push_back(deviation);
  }
  return moments;
}

// One pair, z-scored and in the order of its folds: fold f holds a run of consecutive rows.
struct ShuffledRows {
  Matrix<float> x;  // (2 n, d)
  std::vector<float> labels;

  // Folds of 2 n / folds rows; the first ones are longer by one where that is not whole.
  Index fold_begin(int fold, int folds) const {
    const Index rows = x.rows();
    return fold * (rows / folds) + std::min<Index>(fold, rows % folds);
  }
};

ShuffledRows shuffled_rows(const ViewPair& pair, std::size_t number, Rng rng) {
  const Index n = std::min(pair.a.rows(), pair.b.rows()), cols = pair.a.cols();
  const ColumnMoments moments = column_moments(pair.a, n, number);
  ShuffledRows out{Matrix<float>(2 * n, cols), {}};
  Index to = 0;
  for (const Index from : rng.permutation(2 * n)) {
    const bool second = from >= n;
    const std::span<const double> row = second ? pair.b.row(from - n) : pair.a.row(from);
    for (Index j = 0; j < cols; ++j) {
      const auto column = static_cast<std::size_t>(j);
      out.x(to, j) =
          static_cast<float>((row[column] - moments.mean[column]) / moments.deviation[column]);
    }
    out.labels.push_back(second ? 1.0F : 0.0F);
    ++to;
  }
  return out;
}

double fold_accuracy(const ShuffledRows& rows, int fold, const C2stOptions& options,
                     const Rng& rng) {
  const Index begin = rows.fold_begin(fold, options.folds);
  const Index end = rows.fold_begin(fold + 1, options.folds);
  const Index cols = rows.x.cols(), kept = rows.x.rows() - (end - begin);
  Matrix<float> x(kept, cols);
  const float* all = rows.x.data();
  std::copy(all + end * cols, all + rows.x.rows() * cols,
            std::copy(all, all + begin * cols, x.data()));
  std::vector<float> labels(rows.labels.begin(), rows.labels.begin() + begin);
  labels.insert(labels.end(), rows.labels.begin() + end, rows.labels.end());
  const LabelledRows held_out{
      rows.x.view().rows(begin, end - begin),
      std::span(rows.labels).subspan(std::size_t(begin), std::size_t(end - begin))};
  ClassifierOptions classifier = options.classifier;
  classifier.hidden = options.hidden_per_dimension * static_cast<int>(cols);
  return held_out_accuracy({x, labels}, held_out, classifier, rng);
}

std::vector<double> c2st_of(std::span<const ViewPair> pairs, const C2stOptions& options,
                            const Rng& rng, Observer& observer) {
  options.validate();
  std::vector<ShuffledRows> rows;
  const auto stream = [&](std::size_t pair) { return rng.child("c2st", pair); };
  for (std::size_t i = 0; i < pairs.size(); ++i) check_pair(pairs[i], i, options.folds);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    rows.push_back(shuffled_rows(pairs[i], i, stream(i).child("folds")));
  }

  const Index folds = options.folds, tasks = static_cast<Index>(pairs.size()) * folds;
  std::vector<double> accuracies(static_cast<std::size_t>(tasks));
  std::mutex observing;
  Index done = 0;
  observer.stage_started("c2st", tasks);
  parallel_for(tasks, [&](Index task) {
    const auto pair = static_cast<std::size_t>(task / folds);
    const auto fold = static_cast<int>(task % folds);
    accuracies[static_cast<std::size_t>(task)] = fold_accuracy(
        rows[pair], fold, options, stream(pair).child("fold", static_cast<std::uint64_t>(fold)));
    const std::lock_guard lock(observing);
    observer.stage_advanced("c2st", ++done, tasks);
    stop_if_requested(observer);
  });
  observer.stage_finished("c2st");

  std::vector<double> values;
  for (auto first = accuracies.begin(); first != accuracies.end(); first += folds) {
    values.push_back(std::accumulate(first, first + folds, 0.0) / static_cast<double>(folds));
  }
  return values;
}

}  // namespace

std::vector<double> c2st(std::span<const SamplePair> pairs, const C2stOptions& options,
                         const Rng& rng, Observer& observer) {
  std::vector<ViewPair> views;
  for (const SamplePair& pair : pairs) views.push_back({pair.a, pair.b});
  return c2st_of(views, options, rng, observer);
}

double c2st(MatrixView<const double> a, MatrixView<const double> b, const C2stOptions& options,
            const Rng& rng) {
  const ViewPair pair{a, b};
  return c2st_of({&pair, 1}, options, rng, silent_observer()).front();
}

}  // namespace hone
