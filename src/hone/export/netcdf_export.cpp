#include <algorithm>
#include <numeric>

#include <hdf5_hl.h>

#include "hone/core/version.h"
#include "hone/export/sample_export.h"
#include "hone/files/hdf5_handle.h"

namespace hone {
namespace {

using hdf5::Handle;

void check(bool good, const char* what) {
  if (!good) fail(ErrorKind::io, "netCDF: HDF5 cannot make the {}; is there enough memory?", what);
}

// netCDF-4 keeps the order in which things were made.
Handle ordered(hid_t kind) {
  Handle properties(H5Pcreate(kind), H5Pclose);
  H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(properties, false);
  return properties;
}

Handle memory_file() {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, std::size_t{1} << 20, false);  // false: HDF5 itself writes no file
  // As in hdf5_builder.cpp: the first block of a newer format comes out wrong in an image.
  H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
  static int number = 0;
  const std::string name = fmt::format("hone-netcdf-{}", ++number);
  Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, ordered(H5P_FILE_CREATE), access), H5Fclose);
  check(file.valid(), "file");
  return file;
}

Handle make_dataset(hid_t group, const std::string& name, hid_t type,
                    const std::vector<hsize_t>& shape, const void* values) {
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                     H5Sclose);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation, false);
  H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  Handle dataset(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                 H5Dclose);
  check(dataset.valid() && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
        "data");
  return dataset;
}

// A group of variables over (chain, draw), with both as coordinates.
class Group {
 public:
  Group(hid_t file, const char* name, Index draws)
      : draws_(static_cast<hsize_t>(draws)),
        group_(H5Gcreate2(file, name, H5P_DEFAULT, ordered(H5P_GROUP_CREATE), H5P_DEFAULT),
               H5Gclose),
        chain_(coordinate("chain", 1)),
        draw_(coordinate("draw", draws)) {
    check(group_.valid(), "group");
    H5LTset_attribute_string(file, name, "inference_library", "hone");
    H5LTset_attribute_string(file, name, "inference_library_version", version());
  }

  void add(const std::string& name, std::span<const double> values) {
    const Handle variable = make_dataset(group_, name, H5T_IEEE_F64LE, {1, draws_}, values.data());
    check(H5DSattach_scale(variable, chain_, 0) >= 0 && H5DSattach_scale(variable, draw_, 1) >= 0,
          "dimensions");
  }

 private:
  Handle coordinate(const char* name, Index count) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), std::int64_t{0});
    Handle scale =
        make_dataset(group_, name, H5T_STD_I64LE, {static_cast<hsize_t>(count)}, values.data());
    check(H5DSset_scale(scale, name) >= 0, "coordinate");
    return scale;
  }

  hsize_t draws_;
  Handle group_, chain_, draw_;
};

}  // namespace

ExportedFiles export_netcdf(const ExportedSamples& samples) {
  const hdf5::Session session;
  const Handle file = memory_file();
  {
    Group posterior(file, "posterior", samples.theta.rows());
    std::vector<double> column(static_cast<std::size_t>(samples.theta.rows()));
    for (Index j = 0; j < samples.theta.cols(); ++j) {
      for (std::size_t i = 0; i < column.size(); ++i) {
        column[i] = samples.theta(static_cast<Index>(i), j);
      }
      // A slash would begin a group of its own.
      std::string name = samples.columns[static_cast<std::size_t>(j)].name;
      std::ranges::replace(name, '/', '_');
      posterior.add(name, column);
    }
    Group statistics(file, "sample_stats", samples.theta.rows());
    statistics.add("lp", samples.log_density());
  }
  check(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, "file");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  check(size > 0, "file");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  check(H5Fget_file_image(file, bytes.data(), bytes.size()) == size, "file");
  return {{"", std::move(bytes)}};
}

}  // namespace hone
