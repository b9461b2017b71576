#include "hone/files/array_file.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/files/hdf5.h"
#include "hone/files/sealed_file.h"

namespace hone {
namespace {

std::vector<const NamedArray*> sorted_by_name(std::span<const NamedArray> arrays) {
  std::vector<const NamedArray*> sorted;
  for (const NamedArray& array : arrays) {
    HONE_ASSERT(!array.name.empty() && array.name != "." && array.name != kContentsName);
    HONE_ASSERT(array.name.find_first_of(std::string("/\0", 2)) == std::string::npos);
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
    case hdf5::Element::float32: return {dataset.name, shape, file.read<float>(dataset, shape)};
    case hdf5::Element::float64: return {dataset.name, shape, file.read<double>(dataset, shape)};
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
          builder.add(array->name, array->shape, std::span<const T>(values));
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
  return arrays;
}

}  // namespace hone
