#include "hone/core/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "hone/core/error.h"

namespace hone {
namespace {

static_assert(std::endian::native == std::endian::little, "values are read as little-endian");

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMostDimensions = 32;  // NumPy's own limit

struct Header {
  char kind = 'f';  // of the values: f, i, u or b
  std::size_t size = 8;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<Index> shape;
  std::size_t data_begin = 0;
};

[[noreturn]] void refuse(const std::string& name, std::string_view reason) {
  fail(ErrorKind::input, "{}: not a usable .npy file: {}", name, reason);
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// The text after 'key': in the header, which is a Python dictionary on one line.
std::string_view after_key(std::string_view text, const std::string& key, const std::string& name) {
  std::size_t begin = text.find("'" + key + "'");
  if (begin == text.npos) refuse(name, fmt::format("its header has no '{}'", key));
  begin = text.find(':', begin);
  begin = begin == text.npos ? begin : text.find_first_not_of(' ', begin + 1);
  if (begin == text.npos) refuse(name, fmt::format("'{}' has no value", key));
  return text.substr(begin);
}

void read_type(Header& header, std::string_view text, const std::string& name) {
  const std::size_t end = text.size() > 1 ? text.find('\'', 1) : text.npos;
  if (text[0] != '\'' || end != 4) refuse(name, "its type is not a plain number");
  const char order = text[1], digit = text[3];
  header.kind = text[2];
  header.size = static_cast<std::size_t>(digit - '0');
  header.big_endian = order == '>';
  const bool known_order = std::string_view("<>|=").find(order) != std::string_view::npos;
  const bool known = (header.kind == 'f' && (digit == '4' || digit == '8')) ||
                     ((header.kind == 'i' || header.kind == 'u') &&
                      std::string_view("1248").find(digit) != std::string_view::npos) ||
                     (header.kind == 'b' && digit == '1');
  if (!known_order || !known) {
    refuse(name, fmt::format("type {}; save it as float64", text.substr(0, end + 1)));
  }
}

void read_shape(Header& header, std::string_view text, const std::string& name) {
  const std::size_t end = text.find(')');
  if (text[0] != '(' || end == text.npos) refuse(name, "its shape is malformed");
  text = text.substr(1, end - 1);
  while (!text.empty()) {
    if (text[0] == ' ' || text[0] == ',') {
      text.remove_prefix(1);
      continue;
    }
    Index size = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0 || header.shape.size() == kMostDimensions) {
      refuse(name, "its shape is malformed");
    }
    header.shape.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  }
}

Header read_header(std::string_view bytes, const std::string& name) {
  if (!is_npy(bytes) || bytes.size() < 12) refuse(name, "it does not begin like one");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) refuse(name, fmt::format("format version {}", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t begin = 8 + length_bytes;
  const std::size_t length = little_endian(bytes.substr(8, length_bytes));
  if (length > bytes.size() - begin) refuse(name, "its header is cut off");
  const std::string_view text = bytes.substr(begin, length);
  Header header;
  header.data_begin = begin + length;
  read_type(header, after_key(text, "descr", name), name);
  header.fortran_order = after_key(text, "fortran_order", name).starts_with("True");
  read_shape(header, after_key(text, "shape", name), name);
  return header;
}

// The number of values; a product that overflows is more than any file holds.
std::size_t count_values(const Header& header, std::size_t bytes, const std::string& name) {
  std::size_t count = 1;
  for (const Index size : header.shape) {
    if (size == 0) count = 0;
  }
  for (const Index size : header.shape) {
    if (count != 0 && static_cast<std::size_t>(size) > bytes / count) {
      refuse(name, "it is shorter than its shape says");
    }
    count *= static_cast<std::size_t>(size);
  }
  if (count > bytes / header.size) refuse(name, "it is shorter than its shape says");
  return count;
}

template <typename Value>
double value_of(const unsigned char* bytes) {
  Value value{};
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

double decode(const Header& header, const char* from) {
  unsigned char bytes[8] = {};  // NOLINT: a register's worth
  std::memcpy(bytes, from, header.size);
  if (header.big_endian) std::reverse(bytes, bytes + header.size);
  const bool is_signed = header.kind == 'i';
  switch (header.size) {
    case 1: return is_signed ? value_of<std::int8_t>(bytes) : value_of<std::uint8_t>(bytes);
    case 2: return is_signed ? value_of<std::int16_t>(bytes) : value_of<std::uint16_t>(bytes);
    case 4:
      if (header.kind == 'f') return value_of<float>(bytes);
      return is_signed ? value_of<std::int32_t>(bytes) : value_of<std::uint32_t>(bytes);
    default:
      if (header.kind == 'f') return value_of<double>(bytes);
      return is_signed ? value_of<std::int64_t>(bytes) : value_of<std::uint64_t>(bytes);
  }
}

// Where in Fortran order (first index fastest) stands what is next in C order.
class FortranWalk {
 public:
  explicit FortranWalk(const std::vector<Index>& shape) : shape_(shape), index_(shape.size()) {
    Index stride = 1;
    for (const Index size : shape) {
      strides_.push_back(stride);
      stride *= size;
    }
  }
  std::size_t position() const { return static_cast<std::size_t>(position_); }
  void advance() {
    for (std::size_t d = shape_.size(); d-- > 0;) {
      position_ += strides_[d];
      if (++index_[d] < shape_[d]) return;
      position_ -= strides_[d] * shape_[d];
      index_[d] = 0;
    }
  }

 private:
  const std::vector<Index>& shape_;
  std::vector<Index> index_;
  std::vector<Index> strides_;
  Index position_ = 0;
};

}  // namespace

bool is_npy(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

NpyArray parse_npy(std::string_view bytes, const std::string& name) {
  const Header header = read_header(bytes, name);
  const std::string_view data = bytes.substr(header.data_begin);
  const std::size_t count = count_values(header, data.size(), name);
  NpyArray array{header.shape, std::vector<double>(count)};
  if (count == 0) return array;
  FortranWalk walk(header.shape);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = header.fortran_order ? walk.position() : i;
    array.values[i] = decode(header, data.data() + from * header.size);
    if (header.fortran_order) walk.advance();
  }
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
