// Small texts that a user types or a problem file holds: marginals, lists of numbers, commands with
// placeholders. And what makes any text fit for a terminal.
#include <cstdlib>

#include "fuzz.h"
#include "hone/core/number_text.h"
#include "hone/core/visible_text.h"
#include "hone/prior/marginals.h"
#include "hone/simulator/command_template.h"

HONE_FUZZ_TARGET(user_text)(const std::string& text) {
  using namespace hone;
  const std::vector<std::string> names{"mass", "age", "0"};
  survive([&] { parse_marginal(text, names); });
  survive([&] { parse_numbers(text, "text"); });
  survive([&] {
    OneShotOptions options;
    options.command = {"program", text};
    options.parameters = names;
    const CommandTemplate command(options);
    const double theta[] = {1, 2, 3};
    command.arguments({.id = 7, .seed = 1, .theta = theta, .directory = "/"});
  });
  for (const char c : visible_text(text)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    if (control || c == 0x7F) std::abort();
  }
}
