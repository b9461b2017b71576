#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hone/report/corner_plot.h"
#include "hone/run/run_directory.h"

namespace hone {

using TruthValues = std::map<std::string, double>;  // by name of parameter

// The header of a CSV file names parameters, its first row has their values; Error{input}
// otherwise. Names that a run does not have are no mistake: simulators have latent variables too.
TruthValues read_truth(const std::filesystem::path& file);

// Of one run, or of several on top of each other. Parameters are those of the first; others are
// matched by name, and may lack some. Labels of layers: names of the runs' directories.
CornerPlot run_corner(const std::vector<RunDirectory>& runs, const TruthValues& truth = {});

}  // namespace hone
