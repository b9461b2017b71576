#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/bench/published.h"
#include "hone/bench/row.h"

namespace hone {

// Mean over observations, each being the mean over its seeds. The standard error is that of the
// scatter between observations; NaN for a single one.
struct MeanScore {
  double mean = 0;
  double standard_error = 0;
  int count = 0;  // observations
};
MeanScore mean_score(const std::vector<double>& values);

// Rows with one setting: a line in a figure, a block of a table.
struct BenchVariant {
  std::string method, preset, options, reference;
  bool operator==(const BenchVariant&) const = default;
};
std::string to_string(const BenchVariant& variant);  // "tmnre, default preset, epsilon=0.001"
std::vector<BenchVariant> variants_of(const std::vector<BenchRow>& rows);

enum class MarginalKind { one_dimensional, two_dimensional, joint };
// Those that every method has.
inline constexpr MarginalKind kMarginalKinds[] = {MarginalKind::one_dimensional,
                                                  MarginalKind::two_dimensional};
double c2st_of(const BenchScores& scores, MarginalKind kind);
std::optional<double> c2st_of(const PublishedScore& score, MarginalKind kind);

// hone beside the published methods on one task with one budget: the same observations on both
// sides, as far as they were published. Beside rows with native references, whose observations are
// others, nothing is published.
struct Comparison {
  MeanScore hone;
  std::optional<double> tmnre;       // the paper's
  std::optional<double> best_other;  // of the eight other methods
  std::string best_method;
  std::optional<double> median_other;
  std::optional<double> same;  // the published one of hone's own method

  // What hone must stay below: the paper's TMNRE. For gaussian_linear the paper ran with a wrong
  // prior (a precision taken for a standard deviation): there it is the median of the others.
  std::optional<double> mark;
  bool wins() const { return mark && hone.mean < *mark; }
};

struct ComparisonCell {
  std::string task;
  Index budget = 0;
  int runs = 0;
  int not_converged = 0;
  Comparison by_kind[2];  // as kMarginalKinds
  Comparison joint;       // of all parameters; NaN if the method has no such posterior
  double seconds = 0;     // simulate, train and sample: mean over runs
  std::optional<double> tmnre_seconds;  // the paper's, mean over the same observations
};

// One per task and budget, in the order of the rows.
std::vector<ComparisonCell> compare(const std::vector<BenchRow>& rows, const BenchVariant& variant,
                                    const std::vector<PublishedScore>& published);

// The mean of a published method over these observations; nothing if none was published.
std::optional<MeanScore> published_mean(const std::vector<PublishedScore>& published,
                                        const std::string& method, const std::string& task,
                                        Index budget, const std::vector<int>& observations,
                                        MarginalKind kind);

// By task, in the order of the paper's figure, then budget, observation, seed and setting: the same
// for any order in which the runs came to an end.
std::vector<BenchRow> in_table_order(std::vector<BenchRow> rows);

// Observations that rows of this task and budget have, ascending.
std::vector<int> observations_of(const std::vector<BenchRow>& rows, const BenchVariant& variant,
                                 const std::string& task, Index budget);

// All variants as Markdown, a table each.
std::string comparison_markdown(const std::vector<BenchRow>& rows,
                                const std::vector<PublishedScore>& published);

}  // namespace hone
