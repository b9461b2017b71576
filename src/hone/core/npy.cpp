#include "hone/core/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "hone/core/error.h"

namespace hone {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDimensions = 32;  // NumPy's own limit

struct Header {
  std::string type;
  bool fortran_order = false;
  std::vector<Index> shape;
};

// Reads the Python dictionary of a header: three keys in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  Header parse() {
    Header header;
    bool type = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !type) {
        header.type = element_type();
        type = true;
      } else if (key == "fortran_order" && !order) {
        header.fortran_order = truth();
        order = true;
      } else if (key == "shape" && !shape) {
        header.shape = extents();
        shape = true;
      } else {
        refuse();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!type || !order || !shape) refuse();
    return header;
  }

 private:
  [[noreturn]] void refuse() const {
    fail(ErrorKind::input, "{}: not a readable .npy array: its header is damaged", name_);
  }
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\t"), rest_.size()));
  }
  bool accept(char wanted) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) refuse();
  }
  bool accept(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string quoted() {
    skip_blanks();
    const char quote = rest_.empty() ? ' ' : rest_.front();
    if (quote != '\'' && quote != '"') refuse();
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) refuse();
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string element_type() {
    if (accept('[')) {
      fail(ErrorKind::input, "{}: an array of records; save plain numbers (float64) instead",
           name_);
    }
    return quoted();
  }
  bool truth() {
    if (accept("True")) return true;
    if (!accept("False")) refuse();
    return false;
  }
  std::vector<Index> extents() {
    std::vector<Index> shape;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      Index extent = 0;
      const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (code != std::errc() || extent < 0 || shape.size() == kMostDimensions) refuse();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view rest_;
  const std::string& name_;
};

template <typename T>
std::vector<double> converted(std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

std::optional<Index> bytes_of_type(std::string_view type) {
  if (type == "<f8" || type == "<i8") return 8;
  if (type == "<f4" || type == "<i4") return 4;
  return std::nullopt;
}

std::vector<double> values_of(std::span<const std::byte> bytes, std::string_view type) {
  if (type == "<f8") return converted<double>(bytes);
  if (type == "<f4") return converted<float>(bytes);
  if (type == "<i8") return converted<std::int64_t>(bytes);
  return converted<std::int32_t>(bytes);
}

// From the first index running fastest to the last one.
std::vector<double> row_major(const std::vector<double>& from, const std::vector<Index>& shape) {
  std::vector<double> to(from.size());
  std::vector<Index> index(shape.size());
  for (double& value : to) {
    Index place = 0;
    for (std::size_t d = shape.size(); d-- > 0;) place = place * shape[d] + index[d];
    value = from[static_cast<std::size_t>(place)];
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return to;
}

// Where the header is, by the version of the format.
std::string_view header_text(std::string_view text, const std::string& name) {
  if (!text.starts_with(kMagic) || text.size() < 12) {
    fail(ErrorKind::input, "{}: not an .npy array (its first bytes are not NumPy's)", name);
  }
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    fail(ErrorKind::input, "{}: version {} of the .npy format; 1, 2 and 3 can be read", name,
         version);
  }
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - start) fail(ErrorKind::input, "{}: the file ends too early", name);
  return text.substr(start, length);
}

// The product of the extents. One of 0 makes an empty array, however large the others.
Index checked_count(const std::vector<Index>& shape, const std::string& name) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  Index count = 1;
  for (const Index extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) {
      fail(ErrorKind::input, "{}: an impossible shape", name);
    }
  }
  return count;
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view head = header_text(text, name);
  Header header = HeaderParser(head, name).parse();
  const std::optional<Index> size = bytes_of_type(header.type);
  if (!size) {
    fail(ErrorKind::input,
         "{}: elements of type '{}'; <f4, <f8, <i4 and <i8 can be read (NumPy: .astype('<f8'))",
         name, header.type.substr(0, 20));
  }
  const Index count = checked_count(header.shape, name);
  const auto body = bytes.subspan(static_cast<std::size_t>(head.end() - text.begin()));
  Index needed = 0;
  if (__builtin_mul_overflow(count, *size, &needed) || needed > std::ssize(body)) {
    fail(ErrorKind::input, "{}: the file ends too early: {} elements were announced", name, count);
  }
  NpyArray array{std::move(header.shape),
                 values_of(body.first(static_cast<std::size_t>(needed)), header.type)};
  if (header.fortran_order) array.values = row_major(array.values, array.shape);
  return array;
}

Matrix<double> npy_matrix(const NpyArray& array, const std::string& name) {
  if (array.shape.empty()) {
    fail(ErrorKind::input, "{}: a single number; an array of rows was expected", name);
  }
  const Index rows = array.shape[0];
  const Index size = static_cast<Index>(array.values.size());
  Index cols = rows == 0 ? 0 : size / rows;
  if (array.shape.size() == 1) cols = 1;
  Matrix<double> matrix(size == 0 ? 0 : rows, cols);
  std::ranges::copy(array.values, matrix.data());
  return matrix;
}

std::string npy_header(const std::string& dictionary) {
  std::string header = dictionary;
  // Magic, version and length take 10 bytes; data start at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  HONE_ASSERT(header.size() < 65536);
  std::string bytes(kMagic);
  bytes += std::string("\x01\x00", 2);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

std::string npy_bytes(MatrixView<const double> values) {
  std::string bytes =
      npy_header(fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
                             values.rows(), values.cols()));
  for (Index i = 0; i < values.rows(); ++i) {
    const auto row = values.row(i);
    bytes.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
  }
  return bytes;
}

}  // namespace hone
