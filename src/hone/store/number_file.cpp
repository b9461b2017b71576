#include "hone/store/number_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include "hone/core/error.h"
#include "hone/store/files.h"

namespace hone {
namespace {

bool separates(char c) { return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r'; }

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

// Nothing if the word is not a number from end to end.
bool parse(std::string_view word, double& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

std::vector<double> npy_numbers(const std::string& bytes, const std::string& file) {
  std::vector<double> numbers = parse_npy(std::as_bytes(std::span(bytes)), file).values;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    fail(ErrorKind::input, "{}: element {} is {}, not a finite number", file, i, numbers[i]);
  }
  return numbers;
}

std::vector<double> text_numbers(const std::string& text, const std::string& file) {
  std::vector<double> numbers;
  std::string_view rest = text;
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const auto words = words_of(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    double value = 0;
    const bool header = line == 1 && std::none_of(words.begin(), words.end(),
                                                  [&](auto word) { return parse(word, value); });
    if (header) continue;
    for (const std::string_view word : words) {
      if (!parse(word, value) || !std::isfinite(value)) {
        fail(ErrorKind::input, "{}, line {}: '{}' is not a finite number", file, line,
             word.substr(0, 40));
      }
      numbers.push_back(value);
    }
  }
  return numbers;
}

}  // namespace

std::vector<double> read_numbers(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  std::vector<double> numbers = bytes.starts_with("\x93NUMPY") ? npy_numbers(bytes, file.string())
                                                               : text_numbers(bytes, file.string());
  if (numbers.empty()) fail(ErrorKind::input, "{}: there are no numbers in it", file.string());
  return numbers;
}

}  // namespace hone
