#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hone/core/observer.h"
#include "hone/core/rng.h"
#include "hone/engine/row_source.h"
#include "hone/prior/truncated_prior.h"
#include "hone/simulator/executor.h"
#include "hone/simulator/noise.h"
#include "hone/store/simulation_store.h"

namespace hone {

// Simulations inside a region, ready for training: x of the successful ones, theta of all.
struct Dataset {
  TruncatedPrior prior;                    // what they were drawn from
  std::vector<std::int64_t> ids = {};      // of the successful ones, ascending
  std::unique_ptr<RowSource> x = nullptr;  // (n, data size), with noise and gaps
  DataDescription description = {};        // of the columns of x, if that is declared
  // x before training takes values away (masked_rows.h), a part of x; null: it takes none.
  const RowSource* before_gaps = nullptr;
  // (n + others, parameters): local coordinates. The others are for negatives, so that these are
  // uniform on the unit cube: the failed simulations, which belong to the prior too; or, where
  // parameters are correlated or the region has a constraint, as many uniform points as there are
  // simulations.
  Matrix<float> theta = {};
  std::vector<std::int32_t> rounds = {};                                  // of the rows of x
  std::vector<Index> training = {}, validation = {};                      // rows of x
  std::vector<Index> training_negatives = {}, validation_negatives = {};  // rows of theta
  Index issued = 0;  // of the first so many simulations of the run, all that lie in the region ...
  Index first = 0;   // ... but for those before this number

  Index rows() const { return static_cast<Index>(ids.size()); }
};

// Where new simulations come from: the truncated prior of a region, or a distribution inside it
// that a method has found, such as the posterior of the round before.
class Proposal {
 public:
  using Draws = std::function<Matrix<double>(Index rows)>;

  Proposal(Region region) : region_(std::move(region)) {}  // NOLINT: a region is a proposal
  // draws(n): n parameter vectors (n, parameters) inside the region, for the simulations of a call
  // in the order of their numbers. Asked for only if one of them is missing in the store; the same
  // rows every time.
  Proposal(Region region, Draws draws) : region_(std::move(region)), draws_(std::move(draws)) {}

  const Region& region() const { return region_; }
  const Draws& draws() const { return draws_; }  // none: the truncated prior

 private:
  Region region_;
  Draws draws_ = nullptr;
};

// Marks those as failed whose x cannot have this noise.
void fail_unfit_for_noise(SimulationRows& rows, const NoiseModel& noise);

// The simulations of one run, counted as the algorithm asks for them. Simulation number i has its
// parameters and its seed from random streams named by i, so what is found in the store after an
// interruption is exactly what would have been made, and is not made again.
class Simulations {
 public:
  // The store keeps what the executor makes; `noise`, if any, is what training adds to it.
  Simulations(Prior prior, SimulationStore& store, Executor& executor, const Rng& rng,
              const NoiseModel* noise = nullptr, double max_failed_fraction = 1);

  // Training takes values away (masked_rows.h) as they are missing there.
  void set_observation(std::span<const double> observation);
  void leave_whole() { whole_ = true; }  // takes none away

  const Prior& prior() const { return prior_; }
  Index issued() const { return issued_; }  // asked for so far, failed ones included

  // Simulations 0 .. count - 1 are in the store already, drawn from the whole prior: they count as
  // asked for.
  void take_existing(Index count);

  // Asks for `count` more simulations from the proposal; on return all are in the store. Throws
  // what the executor throws, and Error{simulator} without simulating if too many of those that an
  // earlier process has stored failed: a run that they ended ends again.
  void simulate(const Proposal& proposal, int round, Index count, Observer& observer);

  // Of those asked for so far:
  Index count_inside(const Region& region) const;  // successful
  Index failed() const;
  // first: without the simulations before this number.
  Dataset inside(const Region& region, double validation_fraction, Index first = 0) const;

 private:
  std::vector<std::int64_t> select(const Region& region, bool failed, Index first = 0) const;

  Prior prior_;
  SimulationStore& store_;
  Executor& executor_;
  Rng rng_;
  const NoiseModel* noise_;
  double max_failed_fraction_;
  std::vector<char> observed_gaps_ = {};  // 1 for each column that the observation lacks
  bool whole_ = false;
  Index issued_ = 0;
};

}  // namespace hone
