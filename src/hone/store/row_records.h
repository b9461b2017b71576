#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hone/store/simulation_rows.h"

namespace hone {

// Rows as one record of a journal: "honejrnl", length and checksum of what follows, ids, seeds,
// rounds, failures, u, theta, x. The checksum begins with the run's identity.
std::vector<std::byte> encode_record(const SimulationRows& rows, std::uint64_t run);

// All whole records at the beginning of the bytes, up to the first that is torn, damaged, of
// another run or of another schema.
std::vector<SimulationRows> decode_records(std::span<const std::byte> bytes,
                                           const StoreSchema& schema, std::uint64_t run);

}  // namespace hone
