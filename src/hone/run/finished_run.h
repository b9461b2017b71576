#pragma once

#include <memory>

#include "hone/posterior/marginal_posterior.h"
#include "hone/run/run_directory.h"
#include "hone/simulator/executor.h"
#include "hone/simulator/noise.h"

// What can be done with the simulations and networks of a run: more marginals, test draws, a
// correction.

namespace hone {

// More marginals on the simulations of a finished run, also of derived quantities that it has.
// Takes the run's lock. If the simulator brings its own noise (spec().noise), that must be given.
void train_more(const RunDirectory& run, const std::vector<Marginal>& marginals, Observer& observer,
                const NoiseModel* simulator_noise = nullptr,
                NetworkTrainer& trainer = local_trainer());

// Networks for the marginals of derived quantities (run.spec()) that have none yet. Takes the run's
// lock. They are trained in this process, also in an MPI job.
void train_derived(const RunDirectory& run, Observer& observer,
                   const NoiseModel* simulator_noise = nullptr);

// Gives a finished run more derived quantities, trained on the simulations it has: they are then in
// its tables and figures, and its checks are to be made again. One that is there with the same
// formula is not added again, so that the call can be repeated after an interruption. Error{input}
// for a formula that is wrong.
void derive_more(RunDirectory& run, const std::vector<DerivedQuantity>& derived, Observer& observer,
                 const NoiseModel* simulator_noise = nullptr);

// Simulations inside a region, as training would see them.
struct RunData {
  std::shared_ptr<const NoiseModel> noise;  // which the rows of x use
  Dataset rows;
};
// Of the first `issued` that the run asked for, or of all, without those before number `first`.
RunData training_data(const RunDirectory& run, const Region& region,
                      const NoiseModel* simulator_noise = nullptr,
                      std::optional<Index> issued = std::nullopt, Index first = 0);

// More simulations inside a region that no training will ever see, in a store of their own:
// numbers 0 .. count - 1 of it. Takes the run's lock.
RunData test_data(const RunDirectory& run, const Region& region, Index count, Executor& executor,
                  Observer& observer);

// How many of these there are already.
Index known_test_draws(const RunDirectory& run);

// The posterior on grids and its summary, widened; and without it again. Both take the run's lock.
void correct_posterior(const RunDirectory& run, const Correction& correction);
void remove_correction(const RunDirectory& run);

// The posterior of a marginal at the data x; Error{input} if it was not trained.
MarginalPosterior find_posterior(const std::vector<TrainedPosterior>& posteriors,
                                 const Marginal& marginal, std::span<const double> x,
                                 double power = 1);

}  // namespace hone
