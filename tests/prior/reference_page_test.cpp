// docs/reference/distributions.md beside the table of kinds.
#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/prior/distribution_spec.h"

namespace hone {
namespace {

std::string page() {
  return bytes_of(HONE_SOURCE_DIR "/docs/reference/distributions.md");
}

std::string limits(const DistributionField& field) {
  if (field.array) return "list of numbers";
  if (field.text) return "list of words";
  if (!field.above_field.empty()) return fmt::format("greater than `{}`", field.above_field);
  if (!field.from_field.empty()) {
    return fmt::format("from `{}` to `{}`", field.from_field, field.to_field);
  }
  std::string text = "any number";
  if (std::isfinite(field.above)) text = fmt::format("greater than {}", field.above);
  if (std::isfinite(field.at_most)) text += fmt::format(", at most {:.7g}", field.at_most);
  return text;
}

std::string row(const DistributionField& field) {
  std::string aliases;
  for (const std::string_view alias : field.aliases) {
    aliases += fmt::format("{}`{}`", aliases.empty() ? "" : ", ", alias);
  }
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", field.name, field.description, aliases,
                     limits(field), field.fallback ? fmt::format("{}", *field.fallback) : "");
}

TEST(DistributionPage, HasTheKindsOfTheTableInItsOrder) {
  const std::string text = page();
  std::vector<std::string> headings;
  const std::regex heading("\n## `([a-z_]+)`\n");
  for (std::sregex_iterator found(text.begin(), text.end(), heading), end; found != end; ++found) {
    headings.push_back((*found)[1]);
  }
  std::vector<std::string> kinds;
  for (const DistributionKind& kind : distribution_kinds()) kinds.emplace_back(kind.name);
  EXPECT_EQ(headings, kinds);
}

TEST(DistributionPage, HasEveryOptionWithItsLimitsAndItsDefault) {
  const std::string text = page();
  for (const DistributionKind& kind : distribution_kinds()) {
    std::string rows = "|---|---|---|---|---|\n";
    for (const DistributionField& field : kind.fields) rows += row(field);
    const std::size_t begin = text.find(fmt::format("\n## `{}`\n", kind.name));
    ASSERT_NE(begin, std::string::npos) << kind.name;
    const std::string section = text.substr(begin, text.find("\n## ", begin + 1) - begin);
    EXPECT_TRUE(section.find(rows) != std::string::npos)
        << "the table of " << kind.name << " should be\n"
        << rows;
  }
}

}  // namespace
}  // namespace hone
