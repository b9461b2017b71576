#include "hone/store/array_file.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/store/files.h"
#include "hone/store/hdf5.h"
#include "hone/store/seal.h"

namespace hone {
namespace {

std::vector<const NamedArray*> sorted_by_name(std::span<const NamedArray> arrays) {
  std::vector<const NamedArray*> sorted;
  for (const NamedArray& array : arrays) {
    HONE_ASSERT(!array.name.empty() && array.name != ".");
    HONE_ASSERT(array.name.find_first_of(std::string("/\0", 2)) == std::string::npos);
    sorted.push_back(&array);
  }
  const auto name = [](const NamedArray* array) { return array->name; };
  std::ranges::sort(sorted, {}, name);
  HONE_ASSERT(std::ranges::adjacent_find(sorted, {}, name) == sorted.end());
  return sorted;
}

NamedArray read_array(const hdf5::File& file, const std::string& name, const std::string& path) {
  const hdf5::DatasetInfo info = file.describe(name);
  switch (info.element) {
    case hdf5::Element::float32:
      return {name, info.shape, file.read<float>(name, info.shape)};
    case hdf5::Element::float64:
      return {name, info.shape, file.read<double>(name, info.shape)};
    default:
      fail(ErrorKind::io, "{}: damaged: array '{}' is {}, not a float or double", path, name,
           to_string(info.element));
  }
}

}  // namespace

void write_arrays(const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  hdf5::Builder builder(path.string());
  for (const NamedArray* array : sorted_by_name(arrays)) {
    std::visit(
        [&]<typename T>(const std::vector<T>& values) {
          builder.add(array->name, array->shape, std::span<const T>(values));
        },
        array->values);
  }
  std::vector<std::byte> image = builder.finish();
  seal_image(image);
  write_file_atomically(path, image);
}

std::vector<NamedArray> read_arrays(const std::filesystem::path& path) {
  verify_body(ReadableFile(path));
  const hdf5::File file(path);
  std::vector<NamedArray> arrays;
  for (const std::string& name : file.names()) {
    arrays.push_back(read_array(file, name, path.string()));
  }
  return arrays;
}

}  // namespace hone
