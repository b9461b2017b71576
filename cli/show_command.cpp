#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "cli/check_text.h"
#include "cli/commands.h"
#include "cli/open_run.h"
#include "cli/sketch.h"
#include "cli/text.h"
#include "hone/check/joint_check.h"
#include "hone/estimate/encoder_choice.h"
#include "hone/report/run_corner.h"
#include "hone/run/joint_run.h"

namespace hone::cli {
namespace {

// The most frequent reasons first.
std::string failure_lines(const std::map<std::string, Index>& counts) {
  constexpr std::size_t kShown = 5;
  std::vector<std::pair<Index, std::string>> sorted;
  sorted.reserve(counts.size());
  for (const auto& [reason, count] : counts) sorted.emplace_back(-count, reason);
  std::ranges::sort(sorted);
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, sorted.size()); ++i) {
    text += fmt::format("  {} x {}\n", -sorted[i].first, sorted[i].second);
  }
  if (sorted.size() > kShown) {
    text += fmt::format("  and {} other reasons (--json has all)\n", sorted.size() - kShown);
  }
  return text;
}

// A run is never shown without what its checks found.
std::string verdict_lines(const RunDirectory& run) {
  const std::optional<Checks> checks = read_checks(run);
  if (!checks) {
    return fmt::format("not checked yet; check it with `hone check {}`\n", run.path().string());
  }
  return correction_lines(*checks) + check_lines(*checks, false);
}

// The table of parameters with their posteriors beside it.
std::string sketched_table(const RunDirectory& run, const Summary& summary) {
  std::vector<MarginalGrid> grids = run.grids();
  std::erase_if(grids, [](const MarginalGrid& grid) { return grid.marginal.size() != 1; });
  return with_sketches(parameter_table(summary.parameters), grids);
}

std::string description(const RunDirectory& run) {
  const RunSpec& spec = run.spec();
  const auto store = run.store();
  std::string text =
      fmt::format("{}: {} (seed {}), {}\n", run.path().string(), spec.name, spec.seed,
                  run.finished() ? "finished"
                                 : fmt::format("not finished; continue it with `hone "
                                               "resume {}`",
                                               run.path().string()));
  if (run.finished() && !run.complete()) {
    text += fmt::format(
        "some files of this finished run are missing; `hone resume {}` makes them again\n",
        run.path().string());
  }
  text += fmt::format("{} of {} simulations, {} failed\n", store ? store->rows() : 0,
                      spec.options.budget, store ? store->failed_rows() : 0);
  for (std::size_t i = 0; i < run.extensions().size(); ++i) {
    const auto checks = read_checks(run.state(i));
    text +=
        fmt::format("earlier result, from {} simulations{}\n", run.state(i).spec().options.budget,
                    checks ? fmt::format(", verdict: {}", to_string(checks->verdict)) : "");
  }
  if (spec.noise.kind != NoiseKind::none) {
    text += fmt::format("noise, fresh in every epoch: {}\n", describe(spec.noise));
  }
  if (spec.data.has_missing()) {
    const auto gaps =
        std::ranges::count_if(spec.observation, [](double v) { return std::isnan(v); });
    text +=
        fmt::format("observation: {} values, {} of them missing\n", spec.observation.size(), gaps);
  }
  if (const std::string seen =
          describe_embedding(spec.options, {.columns = std::ssize(spec.observation),
                                            .parameters = spec.prior.dimensions(),
                                            .data = spec.data});
      !seen.empty()) {
    text += fmt::format("data seen through: {}\n", seen);
  }
  if (run.complete()) {
    const std::string shares = run.posteriors().at(0).posterior->describe_shares();
    if (!shares.empty())
      text += fmt::format("weights of the estimators, from held-out simulations: {}\n", shares);
    if (const auto joint = run.joint_posterior()) {
      text += fmt::format("joint posterior, drawn from {}\n",
                          describe_joint(joint->posterior->estimator()));
    }
    if (const auto check = read_joint_check(run)) {
      text += fmt::format("the joint posterior: {}: {}\n", to_string(check->status), check->reason);
    }
  }
  if (store) text += failure_lines(failure_counts(*store));
  text += '\n';
  if (const std::string rounds = round_table(run); !rounds.empty()) text += rounds + "\n";
  if (const auto region = run.final_region()) text += to_string(*region, spec.prior) + "\n";
  if (const auto summary = run.summary()) {
    text += sketched_table(run, *summary) + "\n" + warning_lines(summary->warnings);
    text += verdict_lines(run);
  }
  return text;
}

std::string json_text(const RunDirectory& run) {
  // A path need not be valid UTF-8.
  return run_facts(run).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

void add_show_command(CLI::App& program) {
  struct Arguments {
    std::string directory;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(
      "show", "Print the state and the results of a run: simulations, rounds, region, parameters");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command->add_flag("--json", arguments->json, "Print JSON for scripts");
  command->callback([arguments] {
    const RunDirectory run = open_run(arguments->directory);
    print(arguments->json ? json_text(run) : description(run));
  });
}

}  // namespace hone::cli
