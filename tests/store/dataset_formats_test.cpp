#include <gtest/gtest.h>

#include "hone/store/dataset_file.h"
#include "store/dataset_writers.h"

namespace hone {
namespace {

class DatasetFormats : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) {
    put_bytes(directory_.path() / name, bytes);
    return directory_.path() / name;
  }
  void expect_reads(const DatasetSource& source) {
    const ExistingSimulations found = read_dataset(source, names_);
    expect_sample(found.theta, found.x);
  }
  std::string refusal(const DatasetSource& source) {
    return error_text([&] { read_dataset(source, names_); }, ErrorKind::input);
  }

  TemporaryDirectory directory_;
  std::vector<std::string> names_{"mass", "age"};
};

std::string csv_of(MatrixView<const double> values, const std::string& header) {
  std::string text = header;
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      text += fmt::format("{}{}", j == 0 ? "" : ",", values(i, j));
    }
    text += "\n";
  }
  return text;
}

std::string sample_csv() {
  const Matrix<double> theta = sample_theta(), x = sample_x();
  std::string text = "# made last year\nage,x0,mass,x1,x2\n";
  for (Index i = 0; i < kRows; ++i) {
    text +=
        fmt::format("{},{},{}, {},\"{}\"\r\n", theta(i, 1), x(i, 0), theta(i, 0), x(i, 1), x(i, 2));
  }
  return text;
}

TEST_F(DatasetFormats, ReadsNpzStoredAndDeflated) {
  expect_reads({.file = write("a.npz", sample_npz(false))});
  expect_reads({.file = write("b.npz", sample_npz(true))});
}

TEST_F(DatasetFormats, ReadsHdf5ContiguousAndInCompressedChunks) {
  const auto file = directory_.path() / "a.h5";
  write_sample_hdf5(file, false);
  expect_reads({.file = file});
  write_sample_hdf5(file, true);
  expect_reads({.file = file});
}

TEST_F(DatasetFormats, ReadsHdf5OfTheOtherByteOrderAndNamesInGroups) {
  const auto file = directory_.path() / "a.hdf5";
  write_sample_hdf5(file, true, H5T_IEEE_F64BE);
  expect_reads({.file = file, .theta = "/theta", .x = "/x"});
}

TEST_F(DatasetFormats, FindsTheColumnsOfACsvByTheirNames) {
  expect_reads({.file = write("a.csv", sample_csv())});
}

TEST_F(DatasetFormats, ReadsTwoCsvFilesWithAndWithoutHeaders) {
  const auto theta = write("theta.csv", csv_of(sample_theta(), ""));
  const auto x = write("x.csv", csv_of(sample_x(), "a,b,c\n"));
  expect_reads({.file = theta, .x_file = x});
  write("theta.csv", csv_of(sample_theta(), "mass,age\n"));
  write("x.csv", csv_of(sample_x(), ""));
  expect_reads({.file = theta, .x_file = x});
}

TEST_F(DatasetFormats, HaveTheSameChecksumForTheSameNumbersAndAnotherForOthers) {
  const auto file = directory_.path() / "a.h5";
  write_sample_hdf5(file, true);
  const auto checksum_of = [&](const std::filesystem::path& path) {
    return dataset_checksum(read_dataset({.file = path}, names_));
  };
  const std::string expected = dataset_checksum({sample_theta(), sample_x()});
  EXPECT_EQ(checksum_of(write("a.csv", sample_csv())), expected);
  EXPECT_EQ(checksum_of(write("a.npz", sample_npz(false))), expected);
  EXPECT_EQ(checksum_of(file), expected);
  Matrix<double> x = sample_x();
  x(kRows - 1, 2) += 1e-12;
  write_hdf5(file, sample_theta(), x, true);
  EXPECT_NE(checksum_of(file), expected);
}

TEST_F(DatasetFormats, SuggestsTheNearestName) {
  const auto archive = write("a.npz", sample_npz(false));
  EXPECT_TRUE(contains(refusal({.file = archive, .theta = "thetas"}), "did you mean 'theta'?"));
  const auto file = directory_.path() / "a.h5";
  write_sample_hdf5(file, false);
  EXPECT_TRUE(contains(refusal({.file = file, .x = "y"}), "there is no data set 'y' in it"));
  const auto table = write("a.csv", "mas,age,x0\n1,2,3\n");
  EXPECT_TRUE(contains(refusal({.file = table}), "no column 'mass'; did you mean 'mas'?"));
}

TEST_F(DatasetFormats, NamesLineAndColumnOfABadCell) {
  const auto file = write("a.csv", "mass,age,x0\n1,2,3\n1,two,3\n");
  EXPECT_TRUE(contains(refusal({.file = file}), "a.csv, line 3, column 2: 'two' is not a number"));
  write("a.csv", "mass,age,x0\n1,2\n");
  EXPECT_TRUE(contains(refusal({.file = file}), "line 2: 2 cells; the first row has 3"));
  write("a.csv", "1,2,3\n");
  EXPECT_TRUE(contains(refusal({.file = file}), "the first row must name the columns: mass, age"));
}

TEST_F(DatasetFormats, RefusesShapesThatDoNotFit) {
  const auto file =
      write("a.npz", zip_bytes({{"theta.npy", npy_bytes(sample_theta().view().rows(0, 5))},
                                {"x.npy", npy_bytes(sample_x())}},
                               false));
  EXPECT_TRUE(contains(refusal({.file = file}), "theta has 5 rows, x has 12"));
  names_ = {"mass"};
  write("a.npz", sample_npz(true));
  EXPECT_TRUE(contains(refusal({.file = file}), "theta has 2 columns, the problem has 1"));
  names_ = {"mass", "age"};
  EXPECT_TRUE(contains(refusal({.file = write("b.csv", "mass,age\n1,2\n")}), "no column of x"));
  EXPECT_TRUE(contains(refusal({.file = write("c.csv", "mass,age,x\n")}), "no rows"));
  EXPECT_TRUE(contains(refusal({.file = write("d.txt", "")}), "unknown format '.txt'"));
  EXPECT_TRUE(contains(refusal({.file = directory_.path() / "none.npz"}), "No such file"));
}

}  // namespace
}  // namespace hone
