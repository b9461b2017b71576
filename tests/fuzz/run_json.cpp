// The JSON files of a run, once past their seals.
#include "fuzz.h"
#include "hone/check/checks.h"
#include "hone/check/predictive.h"
#include "hone/files/json_text.h"
#include "hone/posterior/correction.h"
#include "hone/posterior/summary.h"
#include "hone/run/run_directory.h"
#include "hone/run/run_files.h"
#include "hone/run/run_spec.h"

HONE_FUZZ_TARGET(run_json)(const std::string& bytes) {
  using namespace hone;
  const auto parsed = try_parse_json(bytes);
  if (!parsed) return;
  const nlohmann::json& json = *parsed;
  survive([&] { run_spec_from_json(json); });
  survive([&] { round_from_json(json, 1, 2); });
  survive([&] { summary_from_json(json); });
  survive([&] { correction_from_json(json); });
  survive([&] { extensions_from_json(json, 100); });
  survive([&] { predictive_from_json(json, 3); });
  survive([&] { check_result_from_json(nlohmann::ordered_json(json)); });
  survive([&] { checks_from_json(nlohmann::ordered_json(json)); });
}
