#include <algorithm>

#include <fmt/format.h>

#include "hone/inference/method.h"
#include "hone/inference/option_table.h"

namespace hone {

namespace {

// In the order in which the table first names them.
std::vector<std::string> groups() {
  std::vector<std::string> names;
  for (const OptionEntry& entry : option_table()) {
    if (std::ranges::find(names, entry.group) == names.end()) names.push_back(entry.group);
  }
  return names;
}

// What a preset has of its own for some methods, a sentence for all that have the same.
std::string by_method(const std::string& name) {
  const InferenceOptions own = preset(name);
  std::vector<std::pair<std::string, std::string>> sentences;  // options, methods
  for (const std::string& method : method_names()) {
    const InferenceOptions chosen = preset(name, method);
    std::string options;
    for (const OptionEntry& entry : option_table()) {
      if (entry.name == "method" || entry.get(chosen) == entry.get(own)) continue;
      options += fmt::format("{}`{} = {}`", options.empty() ? "" : ", ", entry.name,
                             entry.get(chosen).dump());
    }
    if (options.empty()) continue;
    if (chosen == preset("paper", method)) options = "the options of `paper`";
    const auto same =
        std::ranges::find(sentences, options, &std::pair<std::string, std::string>::first);
    if (same == sentences.end()) {
      sentences.emplace_back(options, fmt::format("`{}`", method));
    } else {
      same->second += fmt::format(", `{}`", method);
    }
  }
  std::string text;
  for (const auto& [options, methods] : sentences) {
    text += fmt::format("\nWith `method` {}: {}.\n", methods, options);
  }
  return text;
}

// Where presets beside the two columns differ from the one they are made from.
std::string other_presets(const InferenceOptions& standard, const InferenceOptions& paper) {
  std::string text = "\n## Other presets\n";
  for (const std::string& name : preset_names()) {
    if (name == "default" || name == "paper") continue;
    const bool from_paper = name.starts_with("paper") || name == "published";
    const InferenceOptions chosen = preset(name);
    text += fmt::format("\n`{}` is `{}` but for:\n\n| option | value |\n|---|---|\n", name,
                        from_paper ? "paper" : "default");
    for (const OptionEntry& entry : option_table()) {
      if (entry.get(chosen) == entry.get(from_paper ? paper : standard)) continue;
      text += fmt::format("| `{}` | {} |\n", entry.name, entry.get(chosen).dump());
    }
    text += by_method(name);
  }
  return text;
}

}  // namespace

std::string option_reference() {
  const InferenceOptions standard = preset("default"), paper = preset("paper");
  std::string text =
      "# Options of an inference\n\n"
      "Made by `hone options --markdown`. Every option is a flag of `hone run`, with `-` for `_`:\n"
      "`--round-fraction 0.2` sets `round_fraction`. `--preset` chooses the column to start from,\n"
      "or one of the [others](#other-presets). Built-in problems bring a `budget` of their own\n"
      "(`hone tasks`), and `cmb` its preset, `spectra`.\n";
  for (const std::string& group : groups()) {
    text += fmt::format(
        "\n## {}\n\n| option | meaning | allowed | default | paper |\n|---|---|---|---|---|\n",
        group);
    for (const OptionEntry& entry : option_table()) {
      if (entry.group != group) continue;
      text += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.name, entry.help, entry.values,
                          entry.get(standard).dump(), entry.get(paper).dump());
    }
  }
  return text + other_presets(standard, paper);
}

}  // namespace hone
