#include "hone/core/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "hone/core/error.h"

namespace hone {
namespace {

bool separates(char c) {
  return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r';
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  while (!line.empty()) {
    const auto begin = std::find_if_not(line.begin(), line.end(), separates);
    const auto end = std::find_if(begin, line.end(), separates);
    if (begin != end) words.emplace_back(begin, end);
    line = std::string_view(end, line.end());
  }
  return words;
}

// False if the word is not a number from end to end.
bool parse(std::string_view word, double& value) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  std::string fortran;
  if (const std::size_t d = word.find_first_of("dD"); d != word.npos) {
    fortran = word;
    fortran[d] = 'e';
    word = fortran;
  }
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

// Names of columns, not a number that cannot be read: one with the minus sign of a text editor, or
// out of range.
bool is_name(std::string_view word) {
  constexpr std::string_view kMinus = "\u2212";
  double value = 0;
  return !parse(word, value) && !word.starts_with(kMinus) &&
         std::string_view("+-.0123456789").find(word.front()) == std::string_view::npos;
}

std::vector<double> parse_text(std::string_view text, const std::string& name, bool finite) {
  std::vector<double> numbers;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const auto words = words_of(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line == 1 && std::ranges::all_of(words, is_name)) continue;
    for (const std::string_view word : words) {
      double value = 0;
      if (!parse(word, value) || (finite && !std::isfinite(value))) {
        fail(ErrorKind::input, "{}, line {}: '{}' is not a {}number", name, line,
             word.substr(0, 40), finite ? "finite " : "");
      }
      numbers.push_back(value);
    }
  }
  if (numbers.empty()) fail(ErrorKind::input, "{}: there are no numbers in it", name);
  return numbers;
}

}  // namespace

std::vector<double> parse_numbers(std::string_view text, const std::string& name) {
  return parse_text(text, name, false);
}

std::vector<double> parse_finite_numbers(std::string_view text, const std::string& name) {
  return parse_text(text, name, true);
}

}  // namespace hone
