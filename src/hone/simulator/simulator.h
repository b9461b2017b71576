#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

// Parameters to simulate: row i of theta with seed seeds[i]. Simulation ids are the caller's.
struct SimulationBatch {
  MatrixView<const double> theta;        // (n, parameters)
  std::span<const std::uint64_t> seeds;  // (n)
};

// Why a simulation failed; nothing when it succeeded.
using Failure = std::optional<std::string>;

class NoiseModel;  // hone/simulator/noise.h

// A stochastic map from parameters to a data vector of fixed length. What it returns for a row
// may depend only on that row's theta and seed, never on its neighbours or on earlier calls.
class Simulator {
 public:
  virtual ~Simulator() = default;
  virtual Index data_size() const = 0;

  // Fills row i of x (n, data_size()), or sets failures[i]. A failing simulation is a value, not an
  // exception: an exception means that the simulator as a whole cannot go on.
  virtual void simulate(MatrixView<double> x, std::span<Failure> failures,
                        const SimulationBatch& batch) = 0;

  // May simulate() be called from several threads at once?
  virtual bool concurrent() const { return true; }

  // Not null: what simulate() makes is the noiseless part, of length data_size(), and training adds
  // this noise afresh in every epoch. Lives as long as the simulator.
  virtual const NoiseModel* noise() const { return nullptr; }
};

// Every value finite and within the range of float, or the reason why not. Columns marked in
// may_be_missing may be NaN; it may be empty.
Failure check_data(std::span<const double> x, std::span<const char> may_be_missing = {});

// One row: x = simulator(theta, noise). An exception it throws is that row's failure.
using RowFunction =
    std::function<void(std::span<double> x, std::span<const double> theta, Rng noise)>;
std::unique_ptr<Simulator> make_simulator(Index data_size, RowFunction function);

// Many rows at once; an exception it throws fails all of them.
using BatchFunction = std::function<void(MatrixView<double> x, const SimulationBatch& batch)>;
std::unique_ptr<Simulator> make_batch_simulator(Index data_size, BatchFunction function);

}  // namespace hone
