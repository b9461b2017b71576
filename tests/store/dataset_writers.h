#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <hdf5.h>
#include <zlib.h>

#include "files/test_files.h"
#include "hone/core/npy.h"
#include "hone/prior/prior.h"

namespace hone {

// Twelve simulations of two parameters and three data, whose values follow from the row.
constexpr Index kRows = 12;

inline Matrix<double> sample_theta() {
  Matrix<double> theta(kRows, 2);
  for (Index i = 0; i < kRows; ++i) {
    theta(i, 0) = static_cast<double>(i) / 12;
    theta(i, 1) = 10 - static_cast<double>(i) / 3;
  }
  return theta;
}

inline Matrix<double> sample_x() {
  Matrix<double> x(kRows, 3);
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < 3; ++j) x(i, j) = static_cast<double>(i) + 0.25 * static_cast<double>(j);
  }
  return x;
}

inline Prior sample_prior() {
  return Prior({{"mass", "", make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}})},
                {"age", "", make_distribution({"uniform", {{"low", 0}, {"high", 10}}, {}})}});
}

inline void expect_sample(MatrixView<const double> theta, MatrixView<const double> x) {
  ASSERT_EQ(theta.rows(), kRows);
  ASSERT_EQ(theta.cols(), 2);
  ASSERT_EQ(x.cols(), 3);
  const Matrix<double> expected_theta = sample_theta(), expected_x = sample_x();
  for (Index i = 0; i < kRows; ++i) {
    EXPECT_EQ(theta(i, 0), expected_theta(i, 0)) << i;
    EXPECT_EQ(theta(i, 1), expected_theta(i, 1)) << i;
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(x(i, j), expected_x(i, j)) << i;
  }
}

template <typename T>
void put_number(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.append(raw, sizeof(T));
}

struct ZipMember {
  std::string name, content;
};

// A ZIP archive as NumPy writes it: sizes in the local header are in the 64-bit extension.
inline std::string zip_bytes(const std::vector<ZipMember>& members, bool deflated) {
  std::string bytes, directory;
  for (const ZipMember& member : members) {
    std::string packed = member.content;
    if (deflated) {
      packed.resize(compressBound(packed.size()) + 64);
      z_stream stream{};
      deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(member.content.data()));
      stream.avail_in = static_cast<uInt>(member.content.size());
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      deflate(&stream, Z_FINISH);
      packed.resize(stream.total_out);
      deflateEnd(&stream);
    }
    const auto checksum =
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(member.content.data()),
                                         static_cast<uInt>(member.content.size())));
    const auto offset = static_cast<std::uint32_t>(bytes.size());
    const auto method = static_cast<std::uint16_t>(deflated ? 8 : 0);
    const auto common = [&](std::string& out, std::uint32_t packed_size, std::uint32_t size,
                            std::uint16_t extra) {
      put_number<std::uint16_t>(out, 45);
      put_number<std::uint16_t>(out, 0);
      put_number(out, method);
      put_number<std::uint32_t>(out, 0);
      put_number(out, checksum);
      put_number(out, packed_size);
      put_number(out, size);
      put_number(out, static_cast<std::uint16_t>(member.name.size()));
      put_number(out, extra);
    };
    put_number<std::uint32_t>(bytes, 0x04034b50);
    common(bytes, 0xffffffff, 0xffffffff, 20);
    bytes += member.name;
    put_number<std::uint16_t>(bytes, 1);
    put_number<std::uint16_t>(bytes, 16);
    put_number<std::uint64_t>(bytes, member.content.size());
    put_number<std::uint64_t>(bytes, packed.size());
    bytes += packed;
    put_number<std::uint32_t>(directory, 0x02014b50);
    put_number<std::uint16_t>(directory, 45);
    common(directory, static_cast<std::uint32_t>(packed.size()),
           static_cast<std::uint32_t>(member.content.size()), 0);
    directory.append(10, '\0');
    put_number(directory, offset);
    directory += member.name;
  }
  const auto start = static_cast<std::uint32_t>(bytes.size());
  bytes += directory;
  put_number<std::uint32_t>(bytes, 0x06054b50);
  put_number<std::uint32_t>(bytes, 0);
  put_number(bytes, static_cast<std::uint16_t>(members.size()));
  put_number(bytes, static_cast<std::uint16_t>(members.size()));
  put_number(bytes, static_cast<std::uint32_t>(directory.size()));
  put_number(bytes, start);
  put_number<std::uint16_t>(bytes, 0);
  return bytes;
}

inline std::string sample_npz(bool deflated) {
  return zip_bytes({{"theta.npy", npy_bytes(sample_theta())}, {"x.npy", npy_bytes(sample_x())}},
                   deflated);
}

// What h5py makes: contiguous, or in compressed chunks.
inline void write_hdf5(const std::filesystem::path& path, const Matrix<double>& theta,
                       const Matrix<double>& x, bool chunked, hid_t type = H5T_IEEE_F64LE) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const auto add = [&](const char* name, const Matrix<double>& values) {
    const hsize_t sizes[2] = {static_cast<hsize_t>(values.rows()),
                              static_cast<hsize_t>(values.cols())};
    const hsize_t chunk[2] = {5, 2};
    const hid_t space = H5Screate_simple(2, sizes, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked) {
      H5Pset_chunk(creation, 2, chunk);
      H5Pset_shuffle(creation);
      H5Pset_deflate(creation, 6);
    }
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(dataset);
    H5Pclose(creation);
    H5Sclose(space);
  };
  add("theta", theta);
  add("x", x);
  H5Fclose(file);
}

inline void write_sample_hdf5(const std::filesystem::path& path, bool chunked,
                              hid_t type = H5T_IEEE_F64LE) {
  write_hdf5(path, sample_theta(), sample_x(), chunked, type);
}

}  // namespace hone
