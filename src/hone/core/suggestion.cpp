#include "hone/core/suggestion.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hone {
namespace {

char plain(char c) {
  if (c == '-' || c == ' ') return '_';
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Levenshtein distance; case and the choice of separator do not count.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (plain(a[i - 1]) == plain(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& allowed) {
  // A word from a file may be megabytes long; nothing allowed resembles it then.
  if (word.size() > 100 || allowed.empty()) return std::nullopt;
  const auto nearest = std::min_element(allowed.begin(), allowed.end(),
                                        [word](const std::string& a, const std::string& b) {
                                          return edit_distance(word, a) < edit_distance(word, b);
                                        });
  const std::size_t tolerated =
      std::max<std::size_t>(1, std::max(word.size(), nearest->size()) / 2);
  if (edit_distance(word, *nearest) > tolerated) return std::nullopt;
  return *nearest;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& allowed) {
  const std::string list = fmt::format("allowed: {}", fmt::join(allowed, ", "));
  const std::optional<std::string> nearest = nearest_word(word, allowed);
  return nearest ? fmt::format("did you mean '{}'? {}", *nearest, list) : list;
}

}  // namespace hone
