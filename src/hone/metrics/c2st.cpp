#include "hone/metrics/c2st.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/metrics/sample_checks.h"

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
  constexpr double kSharedRows = 1.4;
  return kSharedRows * std::sqrt(0.125 / static_cast<double>(draws_per_sample));
}

namespace {

struct ViewPair {
  MatrixView<const double> a, b;
};

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

ShuffledRows shuffled_rows(const ViewPair& pair, const std::string& what, Rng rng) {
  const Index n = std::min(pair.a.rows(), pair.b.rows()), cols = pair.a.cols();
  const auto a = pair.a.rows(0, n), b = pair.b.rows(0, n);
  const ColumnMoments moments = column_moments(a, what);
  const Matrix<double> first = z_scored(a, moments), second = z_scored(b, moments);
  ShuffledRows out{Matrix<float>(2 * n, cols), {}};
  Index to = 0;
  for (const Index from : rng.permutation(2 * n)) {
    const bool is_second = from >= n;
    const std::span<const double> row = is_second ? second.row(from - n) : first.row(from);
    std::ranges::transform(row, out.x.row(to++).begin(),
                           [](double value) { return static_cast<float>(value); });
    out.labels.push_back(is_second ? 1.0F : 0.0F);
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

std::vector<Index> own_pieces(Index count, const ProcessGroup& group) {
  std::vector<Index> mine;
  for (Index piece = 0; piece < count; ++piece) {
    if (group.mine(piece)) mine.push_back(piece);
  }
  return mine;
}

std::vector<double> c2st_of(std::span<const ViewPair> pairs, const C2stOptions& options,
                            const Rng& rng, Observer& observer, ProcessGroup& group) {
  options.validate();
  std::vector<ShuffledRows> rows;
  const auto stream = [&](std::size_t pair) { return rng.child("c2st", pair); };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string what = fmt::format("c2st, pair {}", i + 1);
    check_comparable(pairs[i].a, pairs[i].b, options.folds, what);
    rows.push_back(shuffled_rows(pairs[i], what, stream(i).child("folds")));
  }

  const Index folds = options.folds, tasks = static_cast<Index>(pairs.size()) * folds;
  std::vector<double> accuracies(static_cast<std::size_t>(tasks));
  const std::vector<Index> mine = own_pieces(tasks, group);
  std::mutex observing;
  Index done = 0;
  observer.stage_started("c2st", std::ssize(mine));
  parallel_for(std::ssize(mine), [&](Index i) {
    const Index task = mine[static_cast<std::size_t>(i)];
    const auto pair = static_cast<std::size_t>(task / folds);
    const auto fold = static_cast<int>(task % folds);
    accuracies[static_cast<std::size_t>(task)] = fold_accuracy(
        rows[pair], fold, options, stream(pair).child("fold", static_cast<std::uint64_t>(fold)));
    const std::lock_guard lock(observing);
    observer.stage_advanced("c2st", ++done, std::ssize(mine));
    stop_if_requested(observer);
  });
  std::vector<SharedPart> parts;
  for (Index task = 0; task < tasks; ++task) {
    parts.push_back(shared_part(task, std::span(accuracies).subspan(std::size_t(task), 1)));
  }
  group.exchange(parts);
  observer.stage_finished("c2st");

  std::vector<double> values;
  for (auto first = accuracies.begin(); first != accuracies.end(); first += folds) {
    values.push_back(std::accumulate(first, first + folds, 0.0) / static_cast<double>(folds));
  }
  return values;
}

}  // namespace

std::vector<double> c2st(std::span<const SamplePair> pairs, const C2stOptions& options,
                         const Rng& rng, Observer& observer, ProcessGroup& group) {
  std::vector<ViewPair> views;
  for (const SamplePair& pair : pairs) views.push_back({pair.a, pair.b});
  return c2st_of(views, options, rng, observer, group);
}

double c2st(MatrixView<const double> a, MatrixView<const double> b, const C2stOptions& options,
            const Rng& rng) {
  const ViewPair pair{a, b};
  return c2st_of({&pair, 1}, options, rng, silent_observer(), single_process()).front();
}

}  // namespace hone
