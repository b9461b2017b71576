// The seals of JSON files: a text that passes is one that hone wrote.
#include "hone/files/sealed_json.h"

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hone::survive([&] { hone::verify_sealed_json(hone::text_of(data, size)); });
  return 0;
}
