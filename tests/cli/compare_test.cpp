#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "hone/core/npy.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

Matrix<double> normals(Index rows, double shift, std::uint64_t seed) {
  Matrix<double> sample(rows, 2);
  Rng rng(seed);
  for (Index i = 0; i < rows; ++i) {
    sample(i, 0) = rng.normal();
    sample(i, 1) = shift + 100 * rng.normal();
  }
  return sample;
}

std::string csv(const Matrix<double>& sample, const std::string& header, bool swapped = false) {
  std::string text = header + "\n";
  for (Index i = 0; i < sample.rows(); ++i) {
    text += fmt::format("{},{}\n", sample(i, swapped), sample(i, !swapped));
  }
  return text;
}

class Compare : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes) {
    put_bytes(scratch.path() / name, bytes);
  }
  ProgramResult compare(const Arguments& arguments) {
    return run_program(scratch.path(), Arguments{"compare"} + arguments, 60);
  }
  nlohmann::json facts(const Arguments& arguments) {
    const ProgramResult result = compare(arguments + Arguments{"--json"});
    EXPECT_EQ(result.code, 0) << result;
    return nlohmann::json::parse(result.out);
  }
  TemporaryDirectory scratch;
};

TEST_F(Compare, SaysThatEqualSamplesCannotBeToldApartAndThatOthersCan) {
  put("a.csv", csv(normals(300, 0, 1), "x,y"));
  put("same.csv", csv(normals(300, 0, 2), "x,y"));
  put("other.csv", csv(normals(300, 200, 3), "x,y"));
  const ProgramResult same = compare({"a.csv", "same.csv"});
  EXPECT_EQ(same.code, 0) << same;
  EXPECT_TRUE(contains(same.out, "300 of each are compared in 2 columns: x, y")) << same;
  EXPECT_TRUE(contains(same.out, "cannot tell the samples apart")) << same;
  EXPECT_FALSE(contains(same.out, "differ most")) << same;
  const ProgramResult other = compare({"a.csv", "other.csv"});
  EXPECT_TRUE(contains(other.out, "differ strongly")) << other;
  EXPECT_TRUE(contains(other.out, "marginals that differ most")) << other;
}

TEST_F(Compare, NamesTheMarginalsThatDiffer) {
  put("a.csv", csv(normals(400, 0, 1), "x,y"));
  put("b.csv", csv(normals(400, 300, 2), "x,y"));
  const auto found = facts({"a.csv", "b.csv"});
  EXPECT_NEAR(found["c2st_1d"]["marginals"]["x"].get<double>(), 0.5, 0.1);
  EXPECT_GT(found["c2st_1d"]["marginals"]["y"].get<double>(), 0.85);
  EXPECT_GT(found["c2st_2d"]["marginals"]["x,y"].get<double>(), 0.85);
  EXPECT_GT(found["kl"]["sum"].get<double>(), 5 * found["kl"]["if_equal"].get<double>());
  // The mean of both columns' squared shifts in standard deviations, 0 and 3.
  EXPECT_NEAR(found["wasserstein"]["value"].get<double>(), 3 / std::sqrt(2), 0.3);
  EXPECT_GT(found["mmd"]["squared"].get<double>(), 10 * found["mmd"]["noise"].get<double>());
  EXPECT_EQ(found["draws_used"], 400);
}

TEST_F(Compare, MatchesColumnsByNameOrByPosition) {
  const Matrix<double> a = normals(100, 0, 1), b = normals(150, 50, 2);
  put("a.csv", csv(a, "x,y"));
  put("straight.csv", csv(b, "x,y"));
  put("swapped.csv", csv(b, "y,x", true));
  put("renamed.csv", csv(b, "p,q"));
  put("b.npy", npy_bytes(b));
  const Arguments quick{"--metric", "kl,c2st-1d", "--seed", "7"};
  const auto expected = facts(Arguments{"a.csv", "straight.csv"} + quick);
  EXPECT_FALSE(expected.contains("mmd"));
  EXPECT_EQ(expected["draws_used"], 100);
  for (const Arguments& other :
       {Arguments{"swapped.csv"}, Arguments{"b.npy"}, Arguments{"renamed.csv", "--by-position"}}) {
    auto found = facts(Arguments{"a.csv"} + other + quick);
    found["b"] = expected["b"];
    EXPECT_EQ(found, expected);
  }
  expect_refused(compare({"a.csv", "renamed.csv"}), 2,
                 {"only in a.csv: x, y", "only in renamed.csv: p, q", "--by-position"});
}

TEST_F(Compare, GivesTheSameNumbersForTheSameSeedOnAnyNumberOfThreads) {
  put("a.csv", csv(normals(200, 0, 1), "x,y"));
  put("b.csv", csv(normals(200, 20, 2), "x,y"));
  const Arguments some{"a.csv", "b.csv", "--samples", "100"};
  const std::string one = compare(some + Arguments{"--threads", "1"}).out;
  EXPECT_EQ(one, compare(some + Arguments{"--threads", "3"}).out);
  EXPECT_NE(one, compare(some + Arguments{"--seed", "2"}).out);
}

TEST_F(Compare, RefusesWhatCannotBeComparedBeforeAnyWork) {
  const std::string good = csv(normals(50, 0, 1), "x,y");
  put("a.csv", good);
  put("few.csv", csv(normals(19, 0, 1), "x,y"));
  put("one.csv", "x\n" + std::string(60, '1'));
  put("nan.csv", good + "1,nan\n");
  put("constant.csv", csv(Matrix<double>(50, 2), "x,y"));
  put("twice.csv", csv(normals(50, 0, 1), "x,x"));
  put("bad.csv.bz2", "BZh9 not really");
  expect_refused(compare({"a.csv", "few.csv"}), 2, {"few.csv: 19 draws", "at least 20"});
  expect_refused(compare({"a.csv", "one.csv"}), 2, {"only in a.csv: y"});
  expect_refused(compare({"a.csv", "nan.csv"}), 2, {"nan.csv: draw 51, column 'y' is nan"});
  expect_refused(compare({"constant.csv", "a.csv"}), 2, {"column 'x' is 0 in all draws"});
  expect_refused(compare({"a.csv", "twice.csv"}), 2, {"twice.csv: column 'x' is there twice"});
  expect_refused(compare({"a.csv", "bad.csv.bz2"}), 2, {"bad.csv.bz2", "bzip2"});
  expect_refused(compare({"a.csv", "none.csv"}), 2, {"none.csv"});
  expect_refused(compare({"a.csv", "a.csv", "--metric", "c2sd"}), 2, {"did you mean 'c2st'?"});
  expect_refused(compare({"a.csv", "a.csv", "--samples", "3"}), 2, {"--samples"});
}

}  // namespace
}  // namespace hone
