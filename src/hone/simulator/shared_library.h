#pragma once

#include <filesystem>
#include <memory>

#include "hone/simulator/simulator.h"

namespace hone {

// A simulator in a shared library with the functions of hone/simulator/c_interface.h. A path with a
// slash is taken as it is; a bare name is searched where the system searches libraries. data_size:
// the length of the observation.
// Error{input}: it cannot be loaded, lacks a function, has another version of the interface, makes
// data of another length, or refuses to begin.
std::unique_ptr<Simulator> load_simulator(const std::filesystem::path& library, Index parameters,
                                          Index data_size);

}  // namespace hone
