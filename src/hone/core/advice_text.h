#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"

namespace hone {

// What to do, in plain words with actions between them: what the checks and warnings of a run
// advise. Each interface phrases the actions in its own way.
class AdviceText {
 public:
  AdviceText() = default;
  AdviceText(const char* text) : AdviceText(std::string(text)) {}  // NOLINT: words are advice
  AdviceText(std::string text);                                    // NOLINT
  // An action on the run "DIR", with the number that it needs: a budget, a count; 0: none.
  explicit AdviceText(Action action, long number = 0);
  AdviceText& operator+=(const AdviceText& more);
  friend AdviceText operator+(AdviceText first, const AdviceText& second) {
    return first += second;
  }

  bool empty() const { return parts_.empty(); }
  std::string text(ActionWords words = command_words) const;

  // "advice": the text; and "advice_parts", if there is an action in it.
  void write_to(nlohmann::ordered_json& json, ActionWords words = command_words) const;
  // What write_to wrote with the words of the command line; nlohmann's exceptions, Error{input}.
  static AdviceText read_from(const nlohmann::ordered_json& json);

 private:
  struct Part {
    std::string text = {};  // or
    Action action = Action::none;
    long number = 0;
  };
  std::vector<Part> parts_ = {};
};

}  // namespace hone
