#include "hone/simulator/part_of_request.h"

#include "hone/core/selected_rows.h"

namespace hone {

SimulationRequest part_of(const SimulationRequest& request, std::span<const Index> rows) {
  SimulationRequest part;
  part.theta = selected_rows(request.theta, rows);
  for (const Index row : rows) {
    part.ids.push_back(request.ids[static_cast<std::size_t>(row)]);
    part.seeds.push_back(request.seeds[static_cast<std::size_t>(row)]);
  }
  return part;
}

}  // namespace hone
