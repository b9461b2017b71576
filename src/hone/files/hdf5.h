#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hone/core/error.h"
#include "hone/core/matrix.h"

// A thin layer over HDF5's C interface: flat files of named arrays and strings. hone's own files
// are built here and read by hone/files/sealed_file.h; File is for those that others made.
//
// libhdf5 need not be built thread-safe, so every call holds one mutex. Its own messages are
// silenced; failures are Error{io} with the file and the data set.
namespace hone::hdf5 {

enum class Element { float32, float64, int32, int64, uint8, uint64, text };

template <typename T>
constexpr Element element_of() {
  if constexpr (std::is_same_v<T, float>) return Element::float32;
  if constexpr (std::is_same_v<T, double>) return Element::float64;
  if constexpr (std::is_same_v<T, std::int32_t>) return Element::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Element::int64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return Element::uint8;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Element::uint64;
}

std::string to_string(Element element);
Index element_bytes(Element element);  // 0 for text, whose width is the data set's own

using Shape = std::vector<Index>;  // outermost first; empty for a single number

// Number of elements; an overflow is an Error{io} naming `what`.
Index element_count(const Shape& shape, const std::string& what);

struct Dataset {
  std::string name;
  Element element = Element::uint8;
  Shape shape;
  Index element_bytes = 0;
  Index offset = 0;  // of the first element, from the beginning of the file; 0 when empty
};

// Throws Error{io} unless the data set has this type and shape.
void require(const Dataset& dataset, Element element, const Shape& shape, const std::string& file);

// The strings in `characters`, each `width` bytes filled up with zeros.
std::vector<std::string> split_text(std::span<const char> characters, Index width);

// Builds a file in memory: the caller writes its bytes, and so learns why a write failed. Equal
// content gives equal bytes: no times are stored and the format version is fixed. The first
// kSealBytes are left to the seal (hone/files/seal.h).
class Builder {
 public:
  explicit Builder(std::string name);  // for messages
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  template <typename T>
  void add(const std::string& name, const Shape& shape, std::span<const T> values) {
    HONE_ASSERT(element_count(shape, name) == static_cast<Index>(values.size()));
    add_raw({name, element_of<T>(), shape, sizeof(T), 0}, values.data());
  }
  // As many bytes each as the longest has; shorter ones are filled up with zeros.
  void add_text(const std::string& name, std::span<const std::string> values);

  const std::vector<Dataset>& datasets() const { return datasets_; }  // added so far
  std::vector<std::byte> finish();

 private:
  void add_raw(Dataset dataset, const void* values);

  std::string name_;
  std::int64_t file_;
  std::vector<Dataset> datasets_;
};

// An array of numbers of any type, as double.
struct Numbers {
  Shape shape;
  std::vector<double> values;
};

// A file opened for reading. describe() and read() accept contiguous little-endian arrays that lie
// inside the file, so what is read can be no larger than the file. libhdf5 itself may crash on
// files made to do so.
class File {
 public:
  explicit File(const std::filesystem::path& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::vector<std::string> names() const;  // of the objects in the root group, sorted
  Dataset describe(const std::string& name) const;

  // All elements of a data set that must have this type and shape.
  template <typename T>
  std::vector<T> read(const std::string& name, const Shape& shape) const {
    require(describe(name), element_of<T>(), shape, path_.string());
    std::vector<T> values(static_cast<std::size_t>(element_count(shape, name)));
    if (!values.empty()) read_raw(name, element_of<T>(), values.data());
    return values;
  }
  std::vector<std::string> read_text(const std::string& name, Index count) const;

  // Integers or floats of any width and byte order, contiguous or in chunks, compressed or not:
  // what others write. At most about 1,000 times as large as the file.
  Numbers read_numbers(const std::string& name) const;

 private:
  void read_raw(const std::string& name, Element element, void* values) const;
  [[noreturn]] void damaged(const std::string& name, const std::string& what) const;

  std::filesystem::path path_;
  Index length_;
  std::int64_t file_;
};

}  // namespace hone::hdf5
