#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/option_flags.h"
#include "hone/bench/case.h"
#include "hone/bench/reference.h"
#include "hone/bench/row.h"

namespace hone::cli {

// What all studies of `hone bench` have in common on the command line.
struct BenchArguments {
  std::string output;
  std::string preset = "default";
  std::vector<std::string> seeds = {"1"};
  Index samples = 10000;  // per marginal, to be scored
  int jobs = 0;           // runs at the same time; 0: as many as threads
  int threads = 0;        // of all together; 0: one per core
  OptionTexts options;
};
void add_bench_arguments(CLI::App& command, BenchArguments& arguments);

// The preset with the options given.
InferenceOptions chosen_options(const BenchArguments& arguments);
std::set<std::string> given_options(const BenchArguments& arguments);  // their names

// Every case that has no row in <output>/results.csv yet, several at a time; then all rows of the
// file. Cases, tasks and observations are checked before anything is written. Ctrl-C or a kill
// loses nothing finished: the same command goes on.
std::vector<BenchRow> run_cases(const std::vector<BenchCase>& cases, ReferenceSource& references,
                                const BenchArguments& arguments);

// "1-5,8" and the like, from words: 1, 2, 3, 4, 5, 8. Error{input} names the flag.
std::vector<std::int64_t> number_list(const std::string& flag,
                                      const std::vector<std::string>& words);

void add_bench_coverage(CLI::App& bench);
void add_bench_defaults(CLI::App& bench);
void add_bench_cosmology(CLI::App& bench);

// Writes a text below the output directory, and prints it.
void publish(const BenchArguments& arguments, const std::string& file, const std::string& text);

}  // namespace hone::cli
