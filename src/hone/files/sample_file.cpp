#include "hone/files/sample_file.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
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

std::string utf8(std::uint32_t point) {
  std::string text;
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | point >> 12);
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | (point >> 18 & 7));
    tail(12), tail(6), tail(0);
  }
  return text;
}

// The texts of an array of NumPy's kind '<U', which holds characters of four bytes. Nothing if it
// is of another kind.
std::vector<std::string> text_array(const std::string& bytes) {
  constexpr std::size_t kHead = 10;  // magic, version 1, length of the header
  if (!is_npy(bytes) || bytes.size() < kHead || bytes[6] != 1) return {};
  const std::size_t begin = kHead + static_cast<unsigned char>(bytes[8]) +
                            256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[9]));
  const std::size_t kind = bytes.find("'<U");
  if (begin > bytes.size() || kind == std::string::npos || kind > begin) return {};
  const std::size_t width = std::strtoul(bytes.c_str() + kind + 3, nullptr, 10);
  if (width == 0 || width > bytes.size()) return {};
  std::vector<std::string> texts;
  for (std::size_t at = begin; at + 4 * width <= bytes.size(); at += 4 * width) {
    std::string& text = texts.emplace_back();
    for (std::size_t i = 0; i < width; ++i) {
      std::uint32_t point = 0;
      std::memcpy(&point, bytes.data() + at + 4 * i, sizeof(point));
      if (point != 0) text += utf8(point);
    }
  }
  return texts;
}

SampleTable read_npz(const std::filesystem::path& file) {
  const ZipFile archive(file);
  if (archive.contains("samples.npy")) {  // as `hone sample --format npz` writes them
    SampleTable table{
        {}, npy_matrix(parse_npy(archive.read("samples.npy"), file.string()), file.string())};
    if (archive.contains("names.npy")) table.names = text_array(archive.read("names.npy"));
    if (std::ssize(table.names) != table.values.cols()) table.names.clear();
    return table;
  }
  const std::vector<std::string> names = archive.names();
  if (names.size() != 1) {
    fail(ErrorKind::input,
         "{}: there are {} arrays in it; samples are one array, alone or "
         "of the name 'samples'",
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
