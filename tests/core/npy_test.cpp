#include "hone/core/npy.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "hone/core/error.h"

namespace hone {
namespace {

template <typename T>
std::string npy_of(const std::string& type, bool fortran, const std::string& shape,
                   const std::vector<T>& values) {
  std::string bytes =
      npy_header("{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                 ", 'shape': " + shape + ", }");
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return bytes;
}

NpyArray parsed(const std::string& bytes) {
  return parse_npy(std::as_bytes(std::span(bytes)), "a.npy");
}

std::string refusal(const std::string& bytes) {
  try {
    parsed(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "";
}

TEST(Npy, ReadsBackWhatItWrites) {
  Matrix<double> matrix(3, 2);
  for (Index i = 0; i < 6; ++i) matrix.data()[i] = 0.1 * static_cast<double>(i);
  const NpyArray array = parsed(npy_bytes(matrix));
  EXPECT_EQ(array.shape, (std::vector<Index>{3, 2}));
  for (Index i = 0; i < 6; ++i)
    EXPECT_EQ(array.values[static_cast<std::size_t>(i)], matrix.data()[i]);
}

TEST(Npy, ReadsAllFourTypes) {
  const std::vector<double> expected{1, -2, 3};
  EXPECT_EQ(parsed(npy_of<double>("<f8", false, "(3,)", {1, -2, 3})).values, expected);
  EXPECT_EQ(parsed(npy_of<float>("<f4", false, "(3,)", {1, -2, 3})).values, expected);
  EXPECT_EQ(parsed(npy_of<std::int64_t>("<i8", false, "(3,)", {1, -2, 3})).values, expected);
  EXPECT_EQ(parsed(npy_of<std::int32_t>("<i4", false, "(3,)", {1, -2, 3})).values, expected);
}

TEST(Npy, TurnsFortranOrderIntoRows) {
  // numpy.asfortranarray([[1, 2, 3], [4, 5, 6]])
  const NpyArray two = parsed(npy_of<double>("<f8", true, "(2, 3)", {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(two.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  const NpyArray three = parsed(npy_of<double>("<f8", true, "(2, 2, 2)", {0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(three.values, (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Npy, ReadsVersionTwo) {
  std::string bytes = npy_of<double>("<f8", false, "(1,)", {7});
  bytes[6] = 2;
  bytes.insert(10, 2, '\0');  // four bytes of length instead of two
  EXPECT_EQ(parsed(bytes).values, std::vector<double>{7});
}

TEST(Npy, FlattensRowsToAMatrix) {
  const NpyArray array = parsed(npy_of<double>("<f8", false, "(2, 2, 1)", {1, 2, 3, 4}));
  const Matrix<double> matrix = npy_matrix(array, "a.npy");
  EXPECT_EQ(matrix.rows(), 2);
  EXPECT_EQ(matrix.cols(), 2);
  EXPECT_EQ(npy_matrix(parsed(npy_of<double>("<f8", false, "(2,)", {1, 2})), "a").cols(), 1);
  EXPECT_EQ(npy_matrix(parsed(npy_of<double>("<f8", false, "(0, 3)", {})), "a").rows(), 0);
}

TEST(Npy, SaysWhatIsWrong) {
  EXPECT_NE(refusal("rubbish").find("a.npy: not an .npy array"), std::string::npos);
  EXPECT_NE(refusal(npy_of<double>(">f8", false, "(1,)", {1})).find("'>f8'"), std::string::npos);
  EXPECT_NE(refusal(npy_of<double>("<f8", false, "(2,)", {1})).find("ends too early"),
            std::string::npos);
  EXPECT_NE(refusal(npy_of<double>("<f8", false, "(4611686018427387904, 4)", {})), "");
  EXPECT_NE(refusal(npy_of<double>("<f8", false, "(-1,)", {})), "");
  EXPECT_NE(refusal(npy_of<double>("<f8", false, "(99999999999999999999,)", {})), "");
}

TEST(Npy, SurvivesEveryCutAndRandomChanges) {
  const std::string good = npy_of<double>("<f8", true, "(3, 2)", {1, 2, 3, 4, 5, 6});
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_NE(refusal(good.substr(0, length)), "") << length;
  }
  std::mt19937 random(1);
  for (int trial = 0; trial < 20000; ++trial) {
    std::string changed = good;
    for (int i = 0; i < 1 + trial % 4; ++i) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    refusal(changed);
  }
}

}  // namespace
}  // namespace hone
