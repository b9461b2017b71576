#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hone/files/hdf5.h"
#include "hone/files/sealed_file.h"

// Which of the n simulations in a file failed, and why, as data sets:
//   status (n) uint8: 0 done, 1 failed
//   failed_id (k) int64 and failed_reason (k) text: the failed rows, in the same order

namespace hone {

// Long reasons are cut.
void add_failures(hdf5::Builder& builder, std::span<const std::int64_t> ids,
                  std::span<const std::optional<std::string>> failures);

struct FailureColumns {
  std::vector<std::uint8_t> status;
  std::map<std::int64_t, std::string> reasons;  // of the failed ids
};

// Error{io} with the path if they are damaged, or if an id is negative.
FailureColumns read_failures(const SealedFile& file, std::span<const std::int64_t> ids,
                             const std::string& path);

}  // namespace hone
