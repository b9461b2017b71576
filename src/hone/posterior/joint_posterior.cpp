#include "hone/posterior/joint_posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/posterior/sample_posterior.h"
#include "hone/posterior/tempered_sampling.h"
#include "hone/posterior/weighted_pick.h"

namespace hone {
namespace {

constexpr Index kSamples = 4096;      // for one data vector: a kernel density is 2 % too wide
constexpr Index kBlockSamples = 256;  // for each of many
constexpr std::size_t kRemembered = 600;

std::vector<double> repeated_weights(const AmortizedPosterior& all, std::size_t times) {
  const auto one = all.weights(all.find(joint(all.prior().dimensions())));
  std::vector<double> weights;
  for (std::size_t i = 0; i < times; ++i) weights.insert(weights.end(), one.begin(), one.end());
  return weights;
}

Matrix<float> to_float(const Matrix<double>& points) {
  Matrix<float> result(points.rows(), points.cols());
  std::transform(points.data(), points.data() + points.rows() * points.cols(), result.data(),
                 [](double value) { return static_cast<float>(value); });
  return result;
}

constexpr Index kParticlesOfConstants = 512;

// log of the weighted mean of the networks' densities; column i of (networks, n).
double log_average(const Matrix<float>& values, std::span<const double> weights, Index i) {
  double peak = -std::numeric_limits<double>::infinity(), sum = 0;
  for (Index e = 0; e < values.rows(); ++e) {
    if (weights[static_cast<std::size_t>(e)] == 0) continue;
    peak = std::max(peak, static_cast<double>(values(e, i)));
  }
  if (!std::isfinite(peak)) return peak;
  for (Index e = 0; e < values.rows(); ++e) {
    const double weight = weights[static_cast<std::size_t>(e)];
    if (weight > 0) sum += weight * std::exp(static_cast<double>(values(e, i)) - peak);
  }
  return peak + std::log(sum);
}

}  // namespace

JointPosterior::JointPosterior(SharedPosterior all, const std::vector<Marginal>& marginals)
    : AmortizedPosterior(all->prior(), marginals, all->ensemble(),
                         repeated_weights(*all, marginals.size())),
      all_(std::move(all)),
      joint_(all_->find(joint(all_->prior().dimensions()))) {}

bool JointPosterior::is_joint(Index marginal) const {
  return std::ssize(marginals()[static_cast<std::size_t>(marginal)]) == prior().dimensions();
}

std::vector<Marginal> JointPosterior::trained() const {
  return {joint(prior().dimensions())};
}

// log of the integral of what each network says, up to one constant for all of them; 0 where they
// are normalised. From draws of their geometric mean, whose shape knows nothing of the constants.
std::vector<double> JointPosterior::log_constants(const Matrix<float>& features,
                                                  const Rng& rng) const {
  std::vector<double> constants(static_cast<std::size_t>(ensemble()), 0.0);
  if (all_->normalized() || ensemble() == 1) return constants;
  const auto weights = all_->weights(joint_);
  const auto log_mean = [&](const Matrix<float>& values, Index i) {
    double sum = 0;
    for (int e = 0; e < ensemble(); ++e) {
      sum += weights[static_cast<std::size_t>(e)] * static_cast<double>(values(e, i));
    }
    return sum;
  };
  const auto log_densities = [&](const Matrix<double>& points) {
    const Matrix<float> values = all_->log_densities(joint_, features, to_float(points));
    std::vector<double> result;
    for (Index i = 0; i < points.rows(); ++i) result.push_back(log_mean(values, i));
    return result;
  };
  const Matrix<double> points = tempered_samples(log_densities, prior().dimensions(), rng,
                                                 {.particles = kParticlesOfConstants})
                                    .points;
  const Matrix<float> values = all_->log_densities(joint_, features, to_float(points));
  for (int e = 0; e < ensemble(); ++e) {
    std::vector<double> differences;
    for (Index i = 0; i < points.rows(); ++i) {
      differences.push_back(static_cast<double>(values(e, i)) - log_mean(values, i));
    }
    const double peak = std::ranges::max(differences);
    double sum = 0;
    for (const double difference : differences) sum += std::exp(difference - peak);
    constants[static_cast<std::size_t>(e)] = peak + std::log(sum);
  }
  return constants;
}

JointPosterior::Samples JointPosterior::draw(const Matrix<float>& features, Index count,
                                             const Rng& rng) const {
  const auto network_weights = all_->weights(joint_);
  const TruncatedPrior& prior = this->prior();
  const std::vector<double> constants = log_constants(features, rng.child("constants"));
  const auto log_densities = [&](const Matrix<double>& points) {
    Matrix<float> values = all_->log_densities(joint_, features, to_float(points));
    for (int e = 0; e < ensemble(); ++e) {
      const auto constant = static_cast<float>(constants[static_cast<std::size_t>(e)]);
      for (float& value : values.row(e)) value -= constant;
    }
    return values;
  };
  const auto log_density = [&](const Matrix<double>& points) {
    const Matrix<float> values = log_densities(points);
    std::vector<double> result(static_cast<std::size_t>(points.rows()));
    for (Index i = 0; i < points.rows(); ++i) {
      result[static_cast<std::size_t>(i)] = log_average(values, network_weights, i);
    }
    return result;
  };
  Samples samples{
      tempered_samples(log_density, prior.dimensions(), rng, {.particles = count}).points, {}};
  // r_e over their average is at most 1 / weight of the network.
  const Matrix<float> values = log_densities(samples.local);
  for (Index e = 0; e < values.rows(); ++e) {
    std::vector<double> weights;
    for (Index i = 0; i < count; ++i) {
      weights.push_back(
          std::exp(static_cast<double>(values(e, i)) - log_average(values, network_weights, i)));
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    // A network without a say in the average may see nothing of what is there.
    for (double& w : weights) w = sum > 0 ? w / sum : 1.0 / static_cast<double>(count);
    samples.weights.push_back(std::move(weights));
  }
  return samples;
}

std::shared_ptr<const JointPosterior::Samples> JointPosterior::samples_at(
    std::span<const float> features, Index count) const {
  const std::pair key{std::vector<float>(features.begin(), features.end()), count};
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  Matrix<float> row(1, std::ssize(features));
  std::ranges::copy(features, row.row(0).begin());
  auto samples = std::make_shared<const Samples>(draw(row, count, Rng(0).child("projection")));
  const std::scoped_lock lock(mutex_);
  if (known_.size() >= kRemembered) known_.clear();
  known_[key] = samples;
  return samples;
}

void JointPosterior::project(Matrix<float>& out, Index marginal, const Samples& samples,
                             MatrixView<const float> local, Index selection) const {
  const Marginal& parameters = marginals()[static_cast<std::size_t>(marginal)];
  for (std::size_t e = 0; e < samples.weights.size(); ++e) {
    Matrix<double> points(samples.local.rows(), samples.local.cols());
    std::copy_n(samples.local.data(), points.rows() * points.cols(), points.data());
    const SampleDensity density(prior(), parameters, {std::move(points), samples.weights[e]},
                                selection);
    density.log_densities(out.row(static_cast<Index>(e)), local);
  }
}

Matrix<float> JointPosterior::log_densities(Index marginal, const Matrix<float>& features,
                                            MatrixView<const float> local) const {
  if (is_joint(marginal)) return all_->log_densities(joint_, features, local);
  Matrix<float> out(ensemble(), local.rows());
  project(out, marginal, *samples_at(features.row(0), kSamples), local, 400);
  return out;
}

std::vector<Matrix<float>> JointPosterior::log_density_blocks(Index marginal,
                                                              MatrixView<const float> features,
                                                              MatrixView<const float> local) const {
  if (is_joint(marginal)) return all_->log_density_blocks(joint_, features, local);
  const Index n = features.rows(), m = local.rows() / n;
  std::vector<Matrix<float>> result;
  result.reserve(static_cast<std::size_t>(ensemble()));
  for (int e = 0; e < ensemble(); ++e) result.emplace_back(n, m);
  parallel_for(n, [&](Index i) {
    Matrix<float> out(ensemble(), m);
    project(out, marginal, *samples_at(features.row(i), kBlockSamples), local.rows(i * m, m), 100);
    for (int e = 0; e < ensemble(); ++e) {
      std::ranges::copy(out.row(e), result[static_cast<std::size_t>(e)].row(i).begin());
    }
  });
  return result;
}

std::optional<Matrix<double>> JointPosterior::joint_samples(std::span<const double> x, Index rows,
                                                            const Rng& rng) const {
  if (auto exact = all_->joint_samples(x, rows, rng)) return exact;
  const Index count = std::clamp<Index>(rows + rows % 2, 1024, 16384);
  const Samples samples = draw(features(x), count, rng.child("tempered"));
  // A network by its weight, then a point by the network's.
  const WeightedPick pick_network(all_->weights(joint_));
  std::vector<WeightedPick> pick_point;
  for (const auto& weights : samples.weights) pick_point.emplace_back(weights);
  Matrix<double> chosen(rows, samples.local.cols());
  Rng pick = rng.child("pick");
  for (Index i = 0; i < rows; ++i) {
    const auto network = static_cast<std::size_t>(pick_network(pick));
    std::ranges::copy(samples.local.row(pick_point[network](pick)), chosen.row(i).begin());
  }
  return local_to_theta(prior(), chosen);
}

SharedPosterior JointPosterior::with_marginals(const std::vector<Marginal>& marginals) const {
  return std::make_shared<const JointPosterior>(all_, marginals);
}

std::vector<NamedArray> JointPosterior::to_arrays() const {
  std::vector<NamedArray> arrays = all_->to_arrays();
  std::erase_if(arrays, [](const NamedArray& array) { return array.name == kMarginalsArray; });
  arrays.push_back(marginals_to_array(marginals()));
  return arrays;
}

}  // namespace hone
