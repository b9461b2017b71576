// Reference posteriors against a few hundred published samples of the benchmark sbibm.

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tasks/statistics.h"
#include "tasks/two_sample.h"

namespace hone {
namespace {

Matrix<double> published_samples(const Task& task) {
  const Index parameters = task.prior.dimensions();
  std::ifstream file(std::string(HONE_SOURCE_DIR) + "/tests/tasks/published/" + task.name + ".csv");
  std::vector<double> values;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string cell;
    while (std::getline(cells, cell, ',')) values.push_back(std::stod(cell));
  }
  Matrix<double> samples(std::ssize(values) / parameters, parameters);
  std::copy(values.begin(), values.end(), samples.data());
  return samples;
}

class Published : public testing::TestWithParam<std::string> {};

TEST_P(Published, SamplesCannotBeToldFromOurs) {
  const Task& task = find_task(GetParam());
  const Matrix<double> published = published_samples(task);
  ASSERT_EQ(published.rows(), 300);
  const Matrix<double> ours = task.reference.samples(task.observation, 3000, test_rng());
  EXPECT_GT(marginals_p(ours, published), 1e-3);
  EXPECT_GT(energy_p(ours.view().rows(0, 300), published, 499, test_rng()), 0.004);

  // Control: samples half as wide as they should be.
  Matrix<double> narrow(published.rows(), published.cols());
  for (Index d = 0; d < published.cols(); ++d) {
    const double mean = moments(column(ours, d)).mean;
    for (Index i = 0; i < narrow.rows(); ++i) narrow(i, d) = mean + 0.5 * (published(i, d) - mean);
  }
  EXPECT_LT(marginals_p(ours, narrow), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Sbibm, Published,
                         testing::Values("two_moons", "gaussian_linear", "gaussian_linear_uniform",
                                         "gaussian_mixture", "slcp", "sir", "lotka_volterra",
                                         "bernoulli_glm"),
                         [](const auto& instance) { return instance.param; });

TEST(Published, DistractorsDoNotChangeThePosteriorOfSlcp) {
  const Task& plain = find_task("slcp");
  const Task& hidden = find_task("slcp_distractors");
  const Matrix<double> a = plain.reference.samples(plain.observation, 10, test_rng());
  const Matrix<double> b = hidden.reference.samples(hidden.observation, 10, test_rng());
  EXPECT_TRUE(std::equal(a.data(), a.data() + a.rows() * a.cols(), b.data()));
}

}  // namespace
}  // namespace hone
