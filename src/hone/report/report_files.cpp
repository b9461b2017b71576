#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/report/report.h"
#include "hone/report/run_figures.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

const char* ending(FigureFormat format) {
  switch (format) {
    case FigureFormat::png: return ".png";
    case FigureFormat::svg: return ".svg";
    case FigureFormat::pdf: return ".pdf";
  }
  throw std::logic_error("a figure format without a name");
}

// The pairs of the 2-d marginals, as many as fit a page.
std::vector<std::pair<int, int>> shown_pairs(const RunSpec& spec) {
  constexpr std::size_t kMost = 12;
  std::vector<std::pair<int, int>> pairs;
  for (const Marginal& marginal : spec.marginals) {
    const bool cut = marginal.size() == 2 && !spec.prior.is_derived(marginal);
    if (cut && pairs.size() < kMost) pairs.emplace_back(marginal[0], marginal[1]);
  }
  return pairs;
}

class Writer {
 public:
  Writer(fs::path directory, FigureFormat format, std::vector<fs::path>& written)
      : directory_(std::move(directory)), format_(format), written_(written) {}

  void add(const std::string& name, const std::string& bytes) {
    const fs::path file = directory_ / (name + ending(format_));
    write_file_atomically(file, bytes);
    written_.push_back(file);
  }

 private:
  fs::path directory_;
  FigureFormat format_;
  std::vector<fs::path>& written_;
};

void write_figures(const RunDirectory& run, const CornerPlot& corner, const ReportData& data,
                   FigureFormat format, std::vector<fs::path>& written) {
  const RunSpec& spec = run.spec();
  Writer writer(run.figures(), format, written);
  writer.add("corner", corner_figure(corner, format));
  if (!data.rounds.empty()) {
    writer.add("truncation", truncation_figure(data, spec.prior, format));
    const auto pairs = shown_pairs(spec);
    if (!pairs.empty()) writer.add("regions", region_figure(data, spec.prior, pairs, format));
    if (!data.rounds.front().cut.curves.empty()) {
      writer.add("ratios", ratio_figure(data, spec.prior, spec.options.truncation.epsilon, format));
    }
  }
  if (!data.training.empty()) writer.add("training", training_figure(data.training, format));
  if (data.observation.simulations > 0) {
    writer.add("observation", observation_figure(data.observation, format));
  }
  const std::optional<Checks> checks = read_checks(run);
  if (!checks) return;
  if (!checks->coverage.empty()) {
    writer.add("coverage", coverage_figure(checks->coverage, spec.prior, format));
    writer.add("coverage-sigma", sigma_figure(checks->coverage, spec.prior, format));
  }
  if (!checks->sbc.empty()) {
    writer.add("sbc",
               ecdf_figure(checks->sbc, "posterior CDF of the true value", spec.prior, format));
  }
  if (!checks->tarp.empty())
    writer.add("tarp", ecdf_figure(checks->tarp, "credibility", spec.prior, format));
}

}  // namespace

fs::path report_file(const RunDirectory& run) {
  return run.report_page();
}

std::vector<fs::path> write_report(const RunDirectory& run, const ReportOptions& options,
                                   const std::vector<FigureFormat>& formats) {
  std::vector<fs::path> written{report_file(run)};
  const CornerPlot corner = run_corner({run}, options.truth);
  const std::string page = report_page(report_state(run, options));
  if (!formats.empty()) {
    const ReportData data = read_report_data(run);
    create_directories_durably(run.figures());
    for (const FigureFormat format : formats) write_figures(run, corner, data, format, written);
  }
  write_file_atomically(written.front(), page);  // last: then all of the report is there
  return written;
}

}  // namespace hone
