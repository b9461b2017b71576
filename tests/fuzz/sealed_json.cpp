// The seals of JSON files: a text that passes is one that hone wrote.
#include "hone/files/sealed_json.h"

#include "fuzz.h"

HONE_FUZZ_TARGET(sealed_json)(const std::string& bytes) {
  hone::survive([&] { hone::verify_sealed_json(bytes); });
}
