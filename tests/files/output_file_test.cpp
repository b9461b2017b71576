#include "hone/files/output_file.h"

#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "files/test_files.h"
#include "hone/files/files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST(OutputFile, BehindALinkIsReplacedAndTheLinkStays) {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path() / "elsewhere");
  const fs::path target = directory.path() / "elsewhere" / "target", link = directory.path() / "l";
  put_bytes(target, "old");
  fs::create_symlink("elsewhere/target", link);
  write_output_file(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(bytes_of(target), "new");
  EXPECT_EQ(files_in(directory.path()), 2u);
  fs::remove(target);
  write_output_file(link, "again");
  EXPECT_EQ(bytes_of(target), "again") << "a link to nothing yet";
}

// A device of the test's own: should this go wrong, that of the machine stays.
TEST(OutputFile, MayBeADevice) {
  const TemporaryDirectory directory;
  const fs::path device = directory.path() / "null", link = directory.path() / "link";
  if (::mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
      !FileDescriptor(::open(device.c_str(), O_WRONLY | O_CLOEXEC)).open()) {
    GTEST_SKIP() << "devices cannot be made here";
  }
  fs::create_symlink("null", link);
  write_output_file(link, "gone");
  write_output_file(device, "gone");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_character_file(device));
}

TEST(OutputFile, MayBeAPipe) {
  const TemporaryDirectory directory;
  const fs::path pipe = directory.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = bytes_of(pipe); });
  write_output_file(pipe, std::string(200000, 'x'));
  reader.join();
  EXPECT_EQ(read.size(), 200000u);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(OutputFile, MayNotBeADirectory) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(
      contains(error_text([&] { write_output_file(directory.path(), "x"); }), "Is a directory"));
}

// Inside a run, a link was put there by somebody else.
TEST(Files, AreNeverWrittenThroughALink) {
  const TemporaryDirectory directory;
  const fs::path victim = directory.path() / "victim", file = directory.path() / "run.json";
  put_bytes(victim, "precious");
  fs::create_symlink("victim", file);
  fs::create_symlink("victim", directory.path() / "run.json.tmp");
  write_file_atomically(file, "new");
  replace_file(file, "newer");
  EXPECT_EQ(bytes_of(victim), "precious");
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_EQ(bytes_of(file), "newer");
}

}  // namespace
}  // namespace hone
