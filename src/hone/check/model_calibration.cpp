#include "hone/check/model_calibration.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "hone/core/error.h"

namespace hone {
namespace {

constexpr std::array<double, 8> kBinEdges{0, 0.02, 0.1, 0.3, 0.7, 0.9, 0.98, 1};
// Fewer draws in doubt than this say nothing about the slope.
constexpr double kFewestInDoubt = 5;
constexpr double kCaution = 0.01, kFail = 1e-4;
// What a large number of draws can see, and nobody would mind.
constexpr double kNoticeableSlope = 0.1;

// One held-out simulation, seen from one model.
struct Prediction {
  double log_odds = 0;  // of the model against all others
  bool real = false;

  double probability() const { return 1 / (1 + std::exp(-log_odds)); }
};

// log of the frequency of each model.
std::vector<double> log_frequencies(std::span<const int> model, Index models) {
  std::vector<double> counts(static_cast<std::size_t>(models));
  for (const int one : model) ++counts[static_cast<std::size_t>(one)];
  for (double& count : counts) count = std::log(count / static_cast<double>(model.size()));
  return counts;
}

std::vector<Prediction> predictions(MatrixView<const double> log_odds, std::span<const int> model,
                                    int of) {
  const std::vector<double> prior = log_frequencies(model, log_odds.cols());
  std::vector<Prediction> result;
  for (Index i = 0; i < log_odds.rows(); ++i) {
    // Models that are impossible must not lose the odds of the others in rounding.
    std::vector<double> others;
    for (int m = 0; m < log_odds.cols(); ++m) {
      if (m == of) continue;
      others.push_back(log_odds(i, m) + prior[static_cast<std::size_t>(m)]);
    }
    const double peak = std::ranges::max(others);
    double sum = 0;
    for (const double other : others) sum += std::exp(other - peak);
    const double own = log_odds(i, of) + prior[static_cast<std::size_t>(of)];
    constexpr double kMost = 500;
    result.push_back({std::clamp(own - peak - std::log(sum), -kMost, kMost),
                      model[static_cast<std::size_t>(i)] == of});
  }
  return result;
}

std::vector<ReliabilityBin> bins_of(const std::vector<Prediction>& predictions) {
  std::vector<ReliabilityBin> bins;
  for (std::size_t b = 0; b + 1 < kBinEdges.size(); ++b) {
    bins.push_back({.low = kBinEdges[b], .high = kBinEdges[b + 1]});
  }
  for (const Prediction& one : predictions) {
    const double p = one.probability();
    auto bin = std::ranges::find_if(bins, [&](const ReliabilityBin& b) { return p <= b.high; });
    if (bin == bins.end()) --bin;
    ++bin->draws;
    bin->predicted += p;
    bin->real += one.real ? 1 : 0;
  }
  std::erase_if(bins, [](const ReliabilityBin& bin) { return bin.draws == 0; });
  for (ReliabilityBin& bin : bins) {
    bin.predicted /= static_cast<double>(bin.draws);
    bin.real /= static_cast<double>(bin.draws);
  }
  return bins;
}

// The score test of bias 0 and slope 1: U^T I^-1 U with the gradient U of the log likelihood there
// and the information I. One Newton step from there estimates how far off they are.
ModelReliability reliability(const std::vector<Prediction>& predictions, int model) {
  double u0 = 0, u1 = 0, i00 = 0, i01 = 0, i11 = 0;
  for (const Prediction& one : predictions) {
    const double p = one.probability(), l = one.log_odds, weight = p * (1 - p);
    const double residual = (one.real ? 1 : 0) - p;
    u0 += residual;
    u1 += residual * l;
    i00 += weight;
    i01 += weight * l;
    i11 += weight * l * l;
  }
  ModelReliability result{.model = model, .bins = bins_of(predictions)};
  const double determinant = i00 * i11 - i01 * i01;
  if (!(determinant > 1e-9 * i00 * i11)) return result;  // nothing in doubt, or all odds the same
  const double bias = (i11 * u0 - i01 * u1) / determinant;
  const double stretch = (i00 * u1 - i01 * u0) / determinant;
  result.bias = bias;
  result.slope = 1 + stretch;
  result.bias_error = std::sqrt(i11 / determinant);
  result.slope_error = std::sqrt(i00 / determinant);
  result.probability = std::exp(-(u0 * bias + u1 * stretch) / 2);
  return result;
}

double in_doubt(const std::vector<Prediction>& predictions) {
  double sum = 0;
  for (const Prediction& one : predictions) sum += one.probability() * (1 - one.probability());
  return sum;
}

void judge(ModelCalibration& found) {
  if (found.in_doubt < kFewestInDoubt) {
    found.status = Status::unclear;
    found.reason = fmt::format(
        "for almost all of {} held-out simulations it is clear which model made them, so the size "
        "of the odds cannot be tested",
        found.draws);
    return;
  }
  const ModelReliability& worst = *std::ranges::min_element(
      found.models, {}, [](const ModelReliability& one) { return one.probability; });
  const double p = std::min(1.0, worst.probability * static_cast<double>(found.models.size()));
  const bool noticeable =
      std::abs(worst.slope - 1) > kNoticeableSlope || std::abs(worst.bias) > kNoticeableSlope;
  if (p <= kCaution && noticeable) found.status = p <= kFail ? Status::fail : Status::caution;
  found.reason = fmt::format(
      "the probabilities of {} held-out simulations {}: the real log odds are {:.2f} +- "
      "{:.2f} times the stated ones, shifted by {:.2f} +- {:.2f} (p = {:.2g})",
      found.draws, found.status == Status::pass ? "are right" : "are wrong", worst.slope,
      worst.slope_error, worst.bias, worst.bias_error, p);
}

}  // namespace

ModelCalibration test_reliability(MatrixView<const double> log_odds, std::span<const int> model) {
  HONE_ASSERT(log_odds.rows() == std::ssize(model) && log_odds.cols() >= 2);
  ModelCalibration found{.draws = log_odds.rows()};
  const int models = log_odds.cols() == 2 ? 1 : static_cast<int>(log_odds.cols());
  for (int m = 0; m < models; ++m) {
    const std::vector<Prediction> own = predictions(log_odds, model, m);
    found.models.push_back(reliability(own, m));
    found.in_doubt = std::max(found.in_doubt, in_doubt(own));
  }
  judge(found);
  return found;
}

}  // namespace hone
