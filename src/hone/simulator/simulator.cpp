#include "hone/simulator/simulator.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "hone/core/error.h"

namespace hone {
namespace {

class RowSimulator : public Simulator {
 public:
  RowSimulator(Index data_size, RowFunction function)
      : data_size_(data_size), function_(std::move(function)) {}

  Index data_size() const override { return data_size_; }

  void simulate(MatrixView<double> x, std::span<Failure> failures,
                const SimulationBatch& batch) override {
    for (Index i = 0; i < x.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      failures[row].reset();
      try {
        function_(x.row(i), batch.theta.row(i), Rng(batch.seeds[row]));
      } catch (const std::exception& error) {
        failures[row] = error.what();
      }
    }
  }

 private:
  Index data_size_;
  RowFunction function_;
};

class BatchSimulator : public Simulator {
 public:
  BatchSimulator(Index data_size, BatchFunction function)
      : data_size_(data_size), function_(std::move(function)) {}

  Index data_size() const override { return data_size_; }

  void simulate(MatrixView<double> x, std::span<Failure> failures,
                const SimulationBatch& batch) override {
    std::fill(failures.begin(), failures.end(), Failure());
    try {
      function_(x, batch);
    } catch (const std::exception& error) {
      std::fill(failures.begin(), failures.end(), Failure(error.what()));
    }
  }

 private:
  Index data_size_;
  BatchFunction function_;
};

}  // namespace

std::unique_ptr<Simulator> make_simulator(Index data_size, RowFunction function) {
  HONE_ASSERT(data_size > 0);
  return std::make_unique<RowSimulator>(data_size, std::move(function));
}

std::unique_ptr<Simulator> make_batch_simulator(Index data_size, BatchFunction function) {
  HONE_ASSERT(data_size > 0);
  return std::make_unique<BatchSimulator>(data_size, std::move(function));
}

}  // namespace hone
