#include "hone/run/ask_tell_files.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "store/dataset_writers.h"

namespace hone {
namespace {

const std::vector<std::string> kNames{"mass", "age"};

SimulationRequest small_request() {
  SimulationRequest request;
  request.ids = {7, 12};
  request.seeds = {18446744073709551615u, 3};
  request.theta = Matrix<double>(2, 2);
  request.theta(0, 0) = 0.1;
  request.theta(0, 1) = -2;
  request.theta(1, 0) = 1.0 / 3;
  request.theta(1, 1) = 1e-20;
  return request;
}

class ToldFiles : public testing::Test {
 protected:
  ToldResults read(const std::string& name, const std::string& bytes) {
    put_bytes(directory_.path() / name, bytes);
    return read_told_results(directory_.path() / name, kNames);
  }
  std::string refusal(const std::string& name, const std::string& bytes) {
    return error_text([&] { read(name, bytes); }, ErrorKind::input);
  }
  TemporaryDirectory directory_;
};

TEST(AskedFiles, HoldEveryDigit) {
  EXPECT_EQ(asked_text(small_request(), kNames, "csv"),
            "id,seed,mass,age\n7,18446744073709551615,0.1,-2\n"
            "12,3,0.3333333333333333,1e-20\n");
  EXPECT_EQ(asked_text(small_request(), kNames, "jsonl"),
            "{\"id\":7,\"theta\":[0.1,-2.0],\"seed\":18446744073709551615}\n"
            "{\"id\":12,\"theta\":[0.3333333333333333,1e-20],\"seed\":3}\n");
  const std::string npy = asked_text(small_request(), kNames, "npy");
  EXPECT_TRUE(contains(npy, "[('id', '<i8'), ('seed', '<u8'), ('theta', '<f8', (2,))]"));
  double last = 0;
  std::memcpy(&last, npy.data() + npy.size() - sizeof last, sizeof last);
  EXPECT_EQ(last, 1e-20);
  EXPECT_EQ((npy.size() - 2 * 32) % 64, 0u);
  EXPECT_TRUE(
      contains(error_text([] { asked_text(small_request(), kNames, "csvs"); }, ErrorKind::input),
               "did you mean 'csv'?"));
}

TEST_F(ToldFiles, ReadCsvWithXAndErrors) {
  const ToldResults results =
      read("a.csv", "id,x0,x1,error\n9,1,2,\n3,,,\"disk full, sorry\"\n4,nan,1,\n");
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results.at(9).x, (std::vector<double>{1, 2}));
  EXPECT_FALSE(results.at(9).failure);
  EXPECT_EQ(results.at(3).failure, "disk full, sorry");
  EXPECT_EQ(results.at(4).failure, "x[0] is nan");
}

TEST_F(ToldFiles, ReadTheAskedCsvWithColumnsOfXAdded) {
  const ToldResults results =
      read("a.csv", "id,seed,mass,age,x\n7,18446744073709551615,0.1,-2,5\n");
  EXPECT_EQ(results.at(7).x, std::vector<double>{5});
  EXPECT_EQ(results.at(7).theta, (std::vector<double>{0.1, -2}));
}

TEST_F(ToldFiles, ReadJsonLines) {
  const ToldResults results =
      read("a.jsonl",
           "{\"id\": 1, \"x\": [1, 2.5]}\n\n{\"id\": 2, \"error\": \"no\"}\n"
           "{\"id\": 3, \"x\": [null, 1]}\n");
  EXPECT_EQ(results.at(1).x, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(results.at(2).failure, "no");
  EXPECT_TRUE(results.at(3).failure.has_value());
}

TEST_F(ToldFiles, ReadNpz) {
  Matrix<double> id(2, 1), x(2, 3);
  id(0, 0) = 5;
  id(1, 0) = 4;
  x(1, 2) = 8;
  const ToldResults results =
      read("a.npz", zip_bytes({{"id.npy", npy_bytes(id)}, {"x.npy", npy_bytes(x)}}, true));
  EXPECT_EQ(results.at(4).x, (std::vector<double>{0, 0, 8}));
  id(0, 0) = 4.5;
  EXPECT_TRUE(contains(
      refusal("a.npz", zip_bytes({{"id.npy", npy_bytes(id)}, {"x.npy", npy_bytes(x)}}, false)),
      "row 0: 4.5 is not the id"));
}

TEST_F(ToldFiles, SayWhatIsWrongAndWhere) {
  EXPECT_TRUE(contains(refusal("a.csv", "number,x\n1,2\n"), "line 1: the first row must name"));
  EXPECT_TRUE(contains(refusal("a.csv", "id,x\n1,2\n1.5,2\n"), "line 3, column 1: '1.5'"));
  EXPECT_TRUE(contains(refusal("a.csv", "id,x\n1,2\n1,3\n"), "simulation 1 is in the file twice"));
  EXPECT_TRUE(contains(refusal("a.csv", "id,x\n-1,2\n"), "id -1: must be 0 or greater"));
  EXPECT_TRUE(contains(refusal("a.csv", "id,x\n1,two\n"), "line 2, column 2: 'two'"));
  EXPECT_TRUE(contains(refusal("a.jsonl", "{\"id\": 1}\n"), "line 1: neither a list x"));
  EXPECT_TRUE(contains(refusal("a.jsonl", "rubbish\n"), "line 1: not a line such as"));
  EXPECT_TRUE(contains(refusal("a.txt", ""), "unknown format '.txt'"));
  EXPECT_EQ(read("a.csv", "id,x\n1,2\n1,2\n").size(), 1u);
}

TEST_F(ToldFiles, SurviveRandomChanges) {
  Matrix<double> id(2, 1), x(2, 3);
  id(0, 0) = 1;
  const std::map<std::string, std::string> good = {
      {"a.csv", "id,x0,x1,error\n9,1,2,\n3,,,\"disk full, sorry\"\n4,nan,1,\n"},
      {"a.jsonl", "{\"id\": 1, \"x\": [1, 2.5]}\n{\"id\": 2, \"error\": \"no\"}\n"},
      {"a.npz", zip_bytes({{"id.npy", npy_bytes(id)}, {"x.npy", npy_bytes(x)}}, true)}};
  std::mt19937 random(9);
  for (const auto& [name, bytes] : good) {
    for (int trial = 0; trial < 2000; ++trial) {
      std::string changed = bytes;
      changed[random() % changed.size()] = static_cast<char>(random());
      if (trial % 5 == 0) changed.resize(random() % changed.size());
      try {
        read(name, changed);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace hone
