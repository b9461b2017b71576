#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/bench/comparison.h"

namespace hone {

// C2ST-ddm against the number of simulations, as figure 1 of the paper: hone beside the published
// methods on the same observations; without published numbers, hone's methods beside each other.

struct C2stSeries {
  std::string name;   // "hone" or the method
  std::string label;  // in the legend
  std::vector<double> budgets, means;
  std::vector<double> half_widths;  // of the 95 % confidence interval; 0 where there is none
};

struct C2stPanel {
  std::string task;
  MarginalKind kind = MarginalKind::one_dimensional;
  std::vector<C2stSeries> series;  // hone's settings first
};

struct C2stFigure {
  std::vector<C2stPanel> panels;  // two per task: 1-d and 2-d
};

C2stFigure c2st_figure(const std::vector<BenchRow>& rows,
                       const std::vector<PublishedScore>& published);

// The ending of the file chooses the format: .png, .svg or .pdf.
void draw_c2st_figure(const std::filesystem::path& file, const C2stFigure& figure);

}  // namespace hone
