#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// The rows of a CSV file, one after another. Cells are separated by commas (or by semicolons or
// tabs, if the first row has no comma), may stand in double quotes, and lose blanks around them.
// Empty lines and lines that begin with '#' are passed over. A file whose name ends in .bz2 is
// unpacked.
class CsvReader {
 public:
  explicit CsvReader(const std::filesystem::path& path);

  // The next row; false at the end of the file.
  bool next(std::vector<std::string>& cells);
  Index line() const { return line_; }  // of the row last read, counted from 1

  // Throws Error{input}: "file.csv, line 3, column 2: ...". Columns count from 1; 0: none.
  [[noreturn]] void refuse(std::size_t column, const std::string& what) const;

  // Refuses a row of another width than the first.
  void check_width(const std::vector<std::string>& cells, std::size_t expected) const;
  // Adds the chosen cells of the row to `values`; an empty one is a missing number, NaN. Refuses
  // what is not a number.
  void take_numbers(std::vector<double>& values, const std::vector<std::string>& cells,
                    const std::vector<std::size_t>& columns) const;

 private:
  std::string_view take_line();
  void split(std::string_view line, std::vector<std::string>& cells) const;

  std::filesystem::path path_;
  std::string text_;
  std::string_view rest_;
  Index line_ = 0;
  char separator_ = 0;
};

// A cell as a number, also nan and inf; nothing if it is not one from end to end.
std::optional<double> cell_number(std::string_view cell);

// Numbers row by row as a matrix; no columns, no rows.
Matrix<double> rows_of(const std::vector<double>& values, std::size_t columns);

// True if no cell is a number: column names.
bool is_csv_header(const std::vector<std::string>& cells);

}  // namespace hone
