#include "hone/simulator/command_template.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/simulator/worker_protocol.h"

namespace hone {
namespace {

std::string number(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

// What an argument is made of, in this order.
struct BracePart {
  enum class Kind {
    text,     // two braces of a kind are one in it
    name,     // what stands between braces
    unclosed  // from a brace that nothing closes to the end
  };
  Kind kind;
  std::string text;
};
std::vector<BracePart> brace_parts(const std::string& argument) {
  using Kind = BracePart::Kind;
  std::vector<BracePart> parts;
  std::string text;
  const auto end_text = [&] {
    if (!text.empty()) parts.push_back({Kind::text, std::exchange(text, "")});
  };
  for (std::size_t i = 0; i < argument.size(); ++i) {
    const char c = argument[i];
    const bool doubled = i + 1 < argument.size() && argument[i + 1] == c;
    if ((c == '{' || c == '}') && doubled) {
      text += c;
      ++i;
    } else if (c == '{') {
      end_text();
      const std::size_t end = argument.find('}', i);
      if (end == argument.npos) {
        parts.push_back({Kind::unclosed, argument.substr(i)});
        return parts;
      }
      parts.push_back({Kind::name, argument.substr(i + 1, end - i - 1)});
      i = end;
    } else {
      text += c;
    }
  }
  end_text();
  return parts;
}

// The i of "theta[i]".
std::optional<std::size_t> theta_index(std::string_view name) {
  if (!name.starts_with("theta[") || !name.ends_with("]")) return std::nullopt;
  name = name.substr(6, name.size() - 7);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return index;
}

}  // namespace

CommandTemplate::CommandTemplate(OneShotOptions& options) : names_(options.parameters) {
  for (const std::string& argument : options.command) arguments_.push_back(parse(argument));
  if (uses(Piece::Kind::parameters) && options.parameter_file.empty()) {
    options.parameter_file = "parameters.txt";
  }
  if (uses(Piece::Kind::result) && options.result_file.empty()) options.result_file = "result.csv";
  parameter_file_ = options.parameter_file;
  result_file_ = options.result_file;
  directory_ = std::filesystem::absolute(options.directory / ".").lexically_normal().string();
  if (directory_.size() > 1 && directory_.back() == '/') directory_.pop_back();
}

bool CommandTemplate::uses(Piece::Kind kind) const {
  return std::ranges::any_of(arguments_, [kind](const Argument& pieces) {
    return std::ranges::find(pieces, kind, &Piece::kind) != pieces.end();
  });
}

bool CommandTemplate::tells_parameters() const {
  return !parameter_file_.empty() || uses(Piece::Kind::theta) || uses(Piece::Kind::all_theta);
}

CommandTemplate::Argument CommandTemplate::parse(const std::string& argument) const {
  Argument pieces;
  for (BracePart& part : brace_parts(argument)) {
    switch (part.kind) {
      case BracePart::Kind::text:
        pieces.push_back({Piece::Kind::text, std::move(part.text)});
        break;
      case BracePart::Kind::name: pieces.push_back(placeholder(part.text, argument)); break;
      case BracePart::Kind::unclosed:
        fail(ErrorKind::input, "'{}': a brace is not closed; write {{{{ for a plain one",
             argument.substr(0, 60));
    }
  }
  if (pieces.size() > 1 && std::ranges::any_of(pieces, [](const Piece& piece) {
        return piece.kind == Piece::Kind::all_theta;
      })) {
    fail(ErrorKind::input, "'{}': {{theta}} must be an argument of its own",
         argument.substr(0, 60));
  }
  return pieces;
}

CommandTemplate::Piece CommandTemplate::placeholder(const std::string& name,
                                                    const std::string& argument) const {
  using Kind = Piece::Kind;
  constexpr std::pair<const char*, Kind> kWords[] = {// NOLINT
                                                     {"theta", Kind::all_theta},
                                                     {"seed", Kind::seed},
                                                     {"id", Kind::id},
                                                     {"result", Kind::result},
                                                     {"parameters", Kind::parameters},
                                                     {"directory", Kind::directory}};
  // A parameter may be called "seed"; its own name comes first.
  if (const auto found = std::ranges::find(names_, name); found != names_.end()) {
    return {Kind::theta, "", static_cast<std::size_t>(found - names_.begin())};
  }
  if (const auto index = theta_index(name); index && *index < names_.size()) {
    return {Kind::theta, "", *index};
  }
  for (const auto& [word, kind] : kWords) {
    if (name == word) return {kind, "", 0};
  }
  std::vector<std::string> allowed = names_;
  for (const auto& one : kWords) allowed.emplace_back(one.first);
  for (std::size_t i = 0; i < names_.size(); ++i) allowed.push_back(fmt::format("theta[{}]", i));
  fail(ErrorKind::input, "'{}': unknown placeholder '{{{}}}'; {}; write {{{{ for a plain brace",
       argument.substr(0, 60), name.substr(0, 60), suggestion(name, allowed));
}

std::string CommandTemplate::expand(const Piece& piece, const OneShotCall& call) const {
  switch (piece.kind) {
    case Piece::Kind::text: return piece.text;
    case Piece::Kind::theta: return number(call.theta[piece.index]);
    case Piece::Kind::seed: return std::to_string(call.seed);
    case Piece::Kind::id: return std::to_string(call.id);
    case Piece::Kind::parameters: return (call.directory / parameter_file_).string();
    case Piece::Kind::result: return (call.directory / result_file_).string();
    case Piece::Kind::directory: return directory_;
    case Piece::Kind::all_theta: break;  // several arguments
  }
  return "";
}

std::vector<std::string> CommandTemplate::arguments(const OneShotCall& call) const {
  std::vector<std::string> result;
  for (const Argument& pieces : arguments_) {
    if (pieces.size() == 1 && pieces[0].kind == Piece::Kind::all_theta) {
      for (const double value : call.theta) result.push_back(number(value));
      continue;
    }
    std::string& argument = result.emplace_back();
    for (const Piece& piece : pieces) argument += expand(piece, call);
  }
  return result;
}

std::string parameter_text(const OneShotCall& call, const std::vector<std::string>& names,
                           bool as_json) {
  if (as_json) {
    nlohmann::ordered_json object = {{"id", call.id}, {"seed", call.seed}};
    object["theta"] = std::vector<double>(call.theta.begin(), call.theta.end());
    for (std::size_t i = 0; i < names.size(); ++i) object["parameters"][names[i]] = call.theta[i];
    return object.dump(2) + "\n";
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += names[i] + " = " + number(call.theta[i]) + "\n";
  }
  if (std::ranges::find(names, "seed") == names.end()) {
    text += "seed = " + std::to_string(call.seed) + "\n";
  }
  return text;
}

void check_placeholders(const OneShotOptions& options) {
  OneShotOptions completed = options;
  if (CommandTemplate(completed).tells_parameters()) return;
  fail(ErrorKind::input,
       "the program is not told its parameters: use {{theta}} (all of them), {{{}}} (one) or "
       "{{parameters}} (a file) in an argument",
       options.parameters.front());
}

bool is_one_shot(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](const std::string& argument) {
    return std::ranges::any_of(brace_parts(argument), [](const BracePart& part) {
      return part.kind != BracePart::Kind::text;
    });
  });
}

std::vector<std::string> without_placeholders(std::vector<std::string> command) {
  for (std::string& argument : command) {
    std::string plain;
    for (const BracePart& part : brace_parts(argument)) {
      const bool named = part.kind == BracePart::Kind::name;
      plain += named ? "{" + part.text + "}" : part.text;
    }
    argument = std::move(plain);
  }
  return command;
}

}  // namespace hone
