#include "hone/core/advice_text.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

// Actions that advice may name, as files of a run have them.
constexpr std::array<std::pair<Action, const char*>, 4> kNames{{
    {Action::correct, "correct"},
    {Action::larger_budget, "larger_budget"},
    {Action::more_test_draws, "more_test_draws"},
    {Action::compare, "compare"},
}};

std::string with_number(std::string words, long number) {
  const auto place = words.rfind('N');
  if (number != 0 && place != std::string::npos) words.replace(place, 1, std::to_string(number));
  return words;
}

}  // namespace

AdviceText::AdviceText(std::string text) {
  if (!text.empty()) parts_.push_back({.text = std::move(text)});
}

AdviceText::AdviceText(Action action, long number) {
  parts_.push_back({.action = action, .number = number});
}

AdviceText& AdviceText::operator+=(const AdviceText& more) {
  const std::vector<Part> copy = more.parts_;  // may be our own
  parts_.insert(parts_.end(), copy.begin(), copy.end());
  return *this;
}

std::string AdviceText::text(ActionWords words) const {
  std::string text;
  for (const Part& part : parts_) {
    text += part.action == Action::none ? part.text
                                        : with_number(words(part.action, "DIR"), part.number);
  }
  return text;
}

void AdviceText::write_to(nlohmann::ordered_json& json, ActionWords words) const {
  json["advice"] = text(words);
  if (words != command_words) return;  // for people, not to be read again
  if (std::ranges::all_of(parts_, [](const Part& p) { return p.action == Action::none; })) return;
  auto list = nlohmann::ordered_json::array();
  for (const Part& part : parts_) {
    if (part.action == Action::none) {
      list.push_back({{"text", part.text}});
      continue;
    }
    const auto* known =
        std::ranges::find(kNames, part.action, &decltype(kNames)::value_type::first);
    HONE_ASSERT(known != kNames.end());
    list.push_back({{"action", known->second}, {"number", part.number}});
  }
  json["advice_parts"] = std::move(list);
}

AdviceText AdviceText::read_from(const nlohmann::ordered_json& json) {
  if (!json.contains("advice_parts")) return {json.at("advice").get<std::string>()};
  AdviceText advice;
  for (const auto& part : json.at("advice_parts")) {
    if (part.contains("text")) {
      advice += part.at("text").get<std::string>();
      continue;
    }
    const std::string name = part.at("action");
    const auto* known =
        std::ranges::find(kNames, name, [](const auto& one) { return std::string(one.second); });
    if (known == kNames.end()) fail(ErrorKind::input, "advice {}: is not known", name);
    advice += AdviceText(known->first, part.at("number").get<long>());
  }
  return advice;
}

}  // namespace hone
