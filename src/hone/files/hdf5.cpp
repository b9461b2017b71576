#include "hone/files/hdf5.h"

#include <algorithm>
#include <array>

#include "hone/files/files.h"
#include "hone/files/hdf5_handle.h"

namespace hone::hdf5 {
namespace {

constexpr std::array kNumbers = {Element::float32, Element::float64, Element::int32,
                                 Element::int64,   Element::uint8,   Element::uint64};

hid_t open_to_read(const std::filesystem::path& path) {
  const Session session;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  // Our files never change, and locking fails on some network file systems.
  H5Pset_file_locking(access, false, true);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (file < 0) fail(ErrorKind::io, "{}: not a readable HDF5 file", path.string());
  return file;
}

// False for types that hone does not write.
bool read_element(Dataset& info, hid_t type) {
  const auto same = [type](Element element) { return H5Tequal(type, stored_type(element)) > 0; };
  const auto number = std::ranges::find_if(kNumbers, same);
  const bool text = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
  if (number == kNumbers.end() && !text) return false;
  info.element = text ? Element::text : *number;
  info.element_bytes = static_cast<Index>(H5Tget_size(type));
  return info.element_bytes > 0;
}

bool read_shape(Dataset& info, hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  if (H5Sis_simple(space) <= 0 || rank < 0 || rank > H5S_MAX_RANK) return false;
  std::array<hsize_t, H5S_MAX_RANK> sizes{};
  if (H5Sget_simple_extent_dims(space, sizes.data(), nullptr) != rank) return false;
  info.shape.assign(sizes.begin(), sizes.begin() + rank);
  return std::ranges::all_of(info.shape, [](Index size) { return size >= 0; });
}

bool is_contiguous(hid_t dataset) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  return creation.valid() && H5Pget_layout(creation) == H5D_CONTIGUOUS &&
         H5Pget_external_count(creation) == 0;
}

// Layouts whose content is in this very file, and all there.
bool holds_its_data(hid_t dataset, Index bytes, Index file_length) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  if (!creation.valid() || H5Pget_external_count(creation) != 0) return false;
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT) return false;
  constexpr Index best_compression = 1032;  // of deflate
  const auto stored = static_cast<Index>(H5Dget_storage_size(dataset));
  return stored >= 0 && stored <= file_length && bytes / best_compression <= stored;
}

bool is_number(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return (kind == H5T_INTEGER || kind == H5T_FLOAT) && H5Tget_size(type) <= sizeof(double);
}

std::string text_of(const Shape& shape) {
  std::string text;
  for (const Index size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "(" + text + ")";
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

std::string to_string(Element element) {
  switch (element) {
    case Element::float32: return "float32";
    case Element::float64: return "float64";
    case Element::int32: return "int32";
    case Element::int64: return "int64";
    case Element::uint8: return "uint8";
    case Element::uint64: return "uint64";
    case Element::text: return "text";
  }
  return "unknown";
}

Index element_bytes(Element element) {
  switch (element) {
    case Element::float32:
    case Element::int32: return 4;
    case Element::float64:
    case Element::int64:
    case Element::uint64: return 8;
    case Element::uint8: return 1;
    case Element::text: break;
  }
  return 0;
}

Index element_count(const Shape& shape, const std::string& what) {
  Index count = 1;
  for (const Index size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) {
      fail(ErrorKind::io, "{}: an impossible shape {}", what, text_of(shape));
    }
  }
  return count;
}

void require(const Dataset& dataset, Element element, const Shape& shape, const std::string& file) {
  if (dataset.element == element && dataset.shape == shape) return;
  fail(ErrorKind::io, "{}: damaged: data set '{}' is {} {}; {} {} was expected", file, dataset.name,
       to_string(dataset.element), text_of(dataset.shape), to_string(element), text_of(shape));
}

std::vector<std::string> split_text(std::span<const char> characters, Index width) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < characters.size(); i += static_cast<std::size_t>(width)) {
    const auto text = characters.subspan(i, static_cast<std::size_t>(width));
    values.emplace_back(text.begin(), std::ranges::find(text, '\0'));
  }
  return values;
}

File::File(const std::filesystem::path& path)
    : path_(path), length_(ReadableFile(path).length()), file_(open_to_read(path)) {}

File::~File() {
  const Session session;
  H5Fclose(file_);
}

void File::damaged(const std::string& name, const std::string& what) const {
  fail(ErrorKind::io, "{}: damaged: data set '{}' {}", path_.string(), name, what);
}

std::vector<std::string> File::names() const {
  const Session session;
  std::vector<std::string> names;
  if (H5Literate(file_, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect_name, &names) < 0) {
    fail(ErrorKind::io, "{}: damaged: its table of contents cannot be read", path_.string());
  }
  std::ranges::sort(names);
  return names;
}

Dataset File::describe(const std::string& name) const {
  const Session session;
  const Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) damaged(name, "is missing");
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  Dataset info;
  info.name = name;
  if (!type.valid() || !read_element(info, type)) damaged(name, "has a foreign type");
  if (!space.valid() || !read_shape(info, space)) damaged(name, "has no simple shape");
  if (!is_contiguous(dataset)) damaged(name, "is not contiguous");
  Index bytes = 0;
  if (__builtin_mul_overflow(element_count(info.shape, path_.string()), info.element_bytes,
                             &bytes)) {
    damaged(name, "is impossibly large");
  }
  if (bytes == 0) return info;
  const haddr_t offset = H5Dget_offset(dataset);
  const auto length = static_cast<haddr_t>(length_);
  if (offset == HADDR_UNDEF || offset > length || static_cast<haddr_t>(bytes) > length - offset) {
    damaged(name, "lies outside the file");
  }
  info.offset = static_cast<Index>(offset);
  return info;
}

void File::read_raw(const std::string& name, Element element, void* values) const {
  const Session session;
  const Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid() ||
      H5Dread(dataset, stored_type(element), H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
    damaged(name, "cannot be read");
  }
}

Numbers File::read_numbers(const std::string& name) const {
  const Session session;
  const Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) damaged(name, "is missing");
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (!type.valid() || !is_number(type)) damaged(name, "does not hold numbers");
  Dataset info;
  if (!space.valid() || !read_shape(info, space)) damaged(name, "has no simple shape");
  const Index count = element_count(info.shape, path_.string());
  Index bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<Index>(H5Tget_size(type)), &bytes)) {
    damaged(name, "is impossibly large");
  }
  Numbers numbers{std::move(info.shape), {}};
  if (count == 0) return numbers;
  if (!holds_its_data(dataset, bytes, length_)) damaged(name, "is not all in this file");
  numbers.values.resize(static_cast<std::size_t>(count));
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.values.data()) <
      0) {
    damaged(name, "cannot be read");
  }
  return numbers;
}

std::vector<std::string> File::read_text(const std::string& name, Index count) const {
  const Dataset info = describe(name);
  require(info, Element::text, {count}, path_.string());
  std::vector<char> characters(static_cast<std::size_t>(info.element_bytes * count));
  // The bytes as they lie in the file: no conversion of character sets or padding.
  ReadableFile(path_).read(std::as_writable_bytes(std::span(characters)), info.offset);
  return split_text(characters, info.element_bytes);
}

}  // namespace hone::hdf5
