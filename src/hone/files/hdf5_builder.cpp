#include <algorithm>
#include <cstring>
#include <string_view>

#include "hone/files/hdf5.h"
#include "hone/files/hdf5_handle.h"
#include "hone/files/seal.h"

namespace hone::hdf5 {
namespace {

[[noreturn]] void cannot_build(const std::string& name, const char* what) {
  fail(ErrorKind::io, "{}: HDF5 cannot make the file in memory ({}); is there enough memory?", name,
       what);
}

// Shared by files and data sets: no times, or equal content would give different bytes.
Handle creation_properties(hid_t kind) {
  Handle properties(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(properties, false);
  return properties;
}

hid_t create_in_memory(const std::string& name) {
  const Session session;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  constexpr std::size_t growth = std::size_t{1} << 20;
  H5Pset_fapl_core(access, growth, false);  // false: HDF5 itself never writes a file
  // The oldest format, which every reader knows. In newer ones the checksum of the first block
  // comes out wrong in an image (HDF5 1.10.8); the seal protects ours.
  H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  const Handle creation = creation_properties(H5P_FILE_CREATE);
  H5Pset_userblock(creation, static_cast<hsize_t>(kSealBytes));
  // HDF5 takes two files of one name for the same file, also in memory.
  static int number = 0;
  const std::string unique = "hone-" + std::to_string(++number);
  const hid_t file = H5Fcreate(unique.c_str(), H5F_ACC_TRUNC, creation, access);
  if (file < 0) cannot_build(name, "create");
  return file;
}

// Returns where the elements are in the file.
Index write_dataset(hid_t file, const std::string& file_name, const Dataset& info, hid_t type,
                    const void* values) {
  const std::vector<hsize_t> sizes(info.shape.begin(), info.shape.end());
  const Handle space(sizes.empty()
                         ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
                     H5Sclose);
  const Handle creation = creation_properties(H5P_DATASET_CREATE);
  H5Pset_layout(creation, H5D_CONTIGUOUS);
  H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  const Handle dataset(
      H5Dcreate2(file, info.name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose);
  if (!dataset.valid()) cannot_build(file_name, info.name.c_str());
  if (std::ranges::find(info.shape, 0) != info.shape.end()) return 0;
  if (H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
    cannot_build(file_name, info.name.c_str());
  }
  return static_cast<Index>(H5Dget_offset(dataset));
}

}  // namespace

Builder::Builder(std::string name) : name_(std::move(name)), file_(create_in_memory(name_)) {}

Builder::~Builder() {
  const Session session;
  H5Fclose(file_);
}

void Builder::add_raw(Dataset dataset, const void* values) {
  const Session session;
  dataset.offset = write_dataset(file_, name_, dataset, stored_type(dataset.element), values);
  datasets_.push_back(std::move(dataset));
}

void Builder::add_text(const std::string& name, std::span<const std::string> values) {
  std::size_t longest = 1;
  for (const std::string& value : values) longest = std::max(longest, value.size());
  std::vector<char> characters(longest * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::ranges::copy(values[i], characters.data() + i * longest);
  }
  const Session session;
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, longest);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  Dataset dataset{
      name, Element::text, {static_cast<Index>(values.size())}, static_cast<Index>(longest), 0};
  dataset.offset = write_dataset(file_, name_, dataset, type, characters.data());
  datasets_.push_back(std::move(dataset));
}

std::vector<std::byte> Builder::finish() {
  const Session session;
  if (H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0) cannot_build(name_, "flush");
  const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
  if (size < kSealBytes) cannot_build(name_, "size");
  // HDF5 gives its own part only, without the user block in front.
  std::vector<std::byte> image(static_cast<std::size_t>(kSealBytes + size));
  std::byte* own = image.data() + kSealBytes;
  if (H5Fget_file_image(file_, own, static_cast<std::size_t>(size)) != size) {
    cannot_build(name_, "image");
  }
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  HONE_ASSERT(std::memcmp(own, signature.data(), signature.size()) == 0);
  return image;
}

}  // namespace hone::hdf5
