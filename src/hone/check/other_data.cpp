#include "hone/check/other_data.h"

#include <algorithm>

#include "hone/check/misspecification.h"
#include "hone/run/finished_run.h"

namespace hone {
namespace {

constexpr Index kMostRows = 4000;
constexpr Index kMostBytes = Index{128} << 20;

}  // namespace

std::optional<CheckResult> compare_with_simulations(const RunDirectory& run,
                                                    const AmortizedPosterior& networks,
                                                    std::span<const double> x) {
  const RunSpec& spec = run.spec();
  if (spec.noise.kind == NoiseKind::simulator) return std::nullopt;
  const RunData own = training_data(run, networks.prior().region());
  const Index row_bytes = own.rows.x->cols() * static_cast<Index>(sizeof(float));
  const Index most = std::clamp<Index>(kMostBytes / row_bytes, 1, kMostRows);
  std::vector<Index> even, odd;  // one half sets the scale, the other is compared with
  for (Index i = 0; i < std::min(most, own.rows.rows()); ++i) (i % 2 ? odd : even).push_back(i);
  const auto read = [&](const std::vector<Index>& rows) {
    Matrix<float> values(std::ssize(rows), own.rows.x->cols());
    own.rows.x->read(values, rows);
    return values;
  };
  const Matrix<float> reference = read(even), draws = read(odd);
  const Matrix<float> reference_features = networks.quick().features(reference);
  const Matrix<float> features = networks.quick().features(draws),
                      observed = networks.quick().features(x);
  const Misspecification found = measure_typicality(
      {reference_features, features, observed.row(0), reference, draws, x, spec.data});
  if (found.measures.empty()) return std::nullopt;
  return typicality_result(found);
}

}  // namespace hone
