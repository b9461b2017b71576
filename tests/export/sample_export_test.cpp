#include "hone/export/sample_export.h"

#include <hdf5.h>

#include "files/test_files.h"
#include "hone/core/npy.h"
#include "hone/files/zip_file.h"

namespace hone {
namespace {

struct Example {
  Matrix<double> theta = Matrix<double>(3, 2);
  std::vector<double> log_density{-1, -2, -3};
  Example() {
    for (Index i = 0; i < 3; ++i) {
      theta(i, 0) = static_cast<double>(i);
      theta(i, 1) = 10 + static_cast<double>(i);
    }
  }
  ExportedSamples samples() const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {.columns = {{"mass", "M_\u2609", 0, 5}, {"a/b", "$ratio$", -kInfinity, kInfinity}},
            .theta = theta,
            .log_density = [this] { return log_density; }};
  }
};

TEST(SampleExport, NpzHoldsSamplesNamesAndDensities) {
  const TemporaryDirectory scratch;
  const Example example;
  put_bytes(scratch.path() / "a.npz", export_npz(example.samples()).at(0).second);
  const ZipFile archive(scratch.path() / "a.npz");  // compares checksums
  EXPECT_EQ(archive.names(), (std::vector<std::string>{"labels.npy", "log_density.npy", "names.npy",
                                                       "samples.npy", "weights.npy"}));
  const NpyArray samples = parse_npy(archive.read("samples.npy"), "samples");
  EXPECT_EQ(samples.shape, (std::vector<Index>{3, 2}));
  EXPECT_EQ(samples.values, (std::vector<double>{0, 10, 1, 11, 2, 12}));
  const NpyArray density = parse_npy(archive.read("log_density.npy"), "density");
  EXPECT_EQ(density.shape, (std::vector<Index>{3}));
  EXPECT_EQ(density.values, example.log_density);
  const std::string labels = archive.read("labels.npy");
  EXPECT_TRUE(contains(labels, "'<U7'")) << labels;  // "$ratio$" is the longest
  // M, _, and the symbol of the sun as one character of four bytes.
  EXPECT_TRUE(contains(labels, std::string("M\0\0\0_\0\0\0\x09\x26\0\0", 12)));
}

// An identifier and what it was opened from.
class Hdf5 {
 public:
  explicit Hdf5(const std::filesystem::path& file)
      : file_(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~Hdf5() { H5Fclose(file_); }
  Hdf5(const Hdf5&) = delete;
  Hdf5& operator=(const Hdf5&) = delete;

  std::vector<double> values(const char* name, std::vector<hsize_t>& shape) const {
    const hid_t dataset = H5Dopen2(file_, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    EXPECT_GE(dataset, 0) << name;
    shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    std::vector<double> result(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data());
    H5Sclose(space);
    H5Dclose(dataset);
    return result;
  }
  bool has_attribute(const char* object, const char* name) const {
    return H5Aexists_by_name(file_, object, name, H5P_DEFAULT) > 0;
  }

 private:
  hid_t file_;
};

TEST(SampleExport, NetcdfHasChainsAndDrawsAsArvizWantsThem) {
  const TemporaryDirectory scratch;
  const Example example;
  const std::string bytes = export_netcdf(example.samples()).at(0).second;
  EXPECT_TRUE(bytes.starts_with("\x89HDF\r\n"));
  EXPECT_EQ(export_netcdf(example.samples()).at(0).second, bytes);
  put_bytes(scratch.path() / "a.nc", bytes);
  const Hdf5 file(scratch.path() / "a.nc");
  std::vector<hsize_t> shape;
  EXPECT_EQ(file.values("posterior/mass", shape), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(shape, (std::vector<hsize_t>{1, 3}));
  EXPECT_EQ(file.values("posterior/a_b", shape), (std::vector<double>{10, 11, 12}));
  EXPECT_EQ(file.values("sample_stats/lp", shape), example.log_density);
  EXPECT_EQ(file.values("posterior/draw", shape), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(file.values("posterior/chain", shape), (std::vector<double>{0}));
  // Named dimensions: what xarray reads.
  EXPECT_TRUE(file.has_attribute("posterior/mass", "DIMENSION_LIST"));
  EXPECT_TRUE(file.has_attribute("posterior/draw", "CLASS"));
  EXPECT_TRUE(file.has_attribute("posterior", "inference_library"));
}

TEST(SampleExport, CsvHasOneHeaderAndNumbersWithFullPrecision) {
  const Example example;
  EXPECT_EQ(export_csv(example.samples()), (ExportedFiles{{"", "mass,a/b\n0,10\n1,11\n2,12\n"}}));
}

TEST(SampleExport, GetDistGetsChainsNamesWithoutDollarsAndBounds) {
  const Example example;
  const ExportedFiles files = export_getdist(example.samples());
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0],
            std::pair(std::string("_1.txt"), std::string("1 1 0 10\n1 2 1 11\n1 3 2 12\n")));
  EXPECT_EQ(files[1].second, "mass\tM_\u2609\na/b\tratio\n");
  EXPECT_EQ(files[2].second, "mass 0 5\na/b N N\n");
}

TEST(SampleExport, AnUnknownFormatIsRefusedWithTheNearestOne) {
  EXPECT_EQ(find_export_format("npz").name, "npz");
  const auto text = error_text([] { find_export_format("numpyz"); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "format = 'numpyz'")) << text;
}

}  // namespace
}  // namespace hone
