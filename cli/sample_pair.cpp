#include "cli/sample_pair.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/ranges.h>

#include "hone/core/error.h"
#include "hone/files/sample_file.h"

namespace hone::cli {
namespace {

constexpr Index kLeastDraws = 20;

using Names = std::vector<std::string>;

Names missing_from(const Names& names, const Names& wanted) {
  Names missing;
  std::ranges::copy_if(wanted, std::back_inserter(missing), [&](const std::string& name) {
    return std::ranges::find(names, name) == names.end();
  });
  return missing;
}

void check_unique(const Names& names, const std::string& file) {
  for (auto one = names.begin(); one != names.end(); ++one) {
    if (std::find(one + 1, names.end(), *one) == names.end()) continue;
    fail(ErrorKind::input, "{}: column '{}' is there twice", file, *one);
  }
}

void check_same_names(const Names& a, const Names& b, const std::string& file_a,
                      const std::string& file_b) {
  check_unique(a, file_a);
  check_unique(b, file_b);
  const Names only_a = missing_from(b, a), only_b = missing_from(a, b);
  if (only_a.empty() && only_b.empty()) return;
  std::string text;
  if (!only_a.empty()) text += fmt::format("only in {}: {}; ", file_a, fmt::join(only_a, ", "));
  if (!only_b.empty()) text += fmt::format("only in {}: {}; ", file_b, fmt::join(only_b, ", "));
  fail(ErrorKind::input, "the files have different columns; {}{}", text,
       a.size() == b.size() ? "if they mean the same in the same order, add --by-position"
                            : "compare files with the same columns");
}

// Where each column of a stands in b.
std::vector<Index> columns_of_b(const SampleTable& a, const SampleTable& b, bool by_position,
                                const std::string& file_a, const std::string& file_b) {
  std::vector<Index> columns(static_cast<std::size_t>(a.values.cols()));
  std::iota(columns.begin(), columns.end(), Index{0});
  if (!by_position && !a.names.empty() && !b.names.empty()) {
    check_same_names(a.names, b.names, file_a, file_b);
    std::ranges::transform(a.names, columns.begin(), [&](const std::string& name) {
      return std::ranges::find(b.names, name) - b.names.begin();
    });
  } else if (a.values.cols() != b.values.cols()) {
    fail(ErrorKind::input, "{} has {} columns, {} has {}; compare files with the same columns",
         file_a, a.values.cols(), file_b, b.values.cols());
  }
  return columns;
}

std::string column_name(const SampleTable& table, Index column) {
  return table.names.empty() ? fmt::format("{}", column + 1)
                             : fmt::format("'{}'", table.names[std::size_t(column)]);
}

void check_values(const SampleTable& table, const std::string& file) {
  if (table.values.rows() < kLeastDraws) {
    fail(ErrorKind::input, "{}: {} draws are too few to compare; at least {} are needed", file,
         table.values.rows(), kLeastDraws);
  }
  for (Index i = 0; i < table.values.rows(); ++i) {
    for (Index j = 0; j < table.values.cols(); ++j) {
      if (std::isfinite(table.values(i, j))) continue;
      fail(ErrorKind::input,
           "{}: draw {}, column {} is {}; all values must be finite, leave such draws out", file,
           i + 1, column_name(table, j), table.values(i, j));
    }
  }
}

void check_spread(const SampleTable& table, const std::string& file) {
  for (Index j = 0; j < table.values.cols(); ++j) {
    const double first = table.values(0, j);
    Index i = 1;
    while (i < table.values.rows() && table.values(i, j) == first) ++i;
    if (i < table.values.rows()) continue;
    fail(ErrorKind::input,
         "{}: column {} is {} in all draws; it has no scale to compare by, leave it out of both "
         "files",
         file, column_name(table, j), first);
  }
}

Matrix<double> chosen(const Matrix<double>& values, std::span<const Index> columns, Index draws,
                      Rng rng) {
  Matrix<double> out(draws, static_cast<Index>(columns.size()));
  const std::vector<Index> rows = rng.permutation(values.rows());
  for (Index i = 0; i < draws; ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      out(i, j) = values(rows[std::size_t(i)], columns[std::size_t(j)]);
    }
  }
  return out;
}

}  // namespace

MatchedSamples match_samples(const std::string& file_a, const std::string& file_b, bool by_position,
                             Index draws, const Rng& rng) {
  const SampleTable a = read_samples(file_a), b = read_samples(file_b);
  const std::vector<Index> to_b = columns_of_b(a, b, by_position, file_a, file_b);
  check_values(a, file_a);
  check_values(b, file_b);
  check_spread(a, file_a);
  std::vector<Index> to_a(to_b.size());
  std::iota(to_a.begin(), to_a.end(), Index{0});
  MatchedSamples out;
  out.names = a.names.empty() ? b.names : a.names;
  for (std::size_t j = out.names.size(); j < to_a.size(); ++j) {
    out.names.push_back(fmt::format("column {}", j + 1));
  }
  out.draws_a = a.values.rows();
  out.draws_b = b.values.rows();
  draws = std::min({draws, out.draws_a, out.draws_b});
  out.used = {chosen(a.values, to_a, draws, rng.child("rows", 0)),
              chosen(b.values, to_b, draws, rng.child("rows", 1))};
  return out;
}

}  // namespace hone::cli
