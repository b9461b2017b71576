#include <charconv>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/bench_runs.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/files/output_file.h"
#include "hone/inference/option_table.h"

namespace hone::cli {

void add_bench_arguments(CLI::App& command, BenchArguments& arguments) {
  command
      .add_option("-o,--output", arguments.output,
                  "Directory of the results; finished runs in it are not run again")
      ->capture_default_str();
  command.add_option("--seeds", arguments.seeds, "Seeds, such as 1-3,7: each is a run of its own")
      ->delimiter(',')
      ->capture_default_str();
  command
      .add_option("--preset", arguments.preset,
                  fmt::format("Options to start from: {}", fmt::join(preset_names(), ", ")))
      ->capture_default_str();
  command
      .add_option("--samples", arguments.samples,
                  "Posterior samples per marginal that are scored; fewer are quicker and tell less")
      ->check(CLI::Range(100, 10000))
      ->capture_default_str();
  command
      .add_option("--jobs", arguments.jobs, "Number of runs at the same time; 0: one per thread")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command
      .add_option("--threads", arguments.threads,
                  "Number of threads of all runs together; 0: one per core. The results do not "
                  "depend on it")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  add_option_flags(command, arguments.options, {"method", "budget"});
}

InferenceOptions chosen_options(const BenchArguments& arguments) {
  InferenceOptions options = preset(arguments.preset);
  try {
    apply(options, arguments.options);
    validate(options);
  } catch (const Error& error) {
    throw with_flags(error, arguments.options);
  }
  return options;
}

std::set<std::string> given_options(const BenchArguments& arguments) {
  std::set<std::string> names;
  for (const auto& [name, text] : arguments.options) names.insert(name);
  return names;
}

namespace {

// A whole number, also as 1e5; -1 if it is none.
std::int64_t whole_number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool good = error == std::errc() && stop == end && value >= 0 && value < 9e15 &&
                    value == static_cast<double>(static_cast<std::int64_t>(value));
  return good ? static_cast<std::int64_t>(value) : -1;
}

}  // namespace

std::vector<std::int64_t> number_list(const std::string& flag,
                                      const std::vector<std::string>& words) {
  constexpr std::int64_t kLongest = 100000;
  std::vector<std::int64_t> numbers;
  for (const std::string& word : words) {
    const std::size_t dash = word.find('-');
    const bool range = dash != std::string::npos && whole_number(word) < 0;
    const std::int64_t first = whole_number(range ? word.substr(0, dash) : word);
    const std::int64_t last = range ? whole_number(word.substr(dash + 1)) : first;
    if (first < 0 || last < first || last - first > kLongest) {
      fail(ErrorKind::input, "{} {}: must be whole numbers or ranges, such as 1-5,8", flag, word);
    }
    for (std::int64_t i = first; i <= last; ++i) numbers.push_back(i);
  }
  return numbers;
}

void publish(const BenchArguments& arguments, const std::string& file, const std::string& text) {
  write_output_file(std::filesystem::path(arguments.output) / file, text);
  print(text);
}

}  // namespace hone::cli
