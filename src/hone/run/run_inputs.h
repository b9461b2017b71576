#pragma once

#include <memory>

#include "hone/run/run_directory.h"
#include "hone/simulator/executor.h"
#include "hone/simulator/noise.h"

// What a run works with: its noise, its store, the data set it may begin with.

namespace hone {

// A simulator that brings its own noise says so when it is there; run.json remembers it.
void note_noise_of(RunDirectory& run, const Executor& executor);
std::shared_ptr<const NoiseModel> run_noise(const RunSpec& spec, const NoiseModel* of_simulator);

// A store of the run's simulations, to write. `create`: if there is none.
SimulationStore open_run_store(const RunDirectory& run, const std::filesystem::path& path,
                               bool create, const NoiseModel* noise);

// Puts an existing data set into the store: simulations 0, 1, ... are its rows.
void load_dataset(const RunDirectory& run, SimulationStore& store, const NoiseModel* noise,
                  Observer& observer);

}  // namespace hone
