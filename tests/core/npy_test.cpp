#include "hone/core/npy.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/core/number_text.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += version;
  bytes += '\0';
  bytes += static_cast<char>(header.size());
  bytes.append(version == 1 ? 1 : 3, '\0');
  return bytes + header + data;
}

std::string header(const std::string& type, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

template <typename Value>
std::string raw(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

std::vector<double> values_of(const std::string& bytes) {
  return parse_npy(bytes, "f").values;
}

TEST(Npy, ReadsWhatItWrites) {
  Matrix<double> matrix(3, 4);
  for (Index i = 0; i < 12; ++i) matrix.data()[i] = 0.1 * static_cast<double>(i);
  const NpyArray array = parse_npy(npy_bytes(matrix), "f");
  EXPECT_EQ(array.shape, (std::vector<Index>{3, 4}));
  EXPECT_EQ(array.values, std::vector<double>(matrix.data(), matrix.data() + 12));
}

TEST(Npy, ReadsEveryPlainTypeAndOrder) {
  const std::vector<double> expected = {1, 2, 3};
  EXPECT_EQ(values_of(npy(header("<f8", "(3,)"), raw<double>({1, 2, 3}))), expected);
  EXPECT_EQ(values_of(npy(header("<f4", "(3,)"), raw<float>({1, 2, 3}), 2)), expected);
  EXPECT_EQ(values_of(npy(header("<i8", "(3,)"), raw<std::int64_t>({1, 2, 3}), 3)), expected);
  EXPECT_EQ(values_of(npy(header("<i4", "(3,)"), raw<std::int32_t>({1, 2, 3}))), expected);
  EXPECT_EQ(values_of(npy(header("<u2", "(3,)"), raw<std::uint16_t>({1, 2, 3}))), expected);
  EXPECT_EQ(values_of(npy(header("|i1", "(3,)"), raw<std::int8_t>({1, -2, 3})))[1], -2);
  EXPECT_EQ(values_of(npy(header("|b1", "(2,)"), std::string("\x01\x00", 2)))[0], 1);
  EXPECT_EQ(values_of(npy(header(">i2", "(1,)"), std::string("\x01\x02", 2)))[0], 258);
  EXPECT_EQ(values_of(npy(header("<f8", "()"), raw<double>({5}))), std::vector<double>{5});
  EXPECT_EQ(values_of(npy(header("<f8", "(2, 3)", true), raw<double>({1, 4, 2, 5, 3, 6}))),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(
      values_of(npy(header("<f8", "(0, 4611686018427387904, 4611686018427387904)", true), ""))
          .empty());
}

TEST(Npy, RefusesDamagedFiles) {
  const std::string data = raw<double>({1, 2, 3});
  for (const std::string& bytes :
       {std::string(), std::string("\x93NUMPY", 6), npy(header("<f8", "(4,)"), data),
        npy(header("<f8", "(4611686018427387904, 4)"), data), npy(header("<f8", "(-1,)"), data),
        npy(header("<f8", "(3"), data), npy(header("<f8", "3"), data),
        npy(header("<c8", "(3,)"), data), npy(header("|O", "(3,)"), data),
        npy(header("<f9", "(3,)"), data), npy("{}", data), npy("{'descr': ", data),
        npy(header("<f8", "(3,)"), data, 9)}) {
    EXPECT_THROW(parse_npy(bytes, "f"), Error);
  }
  const std::string good = npy(header("<f8", "(3,)", true), data);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(parse_npy(good.substr(0, size), "f"), Error);
  }
  Rng rng(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    bad[rng.below(bad.size())] = static_cast<char>(rng.below(256));
    try {
      parse_npy(bad, "f");
    } catch (const Error&) {
    }
  }
}

TEST(NumberText, ReadsWhatProgramsPrint) {
  EXPECT_EQ(parse_numbers("a, b\n1.5, 2\n3 # no\n", "f"), (std::vector<double>{1.5, 2, 3}));
  EXPECT_EQ(parse_numbers("  1.5D+02 -2d-1 +3E0\r\n", "f"), (std::vector<double>{150, -0.2, 3}));
  EXPECT_TRUE(std::isnan(parse_numbers("nan 1", "f")[0]));
  EXPECT_THROW(parse_finite_numbers("nan 1", "f"), Error);
  // Only names make a header: a number that cannot be read must not be passed over.
  for (const char* wrong : {"1e999\n2", "\u22120.5\n2", "-\n2", "0x1F\n2", "1.5.2 3_000\n2"}) {
    EXPECT_THROW(parse_numbers(wrong, "f"), Error) << wrong;
  }
  EXPECT_THROW(parse_numbers("1 2\n3 four", "f"), Error);
  EXPECT_THROW(parse_numbers("1 d", "f"), Error);
  EXPECT_THROW(parse_numbers("", "f"), Error);
}

}  // namespace
}  // namespace hone
