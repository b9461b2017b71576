#include "hone/problem/resolve_noise.h"

#include "hone/core/error.h"

namespace hone {

std::shared_ptr<const NoiseModel> resolve_noise(const NoiseSpec& spec,
                                                const NoiseModel* of_simulator, Index parameters,
                                                Index data_size) {
  const bool expected = spec.kind == NoiseKind::simulator;
  if (of_simulator == nullptr) {
    if (expected) {
      fail(ErrorKind::input, "the simulator has no noise, but this run was made with it");
    }
    return make_noise(spec, parameters, data_size);
  }
  if (!expected) {
    fail(ErrorKind::input,
         "the simulator brings its own noise, but the noise of this run is '{}'; give one of them",
         to_string(spec.kind));
  }
  if (of_simulator->data_size() != data_size) {
    fail(ErrorKind::input, "the simulator's noise makes {} values, but the observation has {}",
         of_simulator->data_size(), data_size);
  }
  return {std::shared_ptr<void>(), of_simulator};
}

}  // namespace hone
