#include "hone/bench/reference.h"

#include "hone/bench/case.h"
#include "hone/core/error.h"
#include "hone/files/number_file.h"
#include "hone/files/sample_file.h"
#include "hone/prior/truncated_prior.h"
#include "hone/simulator/noise.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr Index kNativeSamples = 10000;  // as many as sbibm's references
constexpr int kSimulationTries = 1000;   // for an observation: simulations may fail

struct ReferenceFiles {
  fs::path observation, samples;
};

fs::path observation_folder(const fs::path& data, const std::string& task, int number) {
  return data / task / "files" / fmt::format("num_observation_{}", number);
}

ReferenceFiles files_of(const fs::path& data, const std::string& task, int number) {
  fs::path folder = observation_folder(data, task, number);
  fs::path observation = folder / "observation.csv";
  const bool borrowed = task == "slcp_distractors" && !fs::exists(folder);
  if (borrowed) {
    folder = observation_folder(data, "slcp", number);
    observation = folder / "observation_distractors.csv";
  }
  const fs::path plain = folder / "reference_posterior_samples.csv";
  return {observation, fs::exists(plain) ? plain : fs::path(plain.string() + ".bz2")};
}

BenchReference read_reference(const fs::path& data, const Task& task, int number) {
  const ReferenceFiles files = files_of(data, task.name, number);
  BenchReference reference{read_numbers(files.observation), read_samples(files.samples).values};
  if (reference.observation.size() != task.observation.size()) {
    fail(ErrorKind::input, "{}: there are {} numbers, the simulator of {} makes {}",
         files.observation.string(), reference.observation.size(), task.name,
         task.observation.size());
  }
  if (reference.samples.cols() != task.prior.dimensions()) {
    fail(ErrorKind::input, "{}: there are {} columns, {} has {} parameters", files.samples.string(),
         reference.samples.cols(), task.name, task.prior.dimensions());
  }
  return reference;
}

// x as it is, or with the noise that training would add.
std::vector<double> with_noise(const NoiseModel* noise, std::span<const double> x, Rng stream) {
  if (noise == nullptr) return {x.begin(), x.end()};
  Matrix<float> noiseless(1, noise->input_size()), data(1, noise->data_size());
  std::ranges::transform(x, noiseless.row(0).begin(),
                         [](double v) { return static_cast<float>(v); });
  noise->apply(data, noiseless, {&stream, 1});
  return {data.row(0).begin(), data.row(0).end()};
}

// A simulation with parameters from the prior.
std::vector<double> draw_observation(const Task& task, const Rng& rng) {
  const TruncatedPrior prior(task.prior, Region::whole(task.prior.dimensions()));
  const auto simulator = task.simulator();
  Matrix<double> x(1, simulator->data_size());
  for (int attempt = 0; attempt < kSimulationTries; ++attempt) {
    const Rng draw = rng.child("attempt", static_cast<std::uint64_t>(attempt));
    const PriorSamples truth = prior.sample(1, draw.child("truth"));
    const std::uint64_t seed = draw.child("simulate").bits64();
    Failure failure;
    simulator->simulate(x, {&failure, 1}, {truth.theta, {&seed, 1}});
    if (!failure && !check_data(x.row(0))) {
      return with_noise(simulator->noise(), x.row(0), draw.child("noise"));
    }
  }
  fail(ErrorKind::simulator, "{}: {} simulations failed in a row", task.name, kSimulationTries);
}

BenchReference native_reference(const Task& task, int number) {
  const Rng rng =
      Rng(ReferenceSource::kObservationSeed).child(task.name, static_cast<std::uint64_t>(number));
  BenchReference reference;
  reference.observation =
      number == 1 ? task.observation : draw_observation(task, rng.child("observation"));
  reference.samples =
      task.reference.samples(reference.observation, kNativeSamples, rng.child("reference"));
  return reference;
}

}  // namespace

ReferenceSource::ReferenceSource(fs::path data) : data_(std::move(data)) {
  if (!data_.empty() && !fs::is_directory(data_)) {
    fail(ErrorKind::input, "{}: there is no such directory", data_.string());
  }
}

std::string ReferenceSource::name() const {
  return data_.empty() ? BenchCase::kNative : BenchCase::kSbibm;
}

void ReferenceSource::check(const std::string& task, int observation) const {
  if (observation < 1) {
    fail(ErrorKind::input, "observation {}: they are counted from 1", observation);
  }
  if (data_.empty()) return;
  const ReferenceFiles files = files_of(data_, task, observation);
  for (const fs::path& file : {files.observation, files.samples}) {
    if (fs::exists(file)) continue;
    fail(ErrorKind::input,
         "{}: there is no such file; observation {} of {} needs it (sbibm's layout: "
         "TASK/files/num_observation_K/)",
         file.string(), observation, task);
  }
}

std::shared_ptr<const BenchReference> ReferenceSource::get(const std::string& task,
                                                           int observation) {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<const BenchReference>& entry = known_[{task, observation}];
  if (entry == nullptr) {
    const Task& known = find_task(task);
    entry = std::make_shared<const BenchReference>(data_.empty()
                                                       ? native_reference(known, observation)
                                                       : read_reference(data_, known, observation));
  }
  return entry;
}

}  // namespace hone
