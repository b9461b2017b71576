#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/simulator/simulator.h"

namespace hone {

// The random part of the data where it can be told from the rest: a simulation is then a noiseless
// part, which is expensive and kept in the store, and noise, which is cheap and drawn afresh in
// every epoch of training. A few simulations with ever new noise teach a network what many with
// noise drawn once do.
//
// What the noise needs to know of the parameters must be in the noiseless part, which may be
// shorter or longer than the data.
class NoiseModel {
 public:
  virtual ~NoiseModel() = default;
  virtual Index input_size() const = 0;  // length of the noiseless part
  virtual Index data_size() const = 0;   // length of x

  // x.row(i) = the data for noiseless.row(i), by numbers from streams[i].
  //   x: (n, data_size())  noiseless: (n, input_size())  streams: (n)
  // A row may depend on its own input and stream only. Thread-safe. An exception ends the training.
  virtual void apply(MatrixView<float> x, MatrixView<const float> noiseless,
                     std::span<Rng> streams) const = 0;

  // Why a noiseless part cannot have noise: its simulation then counts as failed.
  virtual Failure check(std::span<const double> /*noiseless*/) const { return std::nullopt; }
};

// x_i = noiseless_i + sigma_i n_i with independent standard normal n: one sigma for all values, or
// one for each. Error{input} unless they are finite, at least 0, and as many as that.
std::unique_ptr<NoiseModel> make_gaussian_noise(Index size, std::span<const double> sigma);

// x = noiseless + n, n normal with this covariance (size, size). Error{input} unless it is square,
// symmetric and positive definite.
std::unique_ptr<NoiseModel> make_gaussian_noise(MatrixView<const double> covariance);

// x_i: a Poisson number with mean noiseless_i. A negative mean fails its simulation.
std::unique_ptr<NoiseModel> make_poisson_noise(Index size);

// Any other: x from the noiseless part and a random stream, row by row.
using NoiseFunction =
    std::function<void(std::span<double> x, std::span<const double> noiseless, Rng& noise)>;
std::unique_ptr<NoiseModel> make_noise(Index input_size, Index data_size, NoiseFunction function);

// A simulator whose x is a noiseless part for this noise.
std::unique_ptr<Simulator> with_noise(std::unique_ptr<Simulator> noiseless,
                                      std::shared_ptr<const NoiseModel> noise);

}  // namespace hone
