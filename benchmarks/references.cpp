// Do the reference posteriors agree with the samples that sbibm publishes, and how fast are they?
// Reads a directory in sbibm's layout; bzip2 unpacks the published samples.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/tasks/task.h"
#include "tests/tasks/two_sample.h"

namespace hone::bench {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::vector<double> numbers(const std::string& line) {
  std::vector<double> values;
  const char* place = line.c_str();
  char* end = nullptr;
  for (double value = std::strtod(place, &end); end != place; value = std::strtod(place, &end)) {
    values.push_back(value);
    place = *end == ',' ? end + 1 : end;
  }
  return values;
}

std::vector<double> read_observation(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);  // names
  std::getline(stream, line);
  if (line.empty()) fail(ErrorKind::io, "{}: cannot be read", file.string());
  return numbers(line);
}

Matrix<double> read_samples(const fs::path& file, const Task& task) {
  const Index parameters = task.prior.dimensions();
  FILE* pipe = popen(fmt::format("bzip2 -dc '{}'", file.string()).c_str(), "r");
  if (pipe == nullptr) fail(ErrorKind::io, "bzip2 cannot be started");
  std::vector<double> values;
  std::vector<char> line(65536);
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) {
    const std::vector<double> row = numbers(line.data());
    if (std::ssize(row) == parameters) values.insert(values.end(), row.begin(), row.end());
  }
  if (pclose(pipe) != 0 || values.empty()) {
    fail(ErrorKind::io, "{}: cannot be unpacked", file.string());
  }
  Matrix<double> samples(std::ssize(values) / parameters, parameters);
  std::copy(values.begin(), values.end(), samples.data());
  return samples;
}

struct Spread {
  double mean = 0, deviation = 0;
};

Spread spread(const std::vector<double>& values) {
  Spread result;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / n;
  for (const double value : values) {
    result.deviation += (value - result.mean) * (value - result.mean) / n;
  }
  result.deviation = std::sqrt(result.deviation);
  return result;
}

Json compare(const Task& task, const fs::path& data, int number, Index rows) {
  const bool hidden = task.name == "slcp_distractors";
  const fs::path folder =
      data / (hidden ? "slcp" : task.name) / "files" / fmt::format("num_observation_{}", number);
  const std::vector<double> x =
      read_observation(folder / (hidden ? "observation_distractors.csv" : "observation.csv"));
  const Matrix<double> published =
      read_samples(folder / "reference_posterior_samples.csv.bz2", task);
  const auto begin = std::chrono::steady_clock::now();
  const Matrix<double> samples = task.reference.samples(x, rows, Rng(1));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  double shift = 0;
  double ratio = 1;
  for (Index d = 0; d < samples.cols(); ++d) {
    const Spread ours = spread(column(samples, d));
    const Spread theirs = spread(column(published, d));
    shift = std::max(shift, std::abs(ours.mean - theirs.mean) / theirs.deviation);
    const double r = ours.deviation / theirs.deviation;
    if (std::abs(std::log(r)) > std::abs(std::log(ratio))) ratio = r;
  }
  const Index some = std::min<Index>({1500, samples.rows(), published.rows()});
  return {{"task", task.name},
          {"observation", number},
          {"p_marginals", marginals_p(samples, published)},
          {"p_energy",
           energy_p(samples.view().rows(0, some), published.view().rows(0, some), 199, Rng(2))},
          {"largest_shift", shift},          // of means, in standard deviations
          {"worst_deviation_ratio", ratio},  // of standard deviations
          {"seconds", seconds.count()}};
}

int run(int argc, char** argv) {
  CLI::App app("Reference posteriors against published samples, as JSON lines");
  fs::path data;
  std::vector<std::string> names;
  std::vector<int> observations{1, 2, 3, 4, 5};
  Index rows = 10000;
  app.add_option("--data", data, "Directory in sbibm's layout")->required();
  app.add_option("--tasks", names, "Default: all that the directory has");
  app.add_option("--observations", observations, "Their numbers");
  app.add_option("--rows", rows, "Samples drawn")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (const Task& task : all_tasks()) {
    const bool wanted = std::find(names.begin(), names.end(), task.name) != names.end();
    const fs::path folder = data / (task.name == "slcp_distractors" ? "slcp" : task.name);
    if (names.empty() ? !fs::exists(folder) : !wanted) continue;
    for (const int number : observations) {
      std::printf("%s\n", compare(task, data, number, rows).dump().c_str());
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  try {
    return hone::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
