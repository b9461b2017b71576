#include "cli/progress_file.h"

#include <fstream>

#include <nlohmann/json.hpp>

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

// Renamed into place, so that nobody reads half of it.
void ProgressFile::write(std::string_view stage, Index done, Index total) {
  const std::filesystem::path fresh = file_.string() + ".tmp";
  const nlohmann::ordered_json json{
      {"context", context_}, {"stage", stage}, {"done", done}, {"total", total}};
  std::error_code ignored;
  bool good = false;
  {
    std::ofstream stream(fresh);
    stream << json.dump() << '\n';
    good = static_cast<bool>(stream.flush());
  }
  if (good) {
    std::filesystem::rename(fresh, file_, ignored);
  } else {
    std::filesystem::remove(fresh, ignored);
  }
  written_ = Clock::now();
}

}  // namespace hone::cli
