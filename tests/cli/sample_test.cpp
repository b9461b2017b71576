#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>

#include "cli/program.h"

namespace hone {
namespace {

class Sample : public testing::Test {
 protected:
  void SetUp() override { make_small_run(scratch.path(), "run"); }
  ProgramResult sample(const Arguments& arguments) {
    return run_program(scratch.path(), Arguments{"sample", "run"} + arguments, 60);
  }
  std::string bytes(const std::string& file) { return bytes_of(scratch.path() / file); }
  TemporaryDirectory scratch;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// A number from end to end.
double number(const std::string& word) {
  double value = NAN;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  EXPECT_TRUE(error == std::errc() && end == word.data() + word.size()) << "'" << word << "'";
  return value;
}

std::vector<double> npy_values(const std::string& bytes) {
  std::vector<double> values((bytes.size() - 128) / sizeof(double));
  std::memcpy(values.data(), bytes.data() + 128, values.size() * sizeof(double));
  return values;
}

TEST_F(Sample, NpyHasAHeaderThatNumpyReads) {
  const ProgramResult result = sample({"--marginal", "0,1", "-n", "70", "--format", "npy"});
  EXPECT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(result.out.size(), 128 + 70 * 2 * sizeof(double));
  EXPECT_EQ(result.out.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const auto length =
      static_cast<unsigned char>(result.out[8]) + 256 * static_cast<unsigned char>(result.out[9]);
  EXPECT_EQ((10 + length) % 64, 0);
  const std::string header = result.out.substr(10, static_cast<std::size_t>(length));
  EXPECT_TRUE(header.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (70, 2), }"));
  EXPECT_EQ(header.back(), '\n');
  for (const double value : npy_values(result.out)) EXPECT_TRUE(value >= 0 && value <= 1) << value;
}

TEST_F(Sample, CsvIsAHeaderAndNumbersOfFullPrecision) {
  const Arguments draw{"--marginal", "theta_1,theta_0", "-n", "50", "--seed", "4"};
  const ProgramResult result = sample(draw);
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_EQ(result.err, "");
  const auto lines = split(result.out, '\n');
  ASSERT_EQ(lines.size(), 51U);
  EXPECT_EQ(lines[0], "theta_0,theta_1");
  std::vector<double> values;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto words = split(lines[i], ',');
    ASSERT_EQ(words.size(), 2U) << lines[i];
    for (const std::string& word : words) values.push_back(number(word));
  }
  // The very numbers of the binary format.
  EXPECT_EQ(values, npy_values(sample(draw + Arguments{"--format", "npy"}).out));
}

TEST_F(Sample, GetdistFilesHaveWeightsDensitiesNamesAndRanges) {
  const ProgramResult result =
      sample({"--marginal", "0,2", "-n", "40", "--format", "getdist", "-o", "chain"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_EQ(result.out, "");
  const auto names = split(bytes("chain.paramnames"), '\n');
  ASSERT_EQ(names.size(), 2U);
  EXPECT_TRUE(names[0].starts_with("theta_0\t"));
  EXPECT_TRUE(names[1].starts_with("theta_2\t"));
  std::vector<std::pair<double, double>> ranges;
  for (const std::string& line : split(bytes("chain.ranges"), '\n')) {
    const auto words = split(line, ' ');
    ASSERT_EQ(words.size(), 3U);
    ranges.emplace_back(number(words[1]), number(words[2]));
  }
  ASSERT_EQ(ranges.size(), 2U);
  const auto lines = split(bytes("chain_1.txt"), '\n');
  ASSERT_EQ(lines.size(), 40U);
  for (const std::string& line : lines) {
    const auto words = split(line, ' ');
    ASSERT_EQ(words.size(), 4U) << line;
    EXPECT_EQ(number(words[0]), 1);
    EXPECT_TRUE(std::isfinite(number(words[1])));
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_GE(number(words[2 + j]), ranges[j].first);
      EXPECT_LE(number(words[2 + j]), ranges[j].second);
    }
  }
}

TEST_F(Sample, TheSameSeedGivesTheSameBytes) {
  const Arguments draw{"--marginal", "2", "-n", "300"};
  const std::string first = sample(draw + Arguments{"--seed", "5", "--threads", "1"}).out;
  EXPECT_EQ(sample(draw + Arguments{"--seed", "5", "--threads", "2"}).out, first);
  EXPECT_NE(sample(draw + Arguments{"--seed", "6"}).out, first);
  const ProgramResult to_file = sample(draw + Arguments{"--seed", "5", "-o", "file.csv"});
  EXPECT_EQ(to_file.out, "");
  EXPECT_EQ(bytes("file.csv"), first);
}

TEST_F(Sample, WrongRequestsAreRefused) {
  expect_refused(
      sample({"--marginal", "0,1,2"}), 2,
      {"theta_0,theta_1,theta_2 has not been trained", "hone train run --marginal 0,1,2"});
  expect_refused(sample({"--marginal", "joint"}), 2, {"hone train run --marginal joint"});
  expect_refused(sample({"--marginal", "theta_7"}), 2, {"theta_7", "did you mean"});
  expect_refused(sample({"--marginal", "3"}), 2, {"index 3 must be between 0 and 2"});
  expect_refused(sample({"--marginal", ""}), 2, {"marginal"});
  expect_refused(sample({"--marginal", "0", "--format", "getdist"}), 2, {"getdist", "-o"});
  expect_refused(sample({"--marginal", "0", "--format", "xml"}), 2, {"xml"});
  expect_refused(sample({"--marginal", "0", "-n", "0"}), 2, {"0 not in range"});
  expect_refused(sample({"--marginal", "0", "-n", "5", "-o", "no/such/place.csv"}), 2,
                 {"no/such/place.csv", "there is no directory no/such"});
  expect_refused(sample({"--marginal", "0", "--format", "getdist", "-o", "chains/root"}), 2,
                 {"chains/root", "there is no directory chains"});
  std::filesystem::remove_all(scratch.path() / "run" / "networks");
  expect_refused(sample({"--marginal", "0"}), 1, {"networks/main.h5", "hone resume"});
}

TEST_F(Sample, TheJointCanBeTrainedLaterAndSampled) {
  const auto run_before = bytes("run/networks/main.h5");
  const ProgramResult trained =
      run_program(scratch.path(), {"train", "run", "--marginal", "joint"}, 60);
  EXPECT_EQ(trained.code, 0) << trained;
  EXPECT_TRUE(contains(trained.out, "hone sample run --marginal theta_0,theta_1,theta_2"));
  EXPECT_EQ(bytes("run/networks/main.h5"), run_before);
  const ProgramResult result = sample({"--marginal", "joint", "-n", "200"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_EQ(split(result.out, '\n').size(), 201U);
  // Training it again changes nothing.
  const ProgramResult again = run_program(scratch.path(), {"train", "run", "--marginal", "2,1,0"});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "run/networks/extra-02.h5"));
  EXPECT_EQ(sample({"--marginal", "0,1,2", "-n", "200"}).out, result.out);
}

}  // namespace
}  // namespace hone
