#include "hone/files/array_file.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/files/hdf5.h"
#include "hone/files/sealed_file.h"

namespace hone {
namespace {

// In HDF5 a slash begins a group: it becomes %2F, and a percent sign %25.
std::string coded(const std::string& name) {
  std::string result;
  for (const char c : name) result += c == '/' ? "%2F" : c == '%' ? "%25" : std::string(1, c);
  return result;
}

// And back. Any other percent sign is from before names were coded, and stands for itself.
std::string decoded(const std::string& name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view code = std::string_view(name).substr(i, 3);
    const bool is_code = code == "%2F" || code == "%25";
    result += !is_code ? name[i] : code == "%2F" ? '/' : '%';
    if (is_code) i += 2;
  }
  return result;
}

std::vector<const NamedArray*> sorted_by_name(std::span<const NamedArray> arrays) {
  std::vector<const NamedArray*> sorted;
  for (const NamedArray& array : arrays) {
    HONE_ASSERT(!array.name.empty() && array.name != "." && array.name != kContentsName);
    HONE_ASSERT(array.name.find('\0') == std::string::npos);
    sorted.push_back(&array);
  }
  const auto name = [](const NamedArray* array) { return array->name; };
  std::ranges::sort(sorted, {}, name);
  HONE_ASSERT(std::ranges::adjacent_find(sorted, {}, name) == sorted.end());
  return sorted;
}

NamedArray read_array(const SealedFile& file, const hdf5::Dataset& dataset,
                      const std::string& path) {
  const hdf5::Shape& shape = dataset.shape;
  switch (dataset.element) {
    case hdf5::Element::float32:
      return {decoded(dataset.name), shape, file.read<float>(dataset, shape)};
    case hdf5::Element::float64:
      return {decoded(dataset.name), shape, file.read<double>(dataset, shape)};
    default:
      fail(ErrorKind::io, "{}: damaged: array '{}' is {}, not a float or double", path,
           dataset.name, to_string(dataset.element));
  }
}

}  // namespace

void write_arrays(const std::filesystem::path& path, std::span<const NamedArray> arrays,
                  const FileMark& mark) {
  hdf5::Builder builder(path.string());
  for (const NamedArray* array : sorted_by_name(arrays)) {
    std::visit(
        [&]<typename T>(const std::vector<T>& values) {
          builder.add(coded(array->name), array->shape, std::span<const T>(values));
        },
        array->values);
  }
  write_file_atomically(path, finish_sealed(builder, {}, mark));
}

std::vector<NamedArray> read_arrays(const std::filesystem::path& path, const FileMark& expected) {
  const SealedFile file(path, expected);
  std::vector<NamedArray> arrays;
  for (const hdf5::Dataset& dataset : file.datasets()) {
    arrays.push_back(read_array(file, dataset, path.string()));
  }
  std::ranges::sort(arrays, {}, &NamedArray::name);
  return arrays;
}

}  // namespace hone
