#include "hone/simulator/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "hone/core/error.h"
#include "hone/simulator/noise_factor.h"

namespace hone {
namespace {

// Noise that leaves the number of values as it is.
class SameSizeNoise : public NoiseModel {
 public:
  explicit SameSizeNoise(Index size) : size_(size) {}
  Index input_size() const override { return size_; }
  Index data_size() const override { return size_; }

 private:
  Index size_;
};

class IndependentNoise final : public SameSizeNoise {
 public:
  explicit IndependentNoise(std::vector<float> sigma)
      : SameSizeNoise(std::ssize(sigma)), sigma_(std::move(sigma)) {}

  void apply(MatrixView<float> x, MatrixView<const float> noiseless,
             std::span<Rng> streams) const override {
    for (Index i = 0; i < x.rows(); ++i) {
      const std::span<float> row = x.row(i);
      streams[static_cast<std::size_t>(i)].fill_normal(row);
      const float* mean = noiseless.row(i).data();
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = mean[j] + sigma_[j] * row[j];
    }
  }

 private:
  std::vector<float> sigma_;
};

class CorrelatedNoise final : public SameSizeNoise {
 public:
  explicit CorrelatedNoise(MatrixView<const double> covariance)
      : SameSizeNoise(covariance.rows()), factor_(noise_factor(covariance)) {}

  void apply(MatrixView<float> x, MatrixView<const float> noiseless,
             std::span<Rng> streams) const override {
    Matrix<float> normals(x.rows(), x.cols());
    for (Index i = 0; i < x.rows(); ++i) {
      streams[static_cast<std::size_t>(i)].fill_normal(normals.row(i));
      std::ranges::copy(noiseless.row(i), x.row(i).begin());
    }
    add_product(x, normals, factor_);
  }

 private:
  Matrix<float> factor_;  // upper triangle U; the covariance is U^T U
};

class PoissonNoise final : public SameSizeNoise {
 public:
  using SameSizeNoise::SameSizeNoise;

  void apply(MatrixView<float> x, MatrixView<const float> noiseless,
             std::span<Rng> streams) const override {
    for (Index i = 0; i < x.rows(); ++i) {
      Rng& stream = streams[static_cast<std::size_t>(i)];
      for (Index j = 0; j < x.cols(); ++j) {
        x(i, j) = static_cast<float>(stream.poisson(static_cast<double>(noiseless(i, j))));
      }
    }
  }

  Failure check(std::span<const double> noiseless) const override {
    constexpr double kLargestMean = 1e15;  // counts are 64-bit integers
    for (std::size_t j = 0; j < noiseless.size(); ++j) {
      if (noiseless[j] >= 0 && noiseless[j] <= kLargestMean) continue;
      return fmt::format("x[{}] = {:.3g} cannot be the mean of Poisson noise; must lie in 0 .. {}",
                         j, noiseless[j], kLargestMean);
    }
    return std::nullopt;
  }
};

// Noise is added in single precision.
void check_not_lost(const std::string& place, double sigma) {
  if (sigma == 0 || sigma >= static_cast<double>(std::numeric_limits<float>::min())) return;
  fail_value(place, sigma,
             "single precision, in which noise is added, ends at 1e-38; give this part of the data "
             "in another unit, or 0 where there is no noise");
}

class FunctionNoise final : public NoiseModel {
 public:
  FunctionNoise(Index input_size, Index data_size, NoiseFunction function)
      : input_size_(input_size), data_size_(data_size), function_(std::move(function)) {}
  Index input_size() const override { return input_size_; }
  Index data_size() const override { return data_size_; }

  void apply(MatrixView<float> x, MatrixView<const float> noiseless,
             std::span<Rng> streams) const override {
    std::vector<double> in(static_cast<std::size_t>(input_size_));
    std::vector<double> out(static_cast<std::size_t>(data_size_));
    for (Index i = 0; i < x.rows(); ++i) {
      std::ranges::copy(noiseless.row(i), in.begin());
      function_(out, in, streams[static_cast<std::size_t>(i)]);
      std::ranges::transform(out, x.row(i).begin(), [](double v) { return static_cast<float>(v); });
    }
  }

 private:
  Index input_size_, data_size_;
  NoiseFunction function_;
};

class NoisySimulator final : public Simulator {
 public:
  NoisySimulator(std::unique_ptr<Simulator> noiseless, std::shared_ptr<const NoiseModel> noise)
      : noiseless_(std::move(noiseless)), noise_(std::move(noise)) {}
  Index data_size() const override { return noiseless_->data_size(); }
  bool concurrent() const override { return noiseless_->concurrent(); }
  const NoiseModel* noise() const override { return noise_.get(); }
  void simulate(MatrixView<double> x, std::span<Failure> failures,
                const SimulationBatch& batch) override {
    noiseless_->simulate(x, failures, batch);
  }

 private:
  std::unique_ptr<Simulator> noiseless_;
  std::shared_ptr<const NoiseModel> noise_;
};

}  // namespace

std::unique_ptr<NoiseModel> make_gaussian_noise(Index size, std::span<const double> sigma) {
  if (sigma.size() != 1 && std::ssize(sigma) != size) {
    fail_place("noise.sigma", fmt::format("it has {} numbers; must be one, or {}, as the data have",
                                          sigma.size(), size));
  }
  std::vector<float> each;
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    if (!(sigma[i] >= 0) || !std::isfinite(static_cast<float>(sigma[i]))) {
      fail_value(fmt::format("noise.sigma[{}]", i), sigma[i],
                 "must be a finite number, 0 or greater");
    }
    check_not_lost(fmt::format("noise.sigma[{}]", i), sigma[i]);
    each.push_back(static_cast<float>(sigma[i]));
  }
  if (each.size() == 1) each.resize(static_cast<std::size_t>(size), each[0]);
  return std::make_unique<IndependentNoise>(std::move(each));
}

std::unique_ptr<NoiseModel> make_gaussian_noise(MatrixView<const double> covariance) {
  for (Index i = 0; i < std::min(covariance.rows(), covariance.cols()); ++i) {
    const double sigma = std::sqrt(covariance(i, i));
    if (sigma > 0) check_not_lost(fmt::format("sigma of noise.covariance[{0}][{0}]", i), sigma);
  }
  return std::make_unique<CorrelatedNoise>(covariance);
}

std::unique_ptr<NoiseModel> make_poisson_noise(Index size) {
  return std::make_unique<PoissonNoise>(size);
}

std::unique_ptr<NoiseModel> make_noise(Index input_size, Index data_size, NoiseFunction function) {
  HONE_ASSERT(input_size >= 1 && data_size >= 1 && function != nullptr);
  return std::make_unique<FunctionNoise>(input_size, data_size, std::move(function));
}

std::unique_ptr<Simulator> with_noise(std::unique_ptr<Simulator> noiseless,
                                      std::shared_ptr<const NoiseModel> noise) {
  HONE_ASSERT(noiseless != nullptr && noise != nullptr);
  if (noiseless->data_size() != noise->input_size()) {
    fail(ErrorKind::input, "the simulator makes {} values, its noise takes {}",
         noiseless->data_size(), noise->input_size());
  }
  return std::make_unique<NoisySimulator>(std::move(noiseless), std::move(noise));
}

}  // namespace hone
