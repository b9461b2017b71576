// Labels of parameters, which may hold a little TeX.
#include "hone/report/label.h"

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hone::survive([&] { hone::parse_label(hone::text_of(data, size)); });
  return 0;
}
