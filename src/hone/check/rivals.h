#pragma once

#include <span>
#include <vector>

#include "hone/check/local_c2st.h"
#include "hone/core/data_description.h"
#include "hone/core/matrix.h"

namespace hone {

// Other estimates of the parameters, to hold against the means of a posterior: second_opinion.h and
// sharpness.h ask what they know.
enum class RivalKind {
  columns,    // a regression on the columns of the data
  functions,  // a regression on functions of the data (data_functions.h)
  part        // one of the estimators that a combined posterior is made of
};

struct Rival {
  RivalKind kind = RivalKind::columns;
  std::vector<double> draws = {};  // estimates for test draws
  double observed = 0;             // and for the observation
  // By how much the true values of simulations scatter around them; a part has none.
  std::vector<double> error = {};
  double observed_error = 0;
};

// A 1-d posterior, what is true, and what others say.
struct ComparedPosterior {
  LocalDraws posterior;
  std::vector<double> truths = {};  // of the test draws, local
  std::vector<Rival> rivals = {};   // of the first draws, as many as the fewest of them have
};

struct RivalData {
  MatrixView<const float> reference;         // (m, columns): simulations to learn from
  MatrixView<const double> reference_local;  // (m, parameters)
  MatrixView<const float> draws;             // (n, columns): other ones
  std::span<const double> observation;       // (columns)
  const DataDescription& data;
  std::vector<int> parameters = {};  // whose rivals are wanted
};

// Simulations at most of each kind. Less where data are long, or parameters many.
struct RivalLimits {
  Index most_draws = 1000, most_reference = 3000;
  Index fewest_reference = 200;
};

// (parameters)(rivals): partial least squares give a linear estimate of every parameter, and a
// regression among the simulations whose estimates are nearest a mean (local_regression.h). None
// where there are too few simulations.
std::vector<std::vector<Rival>> regression_rivals(const RivalData& data,
                                                  const RivalLimits& limits = {});

}  // namespace hone
