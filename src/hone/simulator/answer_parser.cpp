#include "hone/simulator/answer_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "hone/files/json_text.h"

namespace hone {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestErrorText = 1000;
// Bytes of a frame of the wrong length that are read over; a larger one is rubbish.
constexpr Index kMostSkippedValues = Index{1} << 27;

struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A reader of one flat JSON object. Numbers go straight into x, three times faster than through a
// tree, and it takes what JSON has no word for but libraries write: NaN, Infinity, null.
class LineParser {
 public:
  LineParser(std::string_view line, Index data_size) : rest_(line), data_size_(data_size) {}

  ParsedLine parse() {
    expect('{');
    if (!accept('}')) {
      do {
        const std::string key = string();
        expect(':');
        member(key);
      } while (accept(','));
      expect('}');
    }
    skip_blanks();
    if (!rest_.empty()) throw Malformed("text after the closing brace");
    finish();
    return std::move(result_);
  }

 private:
  void member(const std::string& key) {
    Answer& answer = result_.answer;
    if (key == "id") {
      answer.id = integer("id");
      has_id_ = true;
    } else if (key == "x") {
      numbers();
      has_x_ = true;
    } else if (key == "error") {
      answer.text = string();
      has_error_ = true;
    } else if (key == "binary") {
      const std::string type = string();
      if (type != "float64" && type != "float32") {
        throw Malformed("\"binary\" must be \"float64\" or \"float32\"");
      }
      result_.binary_bytes = type == "float64" ? 8 : 4;
    } else if (key == "count") {
      count_ = integer("count");
    } else if (key == "ready") {
      skip_value();
      has_ready_ = true;
    } else {
      skip_value();
    }
  }

  void finish() {
    Answer& answer = result_.answer;
    const bool binary = result_.binary_bytes > 0;
    if (has_ready_ && !has_id_) {
      answer.kind = Answer::Kind::ready;
      return;
    }
    if (!has_id_) throw Malformed("\"id\" is missing");
    if (has_x_ + has_error_ + binary != 1) {
      throw Malformed("exactly one of \"x\", \"error\" and \"binary\" is needed");
    }
    if (binary && (count_ < 0 || count_ > kMostSkippedValues)) {
      throw Malformed("\"count\" is missing or impossible");
    }
    if (binary) answer.length = count_;
    if (has_error_) answer.text.resize(utf8_cut(answer.text, kLongestErrorText));
    answer.kind = has_error_ ? Answer::Kind::error : Answer::Kind::data;
  }

  static std::size_t utf8_cut(const std::string& text, std::size_t longest) {
    if (text.size() <= longest) return text.size();
    while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0) == 0x80) --longest;
    return longest;
  }

  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r')) {
      rest_.remove_prefix(1);
    }
  }
  bool accept(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw Malformed(std::string("'") + c + "' expected");
  }

  std::string_view string_token() {
    skip_blanks();
    if (rest_.empty() || rest_[0] != '"') throw Malformed("a string expected");
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) throw Malformed("a string without end");
    const std::string_view token = rest_.substr(0, end + 1);
    rest_.remove_prefix(end + 1);
    return token;
  }
  std::string string() {
    const std::string_view token = string_token();
    const bool plain =
        std::ranges::all_of(token, [](char c) { return c >= ' ' && c <= '~' && c != '\\'; });
    if (plain) return std::string(token.substr(1, token.size() - 2));
    const auto value = try_parse_json(token);  // escapes, checks UTF-8
    if (!value || !value->is_string()) throw Malformed("a malformed string");
    return value->get<std::string>();
  }

  std::int64_t integer(const char* name) {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) throw Malformed(std::string("\"") + name + "\" must be an integer");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  void numbers() {
    Answer& answer = result_.answer;
    answer.x.clear();
    answer.x.reserve(static_cast<std::size_t>(data_size_));
    answer.length = 0;
    skip_blanks();
    if (!accept('[')) throw Malformed("\"x\" must be a list of numbers");
    if (accept(']')) return;
    do {
      const double value = number();
      if (answer.length++ < data_size_) answer.x.push_back(value);
    } while (accept(','));
    if (!accept(']')) throw Malformed("\"x\" must be a flat list of numbers");
  }

  double number() {
    skip_blanks();
    if (rest_.starts_with("null")) {
      rest_.remove_prefix(4);
      return std::numeric_limits<double>::quiet_NaN();
    }
    double value = 0;
    const char* begin = rest_.data();
    const auto [end, error] = std::from_chars(begin, begin + rest_.size(), value);
    if (error == std::errc::invalid_argument) {
      throw Malformed("\"x\" must be a flat list of numbers");
    }
    const std::string_view token(begin, static_cast<std::size_t>(end - begin));
    if (error == std::errc::result_out_of_range) {
      const bool tiny = token.find("e-") != token.npos || token.find("E-") != token.npos;
      value = std::copysign(tiny ? 0 : std::numeric_limits<double>::infinity(),
                            token[0] == '-' ? -1.0 : 1.0);
    }
    rest_.remove_prefix(token.size());
    return value;
  }

  // Any value of a key that means nothing to us, nested or not.
  void skip_value() {
    int depth = 0;
    do {
      skip_blanks();
      if (rest_.empty()) throw Malformed("the line ends too early");
      const char c = rest_[0];
      if (c == '"') {
        string_token();
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) throw Malformed("a value is missing");
      depth += (c == '{' || c == '[') ? 1 : 0;
      depth -= (c == '}' || c == ']') ? 1 : 0;
      rest_.remove_prefix(1);
      if (depth == 0 && c != '}' && c != ']') skip_word();
    } while (depth > 0);
  }
  void skip_word() {
    while (!rest_.empty() && rest_[0] != ',' && rest_[0] != '}') rest_.remove_prefix(1);
  }

  std::string_view rest_;
  Index data_size_;
  ParsedLine result_;
  std::int64_t count_ = -1;
  bool has_id_ = false, has_x_ = false, has_error_ = false, has_ready_ = false;
};

}  // namespace

ParsedLine parse_line(std::string_view line, Index data_size) {
  try {
    return LineParser(line, data_size).parse();
  } catch (const Malformed& malformed) {
    ParsedLine result;
    result.answer.text = std::string(malformed.what()) + " in " + quoted(line);
    return result;
  }
}

}  // namespace hone
