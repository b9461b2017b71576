// What the program tells its user to do is something to type.
#include "cli/program.h"

namespace hone {
namespace {

TEST(Advice, AnUnfinishedRunIsResumed) {
  const TemporaryDirectory scratch;
  ASSERT_EQ(run_program(scratch.path(), small_run("run") + Arguments{"--prepare"}).code, 0);
  expect_refused(run_program(scratch.path(), {"report", "run"}), 2,
                 {"hone: run is not finished: run `hone resume run` first"});
  expect_refused(run_program(scratch.path(), {"sample", "run", "--marginal", "0"}), 2,
                 {"hone: the run has no posterior yet: run `hone resume` first"});
  expect_refused(run_program(scratch.path(), small_run("run")), 2,
                 {"choose another place, or run `hone resume run` to go on with it"});
}

TEST(Advice, ADamagedFileIsMovedAway) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  put_bytes(scratch.path() / "run" / "networks" / "main.json", "{");
  expect_refused(run_program(scratch.path(), {"sample", "run", "--marginal", "0"}), 1,
                 {"run/networks/main.json: damaged",
                  "; move it away and run `hone resume run`: what it held is computed again"});
}

TEST(Advice, AnOptionIsNamedAsItWasTyped) {
  const TemporaryDirectory scratch;
  const auto refused = [&](const Arguments& more, const std::string& text) {
    expect_refused(run_program(scratch.path(), Arguments{"run", "torus"} + more), 2, {text});
  };
  refused({"--max-epochs", "0"}, "hone: --max-epochs = 0: must be 1 or greater");
  refused({"--batch-size", "1"}, "hone: --batch-size = 1: must lie in 2 .. 65536");
  refused({"--weight-decay", "1", "--optimizer", "adam"}, "hone: --weight-decay = 1: ");
  refused({"--embedding", "convolution", "--embedding-hidden", "[4]", "--embedding-kernel", "99"},
          "hone: --embedding-kernel = 99: convolution 1");
}

}  // namespace
}  // namespace hone
