#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/files/files.h"
#include "hone/files/hdf5.h"
#include "hone/files/seal.h"

namespace hone {

// The name of the data set with the table of contents: JSON text that lists the others with type,
// shape and offset.
inline constexpr const char* kContentsName = "hone_contents";

// Adds the table of contents and seals the file. If `data_name` is given, that data set is the
// data section of the seal.
std::vector<std::byte> finish_sealed(hdf5::Builder& builder, const std::string& data_name = {},
                                     const FileMark& mark = {});

// One of our own HDF5 files, read by its seal and table of contents. Every byte is checked before
// it is used, but for the data section; nothing in the file can make this crash, or take more
// memory than the file is long. Damage is an Error{io}.
class SealedFile {
 public:
  // A file that is not where it belongs is an Error{io} too.
  explicit SealedFile(const std::filesystem::path& path, const FileMark& expected = {});

  const Seal& seal() const { return seal_; }
  const std::vector<hdf5::Dataset>& datasets() const { return datasets_; }
  const hdf5::Dataset& find(const std::string& name) const;

  // All elements of a data set that must have this type and shape.
  template <typename T>
  std::vector<T> read(const std::string& name, const hdf5::Shape& shape) const {
    return read<T>(find(name), shape);
  }
  template <typename T>
  std::vector<T> read(const hdf5::Dataset& dataset, const hdf5::Shape& shape) const {
    hdf5::require(dataset, hdf5::element_of<T>(), shape, file_.path().string());
    std::vector<T> values(static_cast<std::size_t>(hdf5::element_count(shape, dataset.name)));
    file_.read(std::as_writable_bytes(std::span(values)), dataset.offset);
    return values;
  }
  std::vector<std::string> read_text(const std::string& name, Index count) const;

 private:
  ReadableFile file_;
  Seal seal_;
  std::vector<hdf5::Dataset> datasets_;
};

}  // namespace hone
