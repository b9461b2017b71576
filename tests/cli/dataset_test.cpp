// `hone run` on simulations that exist already.
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/problem_text.h"
#include "cli/program.h"
#include "files/forgery.h"
#include "hone/core/rng.h"
#include "store/dataset_writers.h"

namespace hone {
namespace {

using Json = nlohmann::json;

// a, b uniform on (0, 1); x = (a, b) + 0.1 noise.
constexpr Index kSimulations = 1500;
constexpr double kNoise = 0.1;

struct Table {
  Matrix<double> theta{kSimulations, 2}, x{kSimulations, 2};
};

Table simulations() {
  Table table;
  Rng rng(5);
  for (Index i = 0; i < kSimulations; ++i) {
    for (Index d = 0; d < 2; ++d) {
      table.theta(i, d) = rng.uniform();
      table.x(i, d) = table.theta(i, d) + kNoise * rng.normal();
    }
  }
  return table;
}

std::string csv_text(const Table& table) {
  std::ostringstream text;
  text.precision(17);
  text << "b,x0,a,x1\n";  // columns go by name
  for (Index i = 0; i < kSimulations; ++i) {
    text << table.theta(i, 1) << ',' << table.x(i, 0) << ',' << table.theta(i, 0) << ','
         << table.x(i, 1) << '\n';
  }
  return text.str();
}

class DataSet : public testing::Test {
 protected:
  // Writes problem.toml for this data set and runs it.
  ProgramResult run(const std::string& dataset, const std::string& output,
                    const std::string& more = "") {
    put_bytes(scratch_.path() / "problem.toml",
              to_toml({.simulator = "dataset = " + dataset,
                       .sections = more,
                       .observed = "[0.3, 0.6]",
                       .inference = "marginals = '1d'\nensemble = 1\n"}));
    return run_program(scratch_.path(), {"run", "problem.toml", "-o", output});
  }
  std::filesystem::path file(const std::string& name) const { return scratch_.path() / name; }
  Json facts(const std::string& output) {
    return Json::parse(run_program(scratch_.path(), {"show", output, "--json"}).out);
  }
  // Refused with these words before a run is made.
  void refused(const std::string& dataset, const std::vector<std::string>& parts,
               const std::string& more = "") {
    expect_refused(run(dataset, "refused", more), 2, parts);
    EXPECT_FALSE(std::filesystem::exists(file("refused")));
  }

  TemporaryDirectory scratch_;
};

TEST_F(DataSet, GivesTheExactPosteriorAndTheSameOneInEveryFormat) {
  const Table table = simulations();
  put_bytes(file("sims.csv"), csv_text(table));
  put_bytes(
      file("sims.npz"),
      zip_bytes({{"theta.npy", npy_bytes(table.theta)}, {"x.npy", npy_bytes(table.x)}}, true));
  write_hdf5(file("sims.h5"), table.theta, table.x, true);
  for (const std::string format : {"csv", "npz", "h5"}) {
    const ProgramResult result = run("'sims." + format + "'", format);
    ASSERT_EQ(result.code, 0) << result;
    EXPECT_EQ(content_of(file(format) / "posterior" / "posterior.h5"),
              content_of(file("csv") / "posterior" / "posterior.h5"))
        << format;
  }
  const Json found = facts("h5");
  EXPECT_EQ(found.at("simulations_total"), kSimulations);
  EXPECT_EQ(found.at("simulations_failed"), 0);
  // Far from the ends of the prior the posterior is N(x, 0.1). One network, 1,500 simulations.
  const double observed[] = {0.3, 0.6};
  for (std::size_t d = 0; d < 2; ++d) {
    const Json& parameter = found.at("parameters").at(d);
    const double mean = parameter.at("mean");
    EXPECT_NEAR(mean, observed[d], 0.35 * kNoise);
    EXPECT_GT(std::abs(mean - (observed[d] + kNoise)), 0.35 * kNoise);
    EXPECT_NEAR(parameter.at("standard_deviation"), kNoise, 0.3 * kNoise);
  }
}

TEST_F(DataSet, CountsRowsWithoutUsableDataAsFailures) {
  Table table = simulations();
  for (Index i = 0; i < 150; ++i) table.x(10 * i, 1) = std::nan("");
  write_hdf5(file("sims.h5"), table.theta, table.x, false);
  const ProgramResult result = run("'sims.h5'", "run");
  ASSERT_EQ(result.code, 0) << result;
  EXPECT_EQ(facts("run").at("simulations_failed"), 150);
  const ProgramResult strict = run("'sims.h5'", "strict", "max_failed_fraction = 0.05\n");
  EXPECT_EQ(strict.code, 1) << strict;
  EXPECT_TRUE(contains(strict.err, "150 of 1500 simulations failed")) << strict;
  EXPECT_EQ(run_program(scratch_.path(), {"resume", "strict"}).code, 1) << "and fails again";
  // The advice is something to type.
  EXPECT_TRUE(contains(strict.err, "run `hone resume strict`")) << strict;
  EXPECT_TRUE(contains(strict.err, "`hone run --from strict --max-failed-fraction 0.8`")) << strict;
  const ProgramResult allowed =
      run_program(scratch_.path(),
                  {"run", "--from", "strict", "--max-failed-fraction", "0.8", "-o", "allowed"});
  EXPECT_EQ(allowed.code, 0) << allowed;
}

TEST_F(DataSet, ThatIsWrongIsRefusedWithFileAndPlace) {
  Table table = simulations();
  refused("'gone.h5'", {"problem.toml, line 2", "there is no file", "gone.h5"});
  put_bytes(file("sims.xls"), "1,2");
  refused("'sims.xls'", {"line 2", "sims.xls", ".npz"});
  put_bytes(file("sims.csv"), "a,x0,x1\n0.5,1,2\n");
  refused("'sims.csv'", {"sims.csv", "'b'"});
  put_bytes(file("sims.csv"), "a,b,x0,x1\n0.5,0.5,1,2\n0.5,0.5,one,2\n");
  refused("'sims.csv'", {"sims.csv", "one", "line 3"});
  put_bytes(file("sims.h5"), "this is no HDF5 file");
  refused("'sims.h5'", {"sims.h5", "HDF5"});
  put_bytes(file("sims.npz"), zip_bytes({{"theta.npy", npy_bytes(table.theta)}}, false));
  refused("'sims.npz'", {"sims.npz", "'x'", "theta"});
  write_hdf5(file("sims.h5"), table.theta, table.x, false);
  refused("'sims.h5'", {"sims.h5", "'params'", "theta"}, "theta = 'params'\n");
  write_hdf5(file("sims.h5"), table.theta, Matrix<double>(kSimulations - 1, 2), false);
  refused("'sims.h5'", {"sims.h5", "1500", "1499"});
  write_hdf5(file("sims.h5"), table.theta, Matrix<double>(kSimulations, 5), false);
  refused("'sims.h5'", {"observation", "it has 2 numbers", "5"});
  table.theta(7, 1) = 1.5;
  write_hdf5(file("sims.h5"), table.theta, table.x, false);
  refused("'sims.h5'", {"row 7", "'b' = 1.5"});
}

}  // namespace
}  // namespace hone
