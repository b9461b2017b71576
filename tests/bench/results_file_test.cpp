#include "hone/bench/results_file.h"

#include <cmath>

#include <gtest/gtest.h>

#include "bench/rows.h"
#include "files/test_files.h"

namespace hone {
namespace {

class Results : public testing::Test {
 protected:
  std::filesystem::path file() const { return scratch.path() / "results.csv"; }
  TemporaryDirectory scratch;
};

TEST_F(Results, RowsComeBackBitForBit) {
  BenchRow row = make_row("torus", 1000, 2, 0.1 + 0.2, std::nan(""), 18446744073709551615U);
  row.run.options = "embedding_hidden=[64,32]";
  row.scores.kl = 1e-300;
  row.scores.converged = false;
  {
    ResultsFile results(file());
    results.append(row);
    results.append(make_row("torus", 1000, 3, 0.5, 0.5));
  }
  const ResultsFile results(file());
  ASSERT_EQ(results.rows().size(), 2U);
  EXPECT_EQ(to_cells(results.rows()[0]), to_cells(row));
  EXPECT_EQ(results.rows()[0].scores.c2st_1d, 0.1 + 0.2);
  EXPECT_NE(results.find(row.run), nullptr);
  row.run.seed = 5;
  EXPECT_EQ(results.find(row.run), nullptr);
}

TEST_F(Results, AHalfWrittenRowDoesNoHarm) {
  {
    ResultsFile results(file());
    results.append(make_row("torus", 1000, 1, 0.5, 0.5));
  }
  const std::string whole = bytes_of(file());
  const std::string next = csv_line(to_cells(make_row("torus", 1000, 2, 0.6, 0.6))) + "\n";
  for (std::size_t length = 0; length < next.size(); length += 7) {
    put_bytes(file(), whole + next.substr(0, length));
    ResultsFile results(file());
    EXPECT_EQ(results.rows().size(), 1U);
    results.append(make_row("torus", 1000, 2, 0.6, 0.6));
    EXPECT_EQ(bytes_of(file()), whole + next);
  }
  put_bytes(file(), whole.substr(0, 10));  // killed in the very first line
  EXPECT_TRUE(ResultsFile(file()).rows().empty());
}

TEST_F(Results, OtherFilesAndOtherVersionsAreRefused) {
  put_bytes(file(), "a,b\n1,2\n");
  EXPECT_TRUE(contains(error_text([&] { ResultsFile{file()}; }, ErrorKind::input), "columns"));
  EXPECT_EQ(bytes_of(file()), "a,b\n1,2\n");
  const std::string header = csv_line(bench_columns()) + "\n";
  BenchRow row = make_row("torus", 1000, 1, 0.5, 0.5);
  row.version = "0.0.1";
  put_bytes(file(), header + csv_line(to_cells(row)) + "\n");
  EXPECT_TRUE(contains(error_text([&] { ResultsFile{file()}; }, ErrorKind::input), "hone 0.0.1"));
  put_bytes(file(), header + "torus,many\n");
  EXPECT_TRUE(contains(error_text([&] { ResultsFile{file()}; }, ErrorKind::input), "line 2"));
  std::vector<std::string> cells = to_cells(make_row("torus", 1000, 1, 0.5, 0.5));
  cells[1] = "many";
  put_bytes(file(), header + csv_line(cells) + "\n");
  EXPECT_TRUE(contains(error_text([&] { ResultsFile{file()}; }, ErrorKind::input),
                       "column budget: 'many'"));
}

}  // namespace
}  // namespace hone
