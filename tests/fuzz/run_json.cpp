// The JSON files of a run, once past their seals.
#include "fuzz.h"
#include "hone/check/checks.h"
#include "hone/files/json_text.h"
#include "hone/posterior/correction.h"
#include "hone/posterior/summary.h"
#include "hone/run/run_files.h"
#include "hone/run/run_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hone;
  const std::string text = text_of(data, size);
  nlohmann::json json;
  try {
    json = parse_json(text);
  } catch (const Error&) {
    return 0;
  } catch (const nlohmann::json::exception&) {
    return 0;
  }
  survive([&] { run_spec_from_json(json); });
  survive([&] { round_from_json(json, 1, 2); });
  survive([&] { summary_from_json(json); });
  survive([&] { correction_from_json(json); });
  survive([&] { checks_from_json(nlohmann::ordered_json(json)); });
  return 0;
}
