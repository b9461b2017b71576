#include "hone/session/simulator_log.h"

#include "files/test_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(SimulatorLog, HoldsLinesOfAllWorkers) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "simulator.log";
  {
    SimulatorLog log(file);
    EXPECT_FALSE(fs::exists(file)) << "nothing to say, no file";
    log.write(0, "one");
    log.write(3, "two");
  }
  SimulatorLog(file).write(1, "resumed");
  EXPECT_EQ(bytes_of(file), "worker 0: one\nworker 3: two\nworker 1: resumed\n");
}

TEST(SimulatorLog, StopsGrowingAndSaysWhatIsMissing) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "simulator.log";
  {
    SimulatorLog log(file, 1000);
    for (int i = 0; i < 100000; ++i) log.write(0, "0123456789");  // 21 bytes each
    EXPECT_EQ(log.left_out(), 100000 - 47);
  }
  const std::string text = bytes_of(file);
  EXPECT_LT(text.size(), 1200u);
  EXPECT_TRUE(contains(text, "the log is full (1000 bytes)")) << text;
  EXPECT_TRUE(contains(text, "99953 lines (2099013 bytes) were left out")) << text;
  SimulatorLog again(file, 1000);
  again.write(0, "more");
  EXPECT_EQ(again.left_out(), 1) << "the file is still full";
}

TEST(SimulatorLog, DoesNotHandOnTerminalCodes) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "simulator.log";
  SimulatorLog(file).write(0, "a\x1b[2J\x9b");
  EXPECT_EQ(bytes_of(file), "worker 0: a\\u001b[2J\\x9b\n");
}

TEST(SimulatorLog, IsNotWrittenThroughALink) {
  const TemporaryDirectory directory;
  put_bytes(directory.path() / "victim", "precious");
  fs::create_symlink("victim", directory.path() / "simulator.log");
  SimulatorLog(directory.path() / "simulator.log").write(0, "x");
  EXPECT_EQ(bytes_of(directory.path() / "victim"), "precious");
}

}  // namespace
}  // namespace hone
