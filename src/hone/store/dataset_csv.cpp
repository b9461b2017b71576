#include "hone/store/dataset_csv.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/files/csv_reader.h"

namespace hone {
namespace {

using Cells = std::vector<std::string>;
using Columns = std::vector<std::size_t>;

// Where each parameter stands in the header.
Columns find_columns(const CsvReader& reader, const Cells& header, const Cells& parameters) {
  Columns columns;
  for (const std::string& name : parameters) {
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) {
      reader.refuse(0, fmt::format("there is no column '{}'; {}", name, suggestion(name, header)));
    }
    if (std::find(found + 1, header.end(), name) != header.end()) {
      reader.refuse(0, fmt::format("column '{}' is there twice", name));
    }
    columns.push_back(static_cast<std::size_t>(found - header.begin()));
  }
  return columns;
}

Columns other_columns(std::size_t count, const Columns& taken) {
  Columns others;
  for (std::size_t j = 0; j < count; ++j) {
    if (std::ranges::find(taken, j) == taken.end()) others.push_back(j);
  }
  return others;
}

// A whole file of numbers; its header, if there is one, is compared with the parameters.
Matrix<double> read_plain(const std::filesystem::path& file, const Cells* parameters) {
  CsvReader reader(file);
  Cells cells;
  if (!reader.next(cells)) return {};
  const std::size_t width = cells.size();
  Columns columns = other_columns(width, {});
  std::vector<double> values;
  if (!is_csv_header(cells)) {
    reader.take_numbers(values, cells, columns);
  } else if (parameters != nullptr) {
    columns = find_columns(reader, cells, *parameters);
  }
  while (reader.next(cells)) {
    reader.check_width(cells, width);
    reader.take_numbers(values, cells, columns);
  }
  return rows_of(values, columns.size());
}

}  // namespace

ExistingSimulations read_dataset_csv(const std::filesystem::path& file,
                                     const std::vector<std::string>& parameters) {
  CsvReader reader(file);
  Cells cells;
  if (!reader.next(cells)) return {};
  if (!is_csv_header(cells)) {
    reader.refuse(0, fmt::format("the first row must name the columns: {}, then those of x",
                                 fmt::join(parameters, ", ")));
  }
  const std::size_t width = cells.size();
  const Columns theta_columns = find_columns(reader, cells, parameters);
  const Columns x_columns = other_columns(width, theta_columns);
  std::vector<double> theta, x;
  while (reader.next(cells)) {
    reader.check_width(cells, width);
    reader.take_numbers(theta, cells, theta_columns);
    reader.take_numbers(x, cells, x_columns);
  }
  return {rows_of(theta, theta_columns.size()), rows_of(x, x_columns.size())};
}

ExistingSimulations read_dataset_csv(const std::filesystem::path& theta_file,
                                     const std::filesystem::path& x_file,
                                     const std::vector<std::string>& parameters) {
  return {read_plain(theta_file, &parameters), read_plain(x_file, nullptr)};
}

}  // namespace hone
