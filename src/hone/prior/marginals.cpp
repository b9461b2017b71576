#include "hone/prior/marginals.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"

namespace hone {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// A name, or an index if it is all digits.
int parse_parameter(std::string_view word, std::string_view text,
                    const std::vector<std::string>& names) {
  const std::string_view start = text.substr(0, 60);
  if (word.empty()) {
    fail(ErrorKind::input, "marginal '{}': a parameter is missing; write names or indices as 'a,b'",
         start);
  }
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  int index = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), index);
  const bool number = end == word.data() + word.size() && problem != std::errc::invalid_argument;
  if (!number) {
    fail(ErrorKind::input, "marginal '{}': no parameter is called '{}'; {}", start,
         word.substr(0, 60), suggestion(word, names));
  }
  if (problem != std::errc() || index < 0 || index >= std::ssize(names)) {
    fail(ErrorKind::input, "marginal '{}': index {} must be between 0 and {}", start,
         word.substr(0, 60), names.size() - 1);
  }
  return index;
}

}  // namespace

std::vector<Marginal> one_dimensional(int dimensions) {
  std::vector<Marginal> marginals;
  marginals.reserve(static_cast<std::size_t>(dimensions));
  for (int d = 0; d < dimensions; ++d) marginals.push_back({d});
  return marginals;
}

std::vector<Marginal> two_dimensional(int dimensions) {
  std::vector<Marginal> marginals;
  for (int a = 0; a < dimensions; ++a) {
    for (int b = a + 1; b < dimensions; ++b) marginals.push_back({a, b});
  }
  return marginals;
}

Marginal joint(int dimensions) {
  Marginal marginal(static_cast<std::size_t>(dimensions));
  std::iota(marginal.begin(), marginal.end(), 0);
  return marginal;
}

Marginal parse_marginal(std::string_view text, const std::vector<std::string>& names) {
  Marginal marginal;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const int index = parse_parameter(trimmed(rest.substr(0, comma)), text, names);
    if (std::count(marginal.begin(), marginal.end(), index) > 0) {
      fail(ErrorKind::input, "marginal '{}': parameter '{}' is named twice", text.substr(0, 60),
           names[static_cast<std::size_t>(index)]);
    }
    marginal.push_back(index);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::sort(marginal.begin(), marginal.end());
  return marginal;
}

std::string marginal_name(const Marginal& marginal, const std::vector<std::string>& names) {
  std::string text;
  for (const int index : marginal) {
    HONE_ASSERT(index >= 0 && index < std::ssize(names));
    if (!text.empty()) text += ',';
    text += names[static_cast<std::size_t>(index)];
  }
  return text;
}

}  // namespace hone
