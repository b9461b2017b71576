#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/store/dataset_file.h"

// Inside store/ only: the csv part of hone/store/dataset_file.h.

namespace hone {

// One file with a header: columns named like the parameters are theta, all others are x.
ExistingSimulations read_dataset_csv(const std::filesystem::path& file,
                                     const std::vector<std::string>& parameters);

// Two files. A header of the first must name the parameters, in any order.
ExistingSimulations read_dataset_csv(const std::filesystem::path& theta_file,
                                     const std::filesystem::path& x_file,
                                     const std::vector<std::string>& parameters);

}  // namespace hone
