#include "hone/store/failure_columns.h"

#include <algorithm>

#include "hone/core/error.h"

namespace hone {
namespace {

// Longer reasons (a page of a simulator's output) are cut.
constexpr std::size_t kLongestReason = 500;

// The end of the text that can be stored: no zero bytes, which would end it on reading.
std::string stored_reason(const std::string& reason) {
  std::string text = reason.substr(0, kLongestReason);
  std::ranges::replace(text, '\0', ' ');
  return text;
}

}  // namespace

void add_failures(hdf5::Builder& builder, std::span<const std::int64_t> ids,
                  std::span<const std::optional<std::string>> failures) {
  std::vector<std::uint8_t> status;
  std::vector<std::int64_t> failed_ids;
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    status.push_back(failures[i].has_value());
    if (!failures[i]) continue;
    failed_ids.push_back(ids[i]);
    reasons.push_back(stored_reason(*failures[i]));
  }
  builder.add("status", {std::ssize(status)}, std::span<const std::uint8_t>(status));
  builder.add("failed_id", {std::ssize(failed_ids)}, std::span<const std::int64_t>(failed_ids));
  builder.add_text("failed_reason", reasons);
}

FailureColumns read_failures(const SealedFile& file, std::span<const std::int64_t> ids,
                             const std::string& path) {
  FailureColumns columns;
  columns.status = file.read<std::uint8_t>("status", {std::ssize(ids)});
  std::vector<std::int64_t> failed_ids;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0) fail(ErrorKind::io, "{}: damaged: id {}", path, ids[i]);
    if (columns.status[i] > 1) {
      fail(ErrorKind::io, "{}: damaged: status {}", path, columns.status[i]);
    }
    if (columns.status[i] == 1) failed_ids.push_back(ids[i]);
  }
  const auto failed = std::ssize(failed_ids);
  if (file.read<std::int64_t>("failed_id", {failed}) != failed_ids) {
    fail(ErrorKind::io, "{}: damaged: failed_id and status disagree", path);
  }
  const std::vector<std::string> reasons = file.read_text("failed_reason", failed);
  for (std::size_t i = 0; i < reasons.size(); ++i) columns.reasons[failed_ids[i]] = reasons[i];
  return columns;
}

}  // namespace hone
