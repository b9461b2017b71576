// What a run works with: its noise, its store, the data set it may begin with.
#include "hone/core/error.h"
#include "hone/inference/problem_file.h"
#include "hone/inference/resolve_noise.h"
#include "hone/inference/run.h"
#include "hone/inference/run_files.h"
#include "hone/store/dataset_file.h"

namespace hone {

namespace fs = std::filesystem;

// A simulator that brings its own noise says so when it is there; run.json remembers it.
void Run::note_noise_of(const Executor& executor) {
  if (executor.noise() == nullptr || spec_.noise.kind != NoiseKind::none || simulations()) return;
  spec_.noise.kind = NoiseKind::simulator;
  write_json(directory_ / "run.json", to_json(spec_));
}

std::shared_ptr<const NoiseModel> Run::noise(const NoiseModel* of_simulator) const {
  return resolve_noise(spec_.noise, of_simulator, spec_.prior.dimensions(),
                       std::ssize(spec_.observation));
}

SimulationStore Run::open_store(const fs::path& path, bool create, const NoiseModel* noise) const {
  const Index size = noise == nullptr ? std::ssize(spec_.observation) : noise->input_size();
  if (create && !fs::exists(path / "manifest.json")) {
    return SimulationStore::create(
        path,
        {.parameters = spec_.prior.names(), .data_size = size, .precision = Precision::float32});
  }
  SimulationStore store = SimulationStore::open(path, SimulationStore::Access::write);
  if (store.schema().parameters != spec_.prior.names() || store.schema().data_size != size) {
    fail(ErrorKind::io, "{}: its parameters or data size are not those of {}",
         (path / "manifest.json").string(), (directory_ / "run.json").string());
  }
  return store;
}

// Puts an existing data set into the store: simulations 0, 1, ... are its rows.
void Run::load_dataset(SimulationStore& store, const NoiseModel* noise, Observer& observer) const {
  const Index expected = spec_.simulator.dataset_rows;
  Index present = 0;
  while (present < expected && store.contains(present)) ++present;
  if (present == expected) return;  // the file may be gone since
  const DatasetSource source = dataset_source(spec_.simulator);
  SimulationRows rows =
      dataset_rows(read_dataset(source, spec_.prior.names()), spec_.prior, source);
  if (rows.rows() != expected || rows.x.cols() != store.schema().data_size) {
    fail(ErrorKind::input,
         "{}: it has {} simulations of {} values; must have {} of {}, as the run and its simulator",
         source.file.string(), rows.rows(), rows.x.cols(), expected, store.schema().data_size);
  }
  if (noise != nullptr) fail_unfit_for_noise(rows, *noise);
  for (const std::string& mismatch : prior_mismatches(rows, spec_.prior)) {
    observer.log(LogLevel::warning, mismatch);
  }
  append_missing(store, rows);
}

}  // namespace hone
