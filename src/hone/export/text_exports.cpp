#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "hone/core/npy.h"
#include "hone/export/sample_export.h"

namespace hone {

ExportedFiles export_csv(const ExportedSamples& samples) {
  std::string text;
  for (std::size_t j = 0; j < samples.columns.size(); ++j) {
    text += (j == 0 ? "" : ",") + samples.columns[j].name;
  }
  text += '\n';
  for (Index i = 0; i < samples.theta.rows(); ++i) {
    for (Index j = 0; j < samples.theta.cols(); ++j) {
      fmt::format_to(std::back_inserter(text), "{}{}", j == 0 ? "" : ",", samples.theta(i, j));
    }
    text += '\n';
  }
  return {{"", std::move(text)}};
}

ExportedFiles export_npy(const ExportedSamples& samples) {
  return {{"", npy_bytes(samples.theta)}};
}

namespace {

// A bound of a GetDist range; N where there is none.
std::string bound(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "N";
}

}  // namespace

ExportedFiles export_getdist(const ExportedSamples& samples) {
  const std::vector<double> log_density = samples.log_density();
  std::string chain, names, ranges;
  for (Index i = 0; i < samples.theta.rows(); ++i) {
    fmt::format_to(std::back_inserter(chain), "1 {}", -log_density[static_cast<std::size_t>(i)]);
    for (const double value : samples.theta.row(i)) {
      fmt::format_to(std::back_inserter(chain), " {}", value);
    }
    chain += '\n';
  }
  for (const ExportedSamples::Column& column : samples.columns) {
    std::string label = column.label;
    std::erase(label, '$');  // GetDist adds its own
    names += fmt::format("{}\t{}\n", column.name, label);
    ranges += fmt::format("{} {} {}\n", column.name, bound(column.low), bound(column.high));
  }
  return {{"_1.txt", std::move(chain)},
          {".paramnames", std::move(names)},
          {".ranges", std::move(ranges)}};
}

}  // namespace hone
