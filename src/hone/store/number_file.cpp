#include "hone/store/number_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
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

}  // namespace

std::vector<double> read_numbers(const std::filesystem::path& file) {
  const std::string text = read_file(file);
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
        fail(ErrorKind::input, "{}, line {}: '{}' is not a finite number", file.string(), line,
             word.substr(0, 40));
      }
      numbers.push_back(value);
    }
  }
  if (numbers.empty()) fail(ErrorKind::input, "{}: there are no numbers in it", file.string());
  return numbers;
}

std::string npy_bytes(MatrixView<const double> values) {
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
                                   values.rows(), values.cols());
  // Magic, version and length take 10 bytes; data start at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  for (Index i = 0; i < values.rows(); ++i) {
    const auto row = values.row(i);
    bytes.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
  }
  return bytes;
}

}  // namespace hone
