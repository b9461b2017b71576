#include "hone/bench/results_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "hone/core/error.h"
#include "hone/core/version.h"
#include "hone/files/csv_reader.h"
#include "hone/files/files.h"

namespace hone {
namespace {

// A line counts once its end is there.
void drop_unfinished_line(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  const std::size_t end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  if (whole == text.size()) return;
  if (::truncate(path.c_str(), static_cast<off_t>(whole)) != 0) fail_io(path, "repair", errno);
}

void append_line(const std::filesystem::path& path, const std::string& line) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (file.get() < 0) fail_io(path, "open", errno);
  const ssize_t written = ::write(file.get(), line.data(), line.size());
  if (written < 0) fail_io(path, "write", errno);
  if (static_cast<std::size_t>(written) != line.size()) fail_io(path, "write", ENOSPC);
  if (::fsync(file.get()) != 0) fail_io(path, "write", errno);
}

}  // namespace

namespace {

// Before there was a score of the joint posterior, which is the last column.
std::vector<std::string> columns_without_joint() {
  std::vector<std::string> names = bench_columns();
  names.pop_back();
  return names;
}

}  // namespace

std::vector<BenchRow> read_results(const std::filesystem::path& path) {
  CsvReader reader(path);
  std::vector<std::string> cells;
  const bool any = reader.next(cells);
  const bool without_joint = any && cells == columns_without_joint();
  if (!any || (cells != bench_columns() && !without_joint)) {
    fail(ErrorKind::input, "{}: its columns are not those of a study by hone {}", path.string(),
         version());
  }
  std::vector<BenchRow> rows;
  while (reader.next(cells)) {
    try {
      if (without_joint) cells.push_back("nan");
      rows.push_back(row_from_cells(cells));
    } catch (const Error& error) {
      reader.refuse(0, error.what());
    }
  }
  return rows;
}

namespace {

// With the columns of today.
void rewrite(const std::filesystem::path& path, const std::vector<BenchRow>& rows) {
  std::string text = csv_line(bench_columns()) + "\n";
  for (const BenchRow& row : rows) text += csv_line(to_cells(row)) + "\n";
  write_file_atomically(path, text);
}

}  // namespace

ResultsFile::ResultsFile(std::filesystem::path path) : path_(std::move(path)) {
  if (std::filesystem::exists(path_)) drop_unfinished_line(path_);
  if (!std::filesystem::exists(path_) || std::filesystem::file_size(path_) == 0) {
    write_file_atomically(path_, csv_line(bench_columns()) + "\n");
  }
  rows_ = read_results(path_);
  if (!read_file(path_).starts_with(csv_line(bench_columns()) + "\n")) rewrite(path_, rows_);
  for (const BenchRow& row : rows_) {
    if (row.version == version()) continue;
    fail(ErrorKind::input, "{}: has results of hone {}, this is {}; choose another directory (-o)",
         path_.string(), row.version, version());
  }
}

const BenchRow* ResultsFile::find(const BenchCase& run) const {
  const auto found = std::ranges::find(rows_, run, &BenchRow::run);
  return found == rows_.end() ? nullptr : &*found;
}

void ResultsFile::append(const BenchRow& row) {
  const std::scoped_lock lock(mutex_);
  append_line(path_, csv_line(to_cells(row)) + "\n");
  rows_.push_back(row);
}

}  // namespace hone
