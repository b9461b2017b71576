// The [noise] section, and a data set beside a simulator.
#include <gtest/gtest.h>

#include "hone/core/npy.h"
#include "problem/problem_files.h"

namespace hone {
namespace {

using ProblemNoise = ProblemFiles;
using FirstRound = ProblemFiles;

std::string with_section(const std::string& section) {
  return replaced(good_problem(), "[observation]", section + "\n[observation]");
}

TEST_F(ProblemNoise, IsNoneUnlessItIsDeclared) {
  EXPECT_EQ(read(good_problem()).noise, NoiseSpec{});
}

TEST_F(ProblemNoise, IsGaussianWithOneSigmaOrOneForEachValue) {
  const NoiseSpec one = read(with_section("[noise]\nkind = \"gaussian\"\nsigma = 0.5")).noise;
  EXPECT_EQ(one.kind, NoiseKind::gaussian);
  EXPECT_EQ(one.sigma, std::vector<double>{0.5});
  const std::vector<double> three{1, 2, 0};
  EXPECT_EQ(read(with_section("[noise]\nkind = \"gaussian\"\nsigma = [1, 2, 0]")).noise.sigma,
            three);
  put("sigma.txt", "1\n2\n0\n");
  EXPECT_EQ(read(with_section("[noise]\nkind = \"gaussian\"\nsigma = \"sigma.txt\"")).noise.sigma,
            three);
}

TEST_F(ProblemNoise, HasACovarianceFromAFile) {
  Matrix<double> covariance(3, 3);
  for (Index i = 0; i < 3; ++i) covariance(i, i) = 2;
  covariance(0, 1) = covariance(1, 0) = 1;
  put("covariance.npy", npy_bytes(covariance));
  const std::string text =
      with_section("[noise]\nkind = \"gaussian\"\ncovariance = \"covariance.npy\"");
  const NoiseSpec noise = read(text).noise;
  EXPECT_TRUE(noise.sigma.empty());
  EXPECT_EQ(noise.covariance, (std::vector<double>{2, 1, 0, 1, 2, 0, 0, 0, 2}));
  covariance(0, 1) = covariance(1, 0) = 3;
  put("covariance.npy", npy_bytes(covariance));
  expect_refused(text, 6, {"noise.covariance", "not positive definite"});
  put("covariance.npy", "1 0\n0 1\n");
  expect_refused(text, 6, {"noise.covariance", "it has 4 numbers; must be 3 x 3"});
}

TEST_F(ProblemNoise, IsRefusedWithTheLineOfTheMistake) {
  const auto refused = [&](const std::string& section, int line,
                           const std::vector<std::string>& parts) {
    expect_refused(with_section(section), line, parts);
  };
  refused("[noise]\nkind = \"gausian\"", 5, {"noise.kind", "gaussian, poisson or library"});
  refused("[noise]\nsigma = 1", 4, {"noise.kind: missing"});
  refused("[noise]\nkind = \"gaussian\"", 5, {"either sigma or covariance"});
  refused("[noise]\nkind = \"gaussian\"\nsigma = -1", 6, {"noise.sigma[0] = -1", "0 or greater"});
  refused("[noise]\nkind = \"gaussian\"\nsigma = [1, 2]", 6, {"noise.sigma", "one, or 3"});
  refused("[noise]\nkind = \"gaussian\"\nsigma = true", 6, {"noise.sigma", "a list"});
  refused("[noise]\nkind = \"gaussian\"\nsigma = \"no.txt\"", 6, {"noise.sigma", "no.txt"});
  refused("[noise]\nkind = \"gaussian\"\nsgima = 1", 6, {"sgima", "sigma"});
  refused("[noise]\nkind = \"poisson\"\nsigma = 1", 6, {"sigma"});
  refused("[noise]\nkind = \"library\"", 5, {"noise.library: missing"});
  refused("[noise]\nkind = \"library\"\nlibrary = \"no.so\"", 6, {"noise.library", "no.so"});
  expect_refused("[simulator]\ntask = \"ring\"\n[noise]\nkind = \"poisson\"\n", 3,
                 {"the data of task 'ring' have theirs"});
}

TEST(NoiseSpec, SurvivesTheWayThroughJson) {
  for (const NoiseSpec& spec :
       {NoiseSpec{.kind = NoiseKind::gaussian, .sigma = {1, 0.1}, .covariance = {}, .library = {}},
        NoiseSpec{.kind = NoiseKind::poisson, .sigma = {}, .covariance = {}, .library = {}},
        NoiseSpec{.kind = NoiseKind::library,
        .sigma = {},
        .covariance = {},
        .library = "/a/b.so",
        .noiseless_size = 7}}) {
    EXPECT_EQ(noise_spec_from_json(nlohmann::json::parse(to_json(spec).dump())), spec);
  }
}

// n draws from the prior of good_problem(), or not: `shift` moves the age.
std::string draws(int n, double shift = 0) {
  std::string table = "mass,age,a,b,c\n";
  for (int i = 0; i < n; ++i) {
    Rng rng = Rng(4).child("draw", static_cast<std::uint64_t>(i));
    table += fmt::format("{},{},1,2,{}\n", 10 * rng.uniform(), 5 + shift + 1.5 * rng.normal(), i);
  }
  return table;
}

TEST_F(FirstRound, IsADataSetBesideASimulator) {
  put("sims.csv", draws(300));
  const Problem problem =
      read(replaced(good_problem(), "by_hand = true", "by_hand = true\ndataset = \"sims.csv\""));
  EXPECT_EQ(problem.simulator.kind, SimulatorKind::by_hand);
  EXPECT_EQ(problem.simulator.dataset_rows, 300);
  EXPECT_EQ(problem.options.method, "tmnre");
  EXPECT_EQ(problem.options.budget, 5000);
  const auto json = nlohmann::json::parse(to_json(problem.simulator).dump());
  EXPECT_EQ(simulator_spec_from_json(json).dataset, problem.simulator.dataset);
  EXPECT_EQ(simulator_spec_from_json(json).dataset_rows, 300);
  EXPECT_EQ(problem.simulator.dataset_checksum.size(), 16);
  EXPECT_EQ(simulator_spec_from_json(json).dataset_checksum, problem.simulator.dataset_checksum);
}

TEST_F(FirstRound, IsRefusedBeforeAnyWorkIfItCannotBe) {
  const std::string text =
      replaced(good_problem(), "by_hand = true", "by_hand = true\ndataset = \"sims.csv\"");
  expect_refused(text, 4, {"simulator.dataset", "no file"});
  put("sims.csv", draws(300, 1.5));
  expect_refused(text, 4, {"simulator.dataset", "'age' were not drawn from its prior"});
  put("sims.csv", draws(300) + "11,5,1,2,3\n");
  expect_refused(text, 4, {"row 300", "'mass' = 11"});
  put("sims.csv", draws(300));
  expect_refused(replaced(text, "[1, 2.5, 3]", "[1, 2]"), 5, {"a row of x in the data set has 3"});
  expect_refused(replaced(text, "5000", "300"), 15,
                 {"inference.budget = 300", "300 simulations of the data set", "by_hand"});
  expect_refused(replaced(text, "by_hand = true", "task = \"ring\"\nby_hand = true"), 4,
                 {"task and by_hand are given together"});
}

}  // namespace
}  // namespace hone
