#include "hone/files/file_mark.h"

#include <fmt/format.h>

namespace hone {

std::optional<std::string> misplaced(const FileMark& found, const FileMark& expected) {
  if (expected.run == 0 || found == expected) return std::nullopt;
  if (found.run == 0) return "it does not say which run it belongs to";
  if (found.run == expected.run) return fmt::format("it is a copy of {} of this run", found.name);
  return fmt::format("it belongs to another run ({:016x}; this one is {:016x})", found.run,
                     expected.run);
}

}  // namespace hone
