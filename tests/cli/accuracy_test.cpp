#include <cmath>
#include <sstream>

#include "cli/program.h"
#include "hone/tasks/task.h"

namespace hone {
namespace {

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments(const Matrix<double>& table, Index column) {
  double sum = 0, squares = 0;
  for (Index i = 0; i < table.rows(); ++i) {
    sum += table(i, column);
    squares += table(i, column) * table(i, column);
  }
  const auto n = static_cast<double>(table.rows());
  return {sum / n, std::sqrt(squares / n - sum * sum / n / n)};
}

Matrix<double> parse_csv(const std::string& text, Index rows, Index cols) {
  Matrix<double> table(rows, cols);
  std::istringstream stream(text);
  std::string word;
  std::getline(stream, word);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      std::getline(stream, word, j + 1 < cols ? ',' : '\n');
      table(i, j) = std::stod(word);
    }
  }
  return table;
}

// A third of the default budget and a tenth of the default training. The networks, not the number
// of samples, limit the accuracy: means agree within half a posterior standard deviation (of
// prior widths 0.29, the posterior's are 0.02, 0.02 and 0.1), deviations within a factor of 2.
TEST(Accuracy, SamplesOfTheTorusAgreeWithTheExactPosterior) {
  const TemporaryDirectory scratch;
  const ProgramResult run = run_program(scratch.path(), {"run",
                                                         "torus",
                                                         "-o",
                                                         "run",
                                                         "--budget",
                                                         "10000",
                                                         "--max-epochs",
                                                         "20",
                                                         "--ensemble",
                                                         "1",
                                                         "--round-ensemble",
                                                         "1",
                                                         "--hidden",
                                                         "32",
                                                         "--learning-rate",
                                                         "0.005",
                                                         "--marginal",
                                                         "joint",
                                                         "--marginal",
                                                         "1d"});
  ASSERT_EQ(run.code, 0) << run;
  const Task& torus = find_task("torus");
  const Matrix<double> exact = torus.reference.samples(torus.observation, 20000, Rng(1));
  constexpr Index kRows = 4000;
  const ProgramResult joint = run_program(
      scratch.path(), {"sample", "run", "--marginal", "joint", "-n", std::to_string(kRows)});
  ASSERT_EQ(joint.code, 0) << joint.err;
  const Matrix<double> drawn = parse_csv(joint.out, kRows, 3);
  for (int d = 0; d < 3; ++d) {
    const Moments truth = moments(exact, d);
    const auto expect_close = [&](const Moments& found) {
      EXPECT_NEAR(found.mean, truth.mean, 0.5 * truth.deviation) << d;
      EXPECT_GT(found.deviation, truth.deviation / 2) << d;
      EXPECT_LT(found.deviation, truth.deviation * 2) << d;
    };
    const ProgramResult one = run_program(
        scratch.path(),
        {"sample", "run", "--marginal", std::to_string(d), "-n", std::to_string(kRows)});
    ASSERT_EQ(one.code, 0) << one.err;
    expect_close(moments(parse_csv(one.out, kRows, 1), 0));
    expect_close(moments(drawn, d));
  }
}

}  // namespace
}  // namespace hone
