// Labels of parameters, which may hold a little TeX.
#include "hone/report/label.h"

#include "fuzz.h"

HONE_FUZZ_TARGET(label)(const std::string& bytes) {
  hone::survive([&] { hone::parse_label(bytes); });
}
