#include "hone/files/sample_file.h"

#include <algorithm>
#include <numeric>

#include "hone/core/error.h"
#include "hone/core/npy.h"
#include "hone/files/csv_reader.h"
#include "hone/files/files.h"
#include "hone/files/zip_file.h"

namespace hone {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 38;

SampleTable read_csv(const std::filesystem::path& file) {
  CsvReader reader(file);
  SampleTable table;
  std::vector<std::string> cells;
  if (!reader.next(cells)) return table;
  const std::size_t width = cells.size();
  std::vector<std::size_t> columns(width);
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::vector<double> values;
  if (is_csv_header(cells)) {
    table.names = cells;
  } else {
    reader.take_numbers(values, cells, columns);
  }
  while (reader.next(cells)) {
    reader.check_width(cells, width);
    reader.take_numbers(values, cells, columns);
  }
  table.values = rows_of(values, width);
  return table;
}

SampleTable read_npz(const std::filesystem::path& file) {
  const ZipFile archive(file);
  const std::vector<std::string> names = archive.names();
  if (names.size() != 1) {
    fail(ErrorKind::input, "{}: there are {} arrays in it; samples are one array, alone",
         file.string(), names.size());
  }
  return {{}, npy_matrix(parse_npy(archive.read(names[0]), file.string()), file.string())};
}

SampleTable read_any(const std::filesystem::path& file) {
  const std::string name = file.string();
  if (name.ends_with(".csv") || name.ends_with(".csv.bz2")) return read_csv(file);
  if (name.ends_with(".npz")) return read_npz(file);
  if (name.ends_with(".npy")) {
    return {{}, npy_matrix(parse_npy(read_file(file, kMostBytes), name), name)};
  }
  fail(ErrorKind::input, "{}: unknown format; samples are .csv, .csv.bz2, .npy or .npz", name);
}

}  // namespace

SampleTable read_samples(const std::filesystem::path& file) {
  SampleTable table = [&] {
    try {
      return read_any(file);
    } catch (const Error& error) {  // of whatever kind: the user chose the file
      throw Error(ErrorKind::input, error.what());
    } catch (const std::bad_alloc&) {
      fail(ErrorKind::input, "{}: larger than the memory of this machine", file.string());
    }
  }();
  if (table.values.rows() == 0 || table.values.cols() == 0) {
    fail(ErrorKind::input, "{}: there are no draws in it", file.string());
  }
  return table;
}

}  // namespace hone
