#include <algorithm>

#include "cli/program.h"

namespace hone {
namespace {

// Ten parameters, and data in a far corner: under one prior draw in ten thousand is acceptable.
TEST(Mcmc, TakesThePlaceOfHopelessRejectionAndSaysSo) {
  const TemporaryDirectory scratch;
  const ProgramResult run = run_program(
      scratch.path(), {"run", "gaussian_linear", "-o", "run", "--method", "mnre", "--budget",
                       "4000", "--max-epochs", "20", "--learning-rate", "0.005", "--ensemble", "1",
                       "--hidden", "32", "--marginal", "joint"});
  ASSERT_EQ(run.code, 0) << run;
  put_bytes(scratch.path() / "corner.txt", "1 1 1 1 1 1 1 1 1 1\n");
  const Arguments draw{"sample", "run",           "--marginal", "joint",   "-n",
                       "300",    "--observation", "corner.txt", "--anyway"};
  const ProgramResult result = run_program(scratch.path(), draw);
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_TRUE(contains(result.err, "MCMC")) << result;
  EXPECT_TRUE(contains(result.err, "effective samples")) << result;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 301);
  EXPECT_EQ(run_program(scratch.path(), draw).out, result.out) << "the same seed, other samples";
  EXPECT_NE(run_program(scratch.path(), draw + Arguments{"--seed", "2"}).out, result.out);
}

}  // namespace
}  // namespace hone
