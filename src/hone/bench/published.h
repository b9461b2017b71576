#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// A run of another implementation, as published: src/hone/bench/published_c2st.csv, with its origin
// in the first lines. C2ST-ddm against the reference posteriors of sbibm.
struct PublishedScore {
  std::string method;  // "TMNRE" is the paper's; the others were run by sbibm
  std::string task;
  Index budget = 0;
  int observation = 1;
  std::optional<double> c2st_1d, c2st_2d;  // one is missing here and there
  std::optional<double> seconds;           // of TMNRE, on a TitanX GPU
  std::optional<double> c2st_joint = {};   // of all parameters together; not of TMNRE
};

// In the program itself, wherever it is installed.
const std::vector<PublishedScore>& published_scores();

std::vector<std::string> published_tasks();    // in the order of the paper's figure
std::vector<std::string> published_methods();  // TMNRE first

}  // namespace hone
