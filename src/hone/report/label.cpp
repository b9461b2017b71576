#include "hone/report/label.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace hone {
namespace {

constexpr double kScriptScale = 0.7, kRaised = 0.36, kLowered = -0.2;

const std::map<std::string, std::string>& symbols() {
  static const std::map<std::string, std::string> table{
      {"alpha", "α"},    {"beta", "β"},    {"gamma", "γ"},      {"delta", "δ"}, {"epsilon", "ε"},
      {"zeta", "ζ"},     {"eta", "η"},     {"theta", "θ"},      {"iota", "ι"},  {"kappa", "κ"},
      {"lambda", "λ"},   {"mu", "μ"},      {"nu", "ν"},         {"xi", "ξ"},    {"omicron", "ο"},
      {"pi", "π"},       {"rho", "ρ"},     {"sigma", "σ"},      {"tau", "τ"},   {"upsilon", "υ"},
      {"phi", "φ"},      {"chi", "χ"},     {"psi", "ψ"},        {"omega", "ω"}, {"Gamma", "Γ"},
      {"Delta", "Δ"},    {"Theta", "Θ"},   {"Lambda", "Λ"},     {"Xi", "Ξ"},    {"Pi", "Π"},
      {"Sigma", "Σ"},    {"Upsilon", "Υ"}, {"Phi", "Φ"},        {"Psi", "Ψ"},   {"Omega", "Ω"},
      {"vartheta", "ϑ"}, {"varphi", "ϕ"},  {"varepsilon", "ϵ"}, {"odot", "☉"},  {"oplus", "⊕"},
      {"times", "×"},    {"cdot", "·"},    {"pm", "±"},         {"deg", "°"},   {"circ", "°"},
      {"infty", "∞"},    {"star", "⋆"},    {"ast", "*"},        {"prime", "′"}, {"parallel", "∥"},
      {"perp", "⊥"},     {"sim", "∼"},     {"log", "log"},      {"ln", "ln"},   {"exp", "exp"},
      {"sin", "sin"},    {"cos", "cos"},   {"tan", "tan"},      {"min", "min"}, {"max", "max"},
      {"ell", "ℓ"},      {"hbar", "ħ"},    {"partial", "∂"},    {"nabla", "∇"}, {"sqrt", "√"},
      {"leq", "≤"},      {"geq", "≥"},     {"approx", "≈"},     {"quad", "  "}};
  return table;
}

// Commands that only choose a font or a size.
bool is_silent(const std::string& command) {
  for (const char* name : {"mathrm", "rm", "text", "textrm", "mathit", "mathbf", "bf", "it",
                           "mathcal", "operatorname", "left", "right", "displaystyle", "mathsf"}) {
    if (command == name) return true;
  }
  return false;
}

// An accent stands after its letter in Unicode.
std::string accent_of(const std::string& command) {
  static const std::map<std::string, std::string> table{{"dot", "\u0307"},   {"ddot", "\u0308"},
                                                        {"hat", "\u0302"},   {"bar", "\u0304"},
                                                        {"tilde", "\u0303"}, {"vec", "\u20d7"}};
  const auto found = table.find(command);
  return found == table.end() ? "" : found->second;
}

class Parser {
 public:
  explicit Parser(const std::string& markup) : markup_(markup) {}

  Label parse() {
    while (at_ < markup_.size()) item({});
    return std::move(label_);
  }

 private:
  struct Style {
    double scale = 1, rise = 0;
    bool operator==(const Style&) const = default;
  };

  void item(Style style) {
    const char c = markup_[at_];
    if (c == '\\') return command(style);
    if (c == '_' || c == '^') return script(c, style);
    if (c == '{') return group(style);
    if (c == '$' || c == '}') {
      ++at_;
    } else {
      put(character(), style);
    }
  }

  // Up to the closing brace, which may be missing.
  void group(Style style) {
    ++at_;
    while (at_ < markup_.size() && markup_[at_] != '}') item(style);
    if (at_ < markup_.size()) ++at_;
  }

  void script(char kind, Style style) {
    if (++at_ == markup_.size()) return put(std::string(1, kind), style);
    const bool both = after_script_ == at_ - 1 && script_kind_ != kind;
    const std::size_t first = label_.size();
    fresh_ = true;
    item({style.scale * kScriptScale,
          style.rise + style.scale * (kind == '^' ? kRaised : kLowered)});
    if (both && first < label_.size()) label_[first].stacked = true;
    fresh_ = true;
    after_script_ = at_;
    script_kind_ = kind;
  }

