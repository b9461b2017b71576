#include "hone/run/run_inputs.h"

#include "hone/core/error.h"
#include "hone/problem/problem_file.h"
#include "hone/problem/resolve_noise.h"
#include "hone/store/dataset_file.h"
#include "hone/store/small_columns.h"
#include "hone/tasks/task.h"

namespace hone {

namespace fs = std::filesystem;

namespace {

// The file belongs to the user, who may have written another one in its place.
void check_is_the_same(const ExistingSimulations& found, const SimulatorSpec& spec,
                       const DatasetSource& source) {
  if (spec.dataset_checksum.empty() || spec.dataset_checksum == dataset_checksum(found)) return;
  const std::string second =
      source.x_file.empty() ? "" : fmt::format(" or those of {}", source.x_file.string());
  fail(ErrorKind::input,
       "{}: its numbers{} have changed since the run was made; put the data set back that the run "
       "was made with, or start a new run with this one",
       source.file.string(), second);
}

}  // namespace

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

std::function<double(std::span<const double> theta)> run_likelihood(const RunSpec& spec) {
  if (!find_method(spec.options.method).needs_likelihood) return nullptr;
  if (spec.simulator.kind != SimulatorKind::task) return nullptr;
  const auto& log_likelihood = find_task(spec.simulator.task).reference.log_likelihood;
  if (!log_likelihood) return nullptr;
  return [log_likelihood, x = spec.observation](std::span<const double> theta) {
    return log_likelihood(x, theta);
  };
}

SimulationStore open_run_store(const RunDirectory& run, const RunFile& directory,
                               const NoiseModel* noise) {
  const fs::path path = directory.path();
  const RunSpec& spec = run.spec();
  const Index size = noise == nullptr ? std::ssize(spec.observation) : noise->input_size();
  if (!SimulationStore::exists(path)) {
    // What noise is added to may have another size than the observation, and no description then.
    const bool described = spec.data.declared() && spec.data.size() == size;
    const StoreSchema schema{.parameters = spec.prior.names(),
                             .data_size = size,
                             .precision = Precision::float32,
                             .data = described ? spec.data : DataDescription()};
    return SimulationStore::create(path, schema, directory.mark);
  }
  SimulationStore store =
      SimulationStore::open(path, SimulationStore::Access::write, directory.mark);
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
  const ExistingSimulations found = read_dataset(source, spec.prior.names());
  check_is_the_same(found, spec.simulator, source);
  const StoreSchema& schema = store.schema();
  const std::vector<char> may_be_missing =
      found.x.cols() == schema.data.size() ? schema.data.may_be_missing() : std::vector<char>();
  SimulationRows rows = dataset_rows(found, spec.prior, source, may_be_missing);
  if (rows.rows() != expected || rows.x.cols() != store.schema().data_size) {
    fail(ErrorKind::input,
         "{}: it has {} simulations of {} values; must have {} of {}, as the run and its simulator",
         source.file.string(), rows.rows(), rows.x.cols(), expected, store.schema().data_size);
  }
  if (noise != nullptr) {
    fail_unfit_for_noise(rows, *noise);
  } else {
    check_columns(rows, store.schema().data);
  }
  for (const std::string& mismatch : prior_mismatches(rows, spec.prior)) {
    observer.log(LogLevel::warning, mismatch);
  }
  append_missing(store, rows);
}

}  // namespace hone
