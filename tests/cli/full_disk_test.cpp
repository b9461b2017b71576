#include <cstring>

#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/program.h"
#include "cli/same_run.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// A disk of its own in memory, of so many bytes.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& options) {
    mounted_ = ::mount("tmpfs", path().c_str(), "tmpfs", 0, options.c_str()) == 0;
    error_ = errno;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path().c_str(), MNT_DETACH);
  }
  const fs::path& path() const { return directory_.path(); }
  bool mounted() const { return mounted_; }
  std::string problem() const {
    return std::string("mounting a small disk is not permitted here: ") + std::strerror(error_);
  }
  void remount(unsigned long flags) {
    ASSERT_EQ(::mount("tmpfs", path().c_str(), "tmpfs", MS_REMOUNT | flags, nullptr), 0)
        << std::strerror(errno);
  }
  // Writes a file until so many bytes are left.
  void fill(const std::string& name, unsigned long left) {
    struct statvfs status {};
    ASSERT_EQ(::statvfs(path().c_str(), &status), 0);
    const unsigned long free = status.f_bavail * status.f_frsize;
    ASSERT_GT(free, left);
    put_bytes(path() / name, std::string(free - left, 'x'));
  }

 private:
  TemporaryDirectory directory_;
  bool mounted_ = false;
  int error_ = 0;
};

// The disk becomes full at the first shard, at later ones, at the networks and at the posterior.
TEST(FullDisk, IsAClearErrorAndAfterMakingRoomTheRunFinishesWithTheSameBits) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "undisturbed");
  int failures = 0;
  for (const unsigned long left : {4096UL, 20480UL, 65536UL, 131072UL, 196608UL}) {
    SmallDisk disk("size=4m");
    if (!disk.mounted()) GTEST_SKIP() << disk.problem();
    SCOPED_TRACE(std::to_string(left) + " bytes left");
    disk.fill("ballast", left);
    const ProgramResult full = run_program(disk.path(), small_run("run"));
    if (full.code == 0) continue;
    ++failures;
    expect_refused(full, 1, {"run/", "No space left on device", "make room", "hone resume"});
    if (!fs::exists(disk.path() / "run" / "run.json")) continue;
    expect_refused(run_program(disk.path(), {"resume", "run"}), 1, {"No space left on device"});
    fs::remove(disk.path() / "ballast");
    const ProgramResult resumed = run_program(disk.path(), {"resume", "run"});
    EXPECT_EQ(resumed.code, 0) << resumed;
    expect_same_run(disk.path() / "run", scratch.path() / "undisturbed");
  }
  EXPECT_GE(failures, 3);
}

TEST(FullDisk, SamplesThatDoNotFitAreAClearError) {
  SmallDisk disk("size=4m");
  if (!disk.mounted()) GTEST_SKIP() << disk.problem();
  make_small_run(disk.path(), "run");
  disk.fill("ballast", 16384);
  expect_refused(run_program(disk.path(), {"sample", "run", "--marginal", "0", "-n", "100000", "-o",
                                           "samples.csv"}),
                 1, {"samples.csv", "No space left on device", "make room and try again"});
  EXPECT_FALSE(fs::exists(disk.path() / "samples.csv"));
}

TEST(UnwritableDirectory, IsAClearError) {
  SmallDisk disk("size=4m");
  if (!disk.mounted()) GTEST_SKIP() << disk.problem();
  make_small_run(disk.path(), "run");
  fs::remove_all(disk.path() / "run" / "posterior");
  disk.remount(MS_RDONLY);
  expect_refused(run_program(disk.path(), {"run", "torus"}), 1,
                 {"runs", "Read-only file system", "make it accessible"});
  expect_refused(run_program(disk.path(), {"resume", "run"}), 1,
                 {"run/lock", "Read-only file system"});
  // Reading needs no permission to write.
  EXPECT_EQ(run_program(disk.path(), {"show", "run"}).code, 0);
  EXPECT_EQ(run_program(disk.path(), {"sample", "run", "--marginal", "0", "-n", "5"}).code, 0);
  disk.remount(0);
  EXPECT_EQ(run_program(disk.path(), {"resume", "run"}).code, 0);
}

TEST(UnwritableDirectory, AFileInItsPlaceIsAClearError) {
  const TemporaryDirectory scratch;
  put_bytes(scratch.path() / "runs", "not a directory");
  expect_refused(run_program(scratch.path(), {"run", "torus"}), 1, {"runs", "directory"});
  expect_refused(run_program(scratch.path(), {"run", "torus", "-o", "runs/a"}), 1,
                 {"runs", "directory"});
}

}  // namespace
}  // namespace hone
