#include "hone/posterior/correction.h"

#include "hone/core/error.h"

namespace hone {

double Correction::power(const Marginal& marginal) const {
  const auto found = powers.find(marginal);
  return found == powers.end() ? 1 : found->second;
}

nlohmann::ordered_json to_json(const Correction& correction) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [marginal, power] : correction.powers) {
    list.push_back({{"marginal", marginal}, {"power", power}});
  }
  return {{"powers", list}};
}

Correction correction_from_json(const nlohmann::json& json) {
  Correction correction;
  for (const auto& one : json.at("powers")) {
    const double power = one.at("power");
    if (!(power > 0 && power <= 1)) fail(ErrorKind::input, "power {}: must lie in (0, 1]", power);
    correction.powers[one.at("marginal").get<Marginal>()] = power;
  }
  return correction;
}

}  // namespace hone
