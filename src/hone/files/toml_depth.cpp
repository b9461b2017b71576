#include "hone/files/toml_depth.h"

#include <algorithm>
#include <vector>

namespace hone {
namespace {

class Scanner {
 public:
  Scanner(std::string_view text, int deepest) : text_(text), deepest_(deepest) {}

  std::optional<Index> line_too_deep() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        take(c);
        ++at_;
      }
      if (level_ + parts_ > deepest_) return line();
    }
    return std::nullopt;
  }

 private:
  // Something that is open: a list, an inline table, or the brackets of [a.b].
  struct Open {
    bool keys;   // do keys stand in it?
    int levels;  // with the parts of the key that leads to it
  };

  void take(char c) {
    switch (c) {
      case '.':
        if (in_key_) ++parts_;  // otherwise it is in a number
        break;
      case '=': in_key_ = false; break;
      case '[': open(in_key_); break;
      case '{': open(true); break;
      case ']':
      case '}': close(); break;
      case ',': begin_item(); break;
      case '\n':
        if (open_.empty()) begin_item();
        break;
      default: break;
    }
  }

  void begin_item() {
    parts_ = 0;
    in_key_ = open_.empty() || open_.back().keys;
  }
  void open(bool keys) {
    open_.push_back({keys, parts_ + 1});
    level_ += parts_ + 1;
    begin_item();
  }
  void close() {
    if (open_.empty()) return;
    level_ -= open_.back().levels;
    open_.pop_back();
    parts_ = 0;
    in_key_ = false;  // until the next item begins
  }

  void skip_string(char quote) {
    const std::string three(3, quote);
    if (text_.substr(at_, 3) == three) return skip_long_string(quote, three);
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && quote == '"') ++at_;
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  }
  void skip_long_string(char quote, const std::string& three) {
    for (at_ += 3; at_ < text_.size() && text_.substr(at_, 3) != three; ++at_) {
      if (text_[at_] == '\\' && quote == '"') ++at_;
    }
    at_ += 3;
    // Two more quotes may stand at its end: """a"""""
    for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
  }

  Index line() const {
    return 1 + std::count(text_.begin(),
                          text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())),
                          '\n');
  }

  std::string_view text_;
  int deepest_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  int level_ = 0;       // of all that is open
  int parts_ = 0;       // dots of the key at hand
  bool in_key_ = true;  // not in a value
};

}  // namespace

std::optional<Index> line_of_too_deep_toml(std::string_view text, int deepest) {
  return Scanner(text, deepest).line_too_deep();
}

}  // namespace hone
