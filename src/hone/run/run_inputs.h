#pragma once

#include <functional>
#include <memory>
#include <span>

#include "hone/run/run_directory.h"
#include "hone/simulator/executor.h"
#include "hone/simulator/noise.h"

// What a run works with: its noise, its store, the data set it may begin with.

namespace hone {

// A simulator that brings its own noise says so when it is there; run.json remembers it.
void note_noise_of(RunDirectory& run, const Executor& executor);
std::shared_ptr<const NoiseModel> run_noise(const RunSpec& spec, const NoiseModel* of_simulator);

// log p(observation | theta) of a built-in task that knows it; else none.
std::function<double(std::span<const double> theta)> run_likelihood(const RunSpec& spec);

// A store of the run's simulations, to write; made if there is none.
SimulationStore open_run_store(const RunDirectory& run, const RunFile& directory,
                               const NoiseModel* noise);

// Puts an existing data set into the store: simulations 0, 1, ... are its rows.
void load_dataset(const RunDirectory& run, SimulationStore& store, const NoiseModel* noise,
                  Observer& observer);

}  // namespace hone
