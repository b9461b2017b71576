#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/progress.h"
#include "cli/sample_pair.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/core/parallel.h"
#include "hone/metrics/comparison.h"
#include "hone/session/mpi_job.h"

namespace hone::cli {
namespace {

struct CompareArguments {
  std::string file_a, file_b;
  std::vector<std::string> metrics;
  bool by_position = false, json = false;
  Index draws = 10000;
  std::uint64_t seed = 1;
  int threads = 0;
};

using Row = std::vector<std::string>;

std::vector<MarginalC2st> worst_first(std::vector<MarginalC2st> marginals) {
  std::ranges::stable_sort(marginals, std::ranges::greater{}, &MarginalC2st::value);
  return marginals;
}

double sum_of(const std::vector<Distance>& distances, double Distance::*part) {
  double sum = 0;
  for (const Distance& one : distances) sum += one.*part;
  return sum;
}

std::string value_table(const Comparison& c) {
  const double noise = c2st_noise(c.draws);
  const auto c2st_row = [&](const std::string& name, double value) {
    return Row{name, fmt::format("{:.4f}", value), fmt::format("0.5 +- {:.2g}", noise)};
  };
  std::vector<Row> rows{{"metric", "value", "if equal"}};
  if (c.c2st) rows.push_back(c2st_row("C2ST, all columns", *c.c2st));
  if (!c.c2st_1d.empty()) {
    rows.push_back(c2st_row("C2ST, mean of 1-d marginals", mean_c2st(c.c2st_1d)));
  }
  if (!c.c2st_2d.empty()) {
    rows.push_back(c2st_row("C2ST, mean of 2-d marginals", mean_c2st(c.c2st_2d)));
  }
  if (!c.kl.empty()) {
    rows.push_back({"KL(A || B), sum of columns, nats",
                    fmt::format("{:.4f}", sum_of(c.kl, &Distance::value)),
                    fmt::format("{:.2g}", sum_of(c.kl, &Distance::if_equal))});
  }
  if (c.wasserstein) {
    rows.push_back({"sliced Wasserstein, st. dev. of A",
                    fmt::format("{:.4f}", c.wasserstein->value),
                    fmt::format("{:.2g}", c.wasserstein->if_equal)});
  }
  if (c.mmd) {
    rows.push_back(
        {"MMD^2", fmt::format("{:.3g}", c.mmd->squared), fmt::format("0 +- {:.2g}", c.mmd->noise)});
  }
  return table(rows);
}

// Those that can hardly be noise, given how many were looked at.
std::string worst_table(const Comparison& c, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  const double limit = 0.5 + 4 * c2st_noise(c.draws);
  std::vector<Row> rows;
  std::size_t beyond = 0;
  for (const auto* marginals : {&c.c2st_1d, &c.c2st_2d}) {
    std::size_t shown = 0;
    for (const MarginalC2st& one : worst_first(*marginals)) {
      if (one.value <= limit) break;
      if (shown++ >= kShown) {
        ++beyond;
        continue;
      }
      rows.push_back({marginal_name(one.columns, names), fmt::format("{:.4f}", one.value)});
    }
  }
  if (rows.empty()) return "";
  std::string text = "\nmarginals that differ most, by C2ST\n" + table(rows);
  if (beyond > 0) text += fmt::format("  and {} more (--json has all)\n", beyond);
  return text;
}

// The largest C2ST there is, in words.
std::string reading(const Comparison& c) {
  double largest = c.c2st.value_or(0);
  for (const auto* marginals : {&c.c2st_1d, &c.c2st_2d}) {
    for (const MarginalC2st& one : *marginals) largest = std::max(largest, one.value);
  }
  if (largest == 0) return "";
  const double noise = c2st_noise(c.draws);
  const char* words = "the samples have almost nothing in common";
  if (largest < 0.5 + 4 * noise) {
    words = "a classifier cannot tell the samples apart";
  } else if (largest < 0.6) {
    words = "the samples differ, but little";
  } else if (largest < 0.8) {
    words = "the samples differ clearly";
  } else if (largest < 0.95) {
    words = "the samples differ strongly";
  }
  return fmt::format(
      "\nC2ST is the accuracy of a classifier: 0.5 cannot tell A from B, 1 always can. With {} "
      "draws\nof each, equal distributions scatter around 0.5 by {:.2g}. The largest value is "
      "{:.3f}:\n{}.\n",
      c.draws, noise, largest, words);
}

nlohmann::ordered_json facts(const CompareArguments& arguments, const MatchedSamples& samples,
                             const Comparison& c) {
  nlohmann::ordered_json out{{"a", arguments.file_a},      {"b", arguments.file_b},
                             {"columns", samples.names},   {"draws_a", samples.draws_a},
                             {"draws_b", samples.draws_b}, {"draws_used", c.draws},
                             {"seed", arguments.seed},     {"c2st_noise", c2st_noise(c.draws)}};
  if (c.c2st) out["c2st"] = *c.c2st;
  const auto add = [&](const char* name, const std::vector<MarginalC2st>& marginals) {
    if (marginals.empty()) return;
    out[name]["mean"] = mean_c2st(marginals);
    for (const MarginalC2st& one : marginals) {
      out[name]["marginals"][marginal_name(one.columns, samples.names)] = one.value;
    }
  };
  add("c2st_1d", c.c2st_1d);
  add("c2st_2d", c.c2st_2d);
  if (!c.kl.empty()) {
    out["kl"] = {{"sum", sum_of(c.kl, &Distance::value)},
                 {"if_equal", sum_of(c.kl, &Distance::if_equal)}};
    for (std::size_t j = 0; j < c.kl.size(); ++j) {
      out["kl"]["columns"][samples.names[j]] = c.kl[j].value;
    }
  }
  if (c.wasserstein) {
    out["wasserstein"] = {{"value", c.wasserstein->value}, {"if_equal", c.wasserstein->if_equal}};
  }
  if (c.mmd) {
    out["mmd"] = {
        {"squared", c.mmd->squared}, {"noise", c.mmd->noise}, {"bandwidth", c.mmd->bandwidth}};
  }
  return out;
}

void compare(const CompareArguments& arguments, MpiJob& job) {
  std::vector<Metric> metrics;
  for (const std::string& name : arguments.metrics.empty() ? metric_names() : arguments.metrics) {
    metrics.push_back(parse_metric(name));
  }
  const Rng rng = Rng(arguments.seed).child("compare");
  const MatchedSamples samples = job.prepare_on_all_ranks([&] {
    return match_samples(arguments.file_a, arguments.file_b, arguments.by_position, arguments.draws,
                         rng);
  });
  Progress progress;
  progress.context_changed("compare");
  const Comparison c = job.work_on_all_ranks([&] {
    return compare_samples(samples.used.a, samples.used.b, metrics, rng, progress, job.all_ranks());
  });
  progress.clear();
  if (arguments.json) {
    // A path need not be valid UTF-8.
    return print(
        facts(arguments, samples, c).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
        "\n");
  }
  print(
      fmt::format("A: {}, {} draws\nB: {}, {} draws\n{} of each are compared in {} columns: {}\n\n",
                  arguments.file_a, samples.draws_a, arguments.file_b, samples.draws_b, c.draws,
                  samples.names.size(), fmt::join(samples.names, ", ")) +
      value_table(c) + worst_table(c, samples.names) + reading(c));
}

}  // namespace

void add_compare_command(CLI::App& program, MpiJob& job) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command =
      program.add_subcommand("compare", "Measure how different two files of samples are");
  command->add_option("a", arguments->file_a, "Samples: .csv, .csv.bz2, .npy or .npz")->required();
  command->add_option("b", arguments->file_b, "Samples to compare with those of a")->required();
  command
      ->add_option(
          "--metric", arguments->metrics,
          fmt::format("Compute only these metrics: {} [all]", fmt::join(metric_names(), ", ")))
      ->delimiter(',');
  command->add_flag("--by-position", arguments->by_position,
                    "Match columns by their order, not by their names");
  command
      ->add_option("--samples", arguments->draws,
                   "Largest number of draws to use of each file; they are chosen at random")
      ->check(CLI::Range(Index{20}, Index{100000000}))
      ->capture_default_str();
  command
      ->add_option("--seed", arguments->seed,
                   "Seed of the random numbers; the same seed gives the same result")
      ->check(check_seed, "")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print JSON for scripts");
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments, &job] {
    with_threads(job.threads(arguments->threads), [&] { compare(*arguments, job); });
  });
}

}  // namespace hone::cli
