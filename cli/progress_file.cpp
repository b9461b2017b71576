#include "cli/progress_file.h"

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/files/files.h"

namespace hone::cli {

ProgressFile::~ProgressFile() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void ProgressFile::stage_started(std::string_view stage, Index total) {
  next_.stage_started(stage, total);
  write(stage, 0, total);
}

void ProgressFile::stage_advanced(std::string_view stage, Index done, Index total) {
  next_.stage_advanced(stage, done, total);
  if (Clock::now() - written_ > std::chrono::milliseconds(500)) write(stage, done, total);
}

void ProgressFile::context_changed(const std::string& context) {
  context_ = context;
  next_.context_changed(context);
}

// As a whole, so that nobody reads half of it. A run does not end because this cannot be written.
void ProgressFile::write(std::string_view stage, Index done, Index total) {
  const nlohmann::ordered_json json{
      {"context", context_}, {"stage", stage}, {"done", done}, {"total", total}};
  try {
    replace_file(file_, json.dump() + "\n");
  } catch (const Error&) {
  }
  written_ = Clock::now();
}

}  // namespace hone::cli
