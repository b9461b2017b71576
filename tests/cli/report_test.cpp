#include "cli/program.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class Report : public testing::Test {
 protected:
  void SetUp() override { make_small_run(scratch.path(), "run"); }
  ProgramResult hone(const Arguments& arguments) {
    return run_program(scratch.path(), arguments, 60);
  }
  fs::path file(const std::string& name) { return scratch.path() / "run" / name; }
  TemporaryDirectory scratch;
};

TEST_F(Report, IsMadeAtTheEndOfARun) {
  const std::string page = bytes_of(file("report.html"));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(contains(page, "\"name\":\"torus\""));
  EXPECT_FALSE(contains(page, "{{")) << "a place of the form was not filled";
  EXPECT_FALSE(contains(page, "http://") && contains(page, "src=\"http"));
  EXPECT_TRUE(bytes_of(file("figures/corner.pdf")).starts_with("%PDF-"));
  EXPECT_FALSE(fs::exists(file("progress.json")));
}

TEST_F(Report, IsTheSameEachTime) {
  const std::string page = bytes_of(file("report.html")),
                    pdf = bytes_of(file("figures/corner.pdf"));
  const ProgramResult again = hone({"report", "run", "--figures", "pdf,svg"});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_TRUE(contains(again.out, "run/report.html\n")) << again;
  EXPECT_EQ(bytes_of(file("report.html")), page);
  EXPECT_EQ(bytes_of(file("figures/corner.pdf")), pdf);
  EXPECT_TRUE(contains(bytes_of(file("figures/truncation.svg")), "<svg"));
}

TEST_F(Report, ThatCannotBeMadeIsAWarningNotAFailure) {
  fs::remove(file("report.html"));
  fs::create_directories(file("report.html") / "in the way");
  fs::remove(file("posterior/summary.json"));
  const ProgramResult result = hone({"resume", "run"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_TRUE(contains(result.err, "its report could not be made")) << result;
  EXPECT_TRUE(contains(result.err, "hone report run")) << result;
}

TEST_F(Report, WrongRequestsAreRefused) {
  expect_refused(hone({"report", "nowhere"}), 2, {"nowhere", "not a run"});
  expect_refused(hone({"report", "run", "--figures", "gif"}), 2, {"gif"});
  expect_refused(hone({"corner", "run", "-o", "a.gif"}), 2, {".png, .svg or .pdf"});
  expect_refused(hone({"corner", "run", "--label", "a", "--label", "b"}), 2,
                 {"2 were given for 1"});
  expect_refused(hone({"corner", "run", "--parameters", "theta_9"}), 2, {"theta_9"});
  expect_refused(hone({"watch", "run", "--address", "here"}), 2, {"IPv4"});
  fs::remove(file("posterior/summary.json"));
  expect_refused(hone({"report", "run"}), 2, {"not finished", "hone resume run"});
}

TEST_F(Report, RunsCanBeDrawnOnTopOfEachOther) {
  put_bytes(scratch.path() / "truth.csv", "theta_0,theta_1,other\n0.57,0.8,1\n");
  const ProgramResult result =
      hone({"corner", "run", "run", "--label", "one", "--label", "two", "--truth", "truth.csv",
            "--parameters", "theta_0,theta_1", "-o", "both.svg"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_TRUE(contains(bytes_of(scratch.path() / "both.svg"), "</svg>"));
}

TEST_F(Report, ShowSketchesEveryParameter) {
  const ProgramResult result = hone({"show", "run"});
  std::size_t blocks = 0, at = 0;
  while ((at = result.out.find("█", at)) != std::string::npos) {
    ++blocks;
    ++at;
  }
  EXPECT_GE(blocks, 3U) << result;
}

}  // namespace
}  // namespace hone
