#include "hone/run/run_inputs.h"

#include "hone/core/error.h"
#include "hone/problem/problem_file.h"
#include "hone/problem/resolve_noise.h"
#include "hone/store/dataset_file.h"

namespace hone {

namespace fs = std::filesystem;

void note_noise_of(RunDirectory& run, const Executor& executor) {
  RunSpec spec = run.spec();
  if (executor.noise() == nullptr || spec.noise.kind != NoiseKind::none || run.store()) return;
  spec.noise.kind = NoiseKind::simulator;
  run.replace_spec(std::move(spec));
}

std::shared_ptr<const NoiseModel> run_noise(const RunSpec& spec, const NoiseModel* of_simulator) {
  return resolve_noise(spec.noise, of_simulator, spec.prior.dimensions(),
                       std::ssize(spec.observation));
}

SimulationStore open_run_store(const RunDirectory& run, const fs::path& path, bool create,
                               const NoiseModel* noise) {
  const RunSpec& spec = run.spec();
  const Index size = noise == nullptr ? std::ssize(spec.observation) : noise->input_size();
  if (create && !SimulationStore::exists(path)) {
    // What noise is added to may have another size than the observation, and no description then.
    const bool described = spec.data.declared() && spec.data.size() == size;
    return SimulationStore::create(path, {.parameters = spec.prior.names(),
                                          .data_size = size,
                                          .precision = Precision::float32,
                                          .data = described ? spec.data : DataDescription()});
  }
  SimulationStore store = SimulationStore::open(path, SimulationStore::Access::write);
  if (store.schema().parameters != spec.prior.names() || store.schema().data_size != size) {
    fail(ErrorKind::io, "{}: its parameters or data size are not those of {}",
         (path / "manifest.json").string(), run.spec_file().string());
  }
  return store;
}

void load_dataset(const RunDirectory& run, SimulationStore& store, const NoiseModel* noise,
                  Observer& observer) {
  const RunSpec& spec = run.spec();
  const Index expected = spec.simulator.dataset_rows;
  Index present = 0;
  while (present < expected && store.contains(present)) ++present;
  if (present == expected) return;  // the file may be gone since
  const DatasetSource source = dataset_source(spec.simulator);
  SimulationRows rows = dataset_rows(read_dataset(source, spec.prior.names()), spec.prior, source);
  if (rows.rows() != expected || rows.x.cols() != store.schema().data_size) {
    fail(ErrorKind::input,
         "{}: it has {} simulations of {} values; must have {} of {}, as the run and its simulator",
         source.file.string(), rows.rows(), rows.x.cols(), expected, store.schema().data_size);
  }
  if (noise != nullptr) fail_unfit_for_noise(rows, *noise);
  for (const std::string& mismatch : prior_mismatches(rows, spec.prior)) {
    observer.log(LogLevel::warning, mismatch);
  }
  append_missing(store, rows);
}

}  // namespace hone
