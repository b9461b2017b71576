#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hone/check/checks.h"
#include "hone/report/canvas.h"
#include "hone/report/run_data.h"

// The figures of a run besides the corner plot. Each returns the bytes of a file; panels are as
// many as there is something to show, and the caller asks only for those that are not empty.

namespace hone {

// Per parameter: the region of each round, the final one darkest. Axes are drawn evenly in the
// prior's CDF and have ticks in the parameter's own units.
std::string truncation_figure(const ReportData& data, const Prior& prior, FigureFormat format);

// Pairs of parameters: the rectangles of all rounds inside each other. Intervals are drawn as they
// are, so a region with gaps is several rectangles.
std::string region_figure(const ReportData& data, const Prior& prior,
                          const std::vector<std::pair<int, int>>& pairs, FigureFormat format);

// Per parameter: log r / max r at the observation in each round, and the threshold epsilon.
std::string ratio_figure(const ReportData& data, const Prior& prior, double epsilon,
                         FigureFormat format);

// Per stage: losses of the networks, epoch by epoch.
std::string training_figure(const std::vector<TrainingBands>& training, FigureFormat format);

std::string observation_figure(const ObservationBands& bands, FigureFormat format);

// Empirical against nominal coverage with 95 % bands, and the same in standard deviations.
std::string coverage_figure(const std::vector<CoverageCurve>& curves, const Prior& prior,
                            FigureFormat format);
std::string sigma_figure(const std::vector<CoverageCurve>& curves, const Prior& prior,
                         FigureFormat format);

// ECDF minus the uniform one, with simultaneous bands: SBC and TARP.
std::string ecdf_figure(const std::vector<EcdfCurve>& curves, const std::string& label,
                        const Prior& prior, FigureFormat format);

}  // namespace hone