  void command(Style style) {
    std::size_t end = ++at_;
    while (end < markup_.size() && std::isalpha(static_cast<unsigned char>(markup_[end]))) ++end;
    const std::string name = markup_.substr(at_, end - at_);
    if (name.empty()) return escaped(style);
    at_ = end;
    if (const auto found = symbols().find(name); found != symbols().end()) {
      skip_blanks();
      put(found->second, style);
      // "log r": the name of a function stands apart from what follows, unless that is a script or
      // a bracket.
      const bool function = found->second == name;
      if (function && at_ < markup_.size() &&
          std::string_view("_^({[}$ ").find(markup_[at_]) == std::string_view::npos) {
        put("\u2009", style);
      }
    } else if (const std::string accent = accent_of(name); !accent.empty()) {
      skip_blanks();
      if (at_ < markup_.size()) item(style);
      put(accent, style);
    } else if (is_silent(name)) {
      skip_blanks();
    } else {
      put("\\" + name, style);
    }
  }

  // \, and the like are narrow blanks; other escaped characters stand for themselves.
  void escaped(Style style) {
    if (at_ == markup_.size()) return put("\\", style);
    const char c = markup_[at_];
    if (c == ',' || c == ';' || c == ':' || c == ' ') {
      ++at_;
      put("\u2009", style);
    } else if (c == '!') {
      ++at_;
    } else {
      put(character(), style);
    }
  }

  void skip_blanks() {
    while (at_ < markup_.size() && markup_[at_] == ' ') ++at_;
  }

  // One character of UTF-8; a minus sign is not a hyphen.
  std::string character() {
    const std::size_t begin = at_++;
    while (at_ < markup_.size() && (markup_[at_] & 0xC0) == 0x80) ++at_;
    return markup_.substr(begin, at_ - begin);
  }

  void put(const std::string& text, Style style) {
    const bool joins =
        !fresh_ && !label_.empty() && Style{label_.back().scale, label_.back().rise} == style;
    if (joins) {
      label_.back().text += text;
    } else {
      label_.push_back({style.rise != 0 && text == "-" ? "−" : text, style.scale, style.rise});
    }
    fresh_ = false;
  }

  const std::string& markup_;
  std::size_t at_ = 0;
  std::size_t after_script_ = std::string::npos;  // where the last script ended
  char script_kind_ = 0;
  bool fresh_ = false;  // the next text begins a piece
  Label label_;
};

}  // namespace

Label parse_label(const std::string& markup) {
  return Parser(markup).parse();
}

Label parameter_label(const std::string& name, const std::string& label) {
  if (!label.empty() && label != name) return parse_label(label);
  const std::size_t underscore = name.find('_');
  const std::string stem = name.substr(0, underscore);
  const bool numbered =
      underscore != std::string::npos && underscore + 1 < name.size() &&
      std::ranges::all_of(name.substr(underscore + 1), [](char c) { return c >= '0' && c <= '9'; });
  const auto symbol = symbols().find(stem);
  if (symbol == symbols().end() || (underscore != std::string::npos && !numbered)) {
    return {{name}};
  }
  return parse_label("\\" + stem + (numbered ? "_{" + name.substr(underscore + 1) + "}" : ""));
}

std::string plain_text(const Label& label) {
  std::string text;
  for (const LabelPiece& piece : label) {
    text += (piece.rise > 0 ? "^" : piece.rise < 0 ? "_" : "") + piece.text;
  }
  return text;
}

namespace {

// Where each piece begins; the last is the end of all.
std::vector<double> piece_starts(Canvas& canvas, const Label& label, const TextStyle& style) {
  std::vector<double> starts;
  double begin = 0, end = 0;
  for (const LabelPiece& piece : label) {
    if (!piece.stacked) begin = end;
    starts.push_back(begin);
    TextStyle own = style;
    own.size *= piece.scale;
    end = std::max(end, begin + canvas.text_width(piece.text, own));
  }
  starts.push_back(end);
  return starts;
}

}  // namespace

double label_width(Canvas& canvas, const Label& label, const TextStyle& style) {
  return piece_starts(canvas, label, style).back();
}

void draw_label(Canvas& canvas, const Label& label, Point at, const TextStyle& style) {
  constexpr double kCapitals = 0.73;  // height of a capital letter / font size
  const std::vector<double> starts = piece_starts(canvas, label, style);
  const double angle = style.turn * std::numbers::pi / 180;
  for (std::size_t i = 0; i < label.size(); ++i) {
    const double along = starts[i] - style.horizontal * starts.back();
    const double up = label[i].rise * style.size - style.vertical * kCapitals * style.size;
    TextStyle own = style;
    own.size *= label[i].scale;
    own.horizontal = own.vertical = 0;
    canvas.text(label[i].text,
                {at.x + along * std::cos(angle) - up * std::sin(angle),
                 at.y - along * std::sin(angle) - up * std::cos(angle)},
                own);
  }
}

}  // namespace hone
