#include "hone/run/run_lock.h"

#include <csignal>
#include <optional>

#include <sys/wait.h>
#include <unistd.h>

#include "files/test_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(RunDirectory, IsCreatedWithItsParents) {
  const TemporaryDirectory directory;
  claim_run_directory(directory.path() / "a" / "b");
  EXPECT_TRUE(fs::is_directory(directory.path() / "a" / "b"));
  claim_run_directory(directory.path() / "a" / "b");  // still empty
}

TEST(RunDirectory, IsNeverOverwritten) {
  const TemporaryDirectory directory;
  put_bytes(directory.path() / "file", "x");
  const std::string text =
      error_text([&] { claim_run_directory(directory.path()); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "not empty")) << text;
  EXPECT_TRUE(contains(text, "hone resume " + directory.path().string())) << text;
  error_text([&] { claim_run_directory(directory.path() / "file"); }, ErrorKind::input);
}

TEST(RunDirectory, GetsTheNumberAfterTheHighestInUse) {
  const TemporaryDirectory directory;
  const fs::path runs = directory.path() / "runs";
  EXPECT_EQ(next_run_path(runs, "torus"), runs / "torus-1");
  fs::create_directories(runs / "torus-2");
  fs::create_directories(runs / "torus-10");
  for (const char* other : {"torus-x", "torus-11x", "eggbox-90", "torus-large-50", "torus--3"}) {
    fs::create_directories(runs / other);
  }
  EXPECT_EQ(next_run_path(runs, "torus"), runs / "torus-11");
  EXPECT_EQ(create_next_run_directory(runs, "torus"), runs / "torus-11");
  EXPECT_EQ(create_next_run_directory(runs, "torus"), runs / "torus-12");
  EXPECT_EQ(create_next_run_directory(runs / "deep" / "er", "a"), runs / "deep" / "er" / "a-1");
}

TEST(RunLock, IsHeldByOneAtATimeAndNamesItsProcess) {
  const TemporaryDirectory directory;
  std::optional<RunLock> lock(std::in_place, directory.path());
  const std::string text = error_text([&] { RunLock second(directory.path()); });
  EXPECT_TRUE(contains(text, "process " + std::to_string(::getpid()))) << text;
  lock.reset();
  RunLock again(directory.path());
}

TEST(RunLock, EndsAlsoWhileAForkedProcessHasItsDescriptor) {
  const TemporaryDirectory directory;
  std::optional<RunLock> lock(std::in_place, directory.path());
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  lock.reset();
  EXPECT_NO_THROW(RunLock(directory.path()));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(RunLock, EndsWithAKilledProcess) {
  const TemporaryDirectory directory;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    RunLock lock(directory.path());
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const std::string text = error_text([&] { RunLock second(directory.path()); });
  EXPECT_TRUE(contains(text, "process " + std::to_string(child))) << text;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  RunLock again(directory.path());
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace hone
