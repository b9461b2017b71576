#include "hone/simulator/simulator.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "hone/core/error.h"

namespace hone {
namespace {

// What the exception being handled says. Call only inside a catch block.
std::string current_exception_text() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

class RowSimulator final : public Simulator {
 public:
  RowSimulator(Index data_size, RowFunction function)
      : data_size_(data_size), function_(std::move(function)) {}

  Index data_size() const override { return data_size_; }

  void simulate(MatrixView<double> x, std::span<Failure> failures,
                const SimulationBatch& batch) override {
    for (Index i = 0; i < batch.theta.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      try {
        function_(x.row(i), batch.theta.row(i), Rng(batch.seeds[row]));
      } catch (...) {
        failures[row] = current_exception_text();
      }
    }
  }

 private:
  Index data_size_;
  RowFunction function_;
};

class BatchSimulator final : public Simulator {
 public:
  BatchSimulator(Index data_size, BatchFunction function)
      : data_size_(data_size), function_(std::move(function)) {}

  Index data_size() const override { return data_size_; }

  void simulate(MatrixView<double> x, std::span<Failure> failures,
                const SimulationBatch& batch) override {
    try {
      function_(x, batch);
    } catch (...) {
      std::ranges::fill(failures, Failure(current_exception_text()));
    }
  }

 private:
  Index data_size_;
  BatchFunction function_;
};

void check_data_size(Index data_size) {
  if (data_size < 1) fail(ErrorKind::input, "data_size = {}: must be at least 1", data_size);
}

}  // namespace

// Training reads x as float, so a value beyond its range is as useless as an infinity.
Failure check_data(std::span<const double> x, std::span<const char> may_be_missing) {
  constexpr double largest = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs(x[i]) <= largest) continue;
    if (std::isnan(x[i]) && !may_be_missing.empty() && may_be_missing[i] != 0) continue;
    if (std::isfinite(x[i])) {
      return fmt::format("x[{}] = {:.3g} is beyond the range of float; rescale it", i, x[i]);
    }
    return fmt::format("x[{}] is {}", i, x[i]);
  }
  return std::nullopt;
}

std::unique_ptr<Simulator> make_simulator(Index data_size, RowFunction function) {
  check_data_size(data_size);
  HONE_ASSERT(function != nullptr);
  return std::make_unique<RowSimulator>(data_size, std::move(function));
}

std::unique_ptr<Simulator> make_batch_simulator(Index data_size, BatchFunction function) {
  check_data_size(data_size);
  HONE_ASSERT(function != nullptr);
  return std::make_unique<BatchSimulator>(data_size, std::move(function));
}

}  // namespace hone
