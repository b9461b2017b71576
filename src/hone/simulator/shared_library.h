#pragma once

#include <filesystem>
#include <memory>

#include "hone/simulator/noise.h"
#include "hone/simulator/simulator.h"

namespace hone {

// A simulator in a shared library with the functions of hone/simulator/c_interface.h. A path with a
// slash is taken as it is; a bare name is searched where the system searches libraries. data_size:
// the length of its data, noise included if it has its own.
// Error{input}: it cannot be loaded, lacks a function, has another version of the interface, makes
// data of another length, or refuses to begin.
std::unique_ptr<Simulator> load_simulator(const std::filesystem::path& library, Index parameters,
                                          Index data_size);

// The noise in a shared library, for the simulations of another simulator. Errors are the same.
std::unique_ptr<NoiseModel> load_noise(const std::filesystem::path& library, Index parameters,
                                       Index data_size);
// Only the length of the noiseless part it takes.
Index library_noiseless_size(const std::filesystem::path& library, Index parameters,
                             Index data_size);

}  // namespace hone
