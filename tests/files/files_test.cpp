#include "hone/files/files.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <set>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

#include "files/test_files.h"
#include "hone/store/split.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(Files, AreReplacedAsAWhole) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.json";
  write_file_atomically(path, "one");
  write_file_atomically(path, "second");
  EXPECT_EQ(read_file(path), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 1);
}

TEST(Files, MayBeWrittenBySeveralAtTheSameTime) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "shared";
  std::vector<std::string> texts;
  for (char c = 'a'; c < 'i'; ++c) texts.emplace_back(100000, c);
  {
    std::vector<std::jthread> writers;
    writers.reserve(texts.size());
    for (const std::string& text : texts) {
      writers.emplace_back([&path, &text] {
        for (int i = 0; i < 5; ++i) {
          write_file_atomically(path, text);
        }
      });
    }
  }
  const std::string content = read_file(path);
  EXPECT_EQ(std::ranges::count(texts, content), 1) << "one of them, whole";
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 1);
}

TEST(Files, AreReadOnlyUpToALimit) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.txt";
  write_file_atomically(path, std::string(100, 'x'));
  EXPECT_EQ(read_file(path, 100).size(), 100u);
  EXPECT_TRUE(contains(error_text([&] { read_file(path, 99); }), "100 bytes"));
}

TEST(Files, SayWhyTheyCannotBeOpened) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(contains(error_text([&] { read_file(directory.path() / "none"); }),
                       "none: cannot open: No such file or directory"));
  EXPECT_TRUE(contains(error_text([&] { read_file(directory.path()); }), "not a regular file"));
  EXPECT_TRUE(
      contains(error_text([&] { write_file_atomically(directory.path() / "none" / "a", "text"); }),
               "none/a: cannot write: No such file or directory"));
}

TEST(Files, ThatCannotBeWrittenLeaveTheOldContent) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a";
  write_file_atomically(path, "old");
  fs::permissions(directory.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const std::string text = error_text([&] { write_file_atomically(path, "new"); });
  fs::permissions(directory.path(), fs::perms::owner_all);
  EXPECT_TRUE(contains(text, "Permission denied; make it accessible")) << text;
  EXPECT_EQ(read_file(path), "old");
}

TEST(Files, TooLargeForTheDiskLeaveTheOldContent) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a";
  write_file_atomically(path, "old");
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{4096, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string text =
      error_text([&] { write_file_atomically(path, std::string(10000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(contains(text, "File too large; make room and run `hone resume`")) << text;
  EXPECT_EQ(read_file(path), "old");
  EXPECT_FALSE(fs::exists(directory.path() / "a.tmp"));
}

TEST(Files, LeftBehindByACrashAreRemoved) {
  const TemporaryDirectory directory;
  put_bytes(directory.path() / "shard-000001.h5.tmp", "half");
  put_bytes(directory.path() / "keep.json", "{}");
  fs::create_directory(directory.path() / "directory.tmp");
  put_bytes(directory.path() / "directory.tmp" / "page.html.tmp", "half");
  remove_temporary_files(directory.path());
  EXPECT_FALSE(fs::exists(directory.path() / "shard-000001.h5.tmp"));
  EXPECT_FALSE(fs::exists(directory.path() / "directory.tmp" / "page.html.tmp"));
  EXPECT_TRUE(fs::exists(directory.path() / "keep.json"));
  EXPECT_TRUE(fs::exists(directory.path() / "directory.tmp"));
}

// One process removes what it finds while another replaces the same file again and again.
TEST(Files, OfALivingWriterAreNotRemoved) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a";
  std::atomic<bool> done = false;
  std::thread remover([&] {
    while (!done) remove_temporary_files(directory.path());
  });
  const std::string text(100000, 'x');
  for (int i = 0; i < 300; ++i) replace_file(path, text);
  done = true;
  remover.join();
  EXPECT_EQ(read_file(path), text);
}

TEST(Split, NeverChanges) {
  // Frozen: a simulation of an old run must stay on its side.
  std::set<std::int64_t> validating;
  for (std::int64_t id = 0; id < 100; ++id) {
    if (is_validation(id, 0.1)) validating.insert(id);
  }
  EXPECT_EQ(validating, (std::set<std::int64_t>{0, 8, 9, 11, 16, 26, 41, 43, 50, 67, 69, 75, 94}));
}

TEST(Split, TakesTheFractionAndNestsSmallerOnes) {
  int count = 0;
  for (std::int64_t id = 0; id < 100000; ++id) {
    const bool small = is_validation(id, 0.1);
    count += small;
    EXPECT_TRUE(!small || is_validation(id, 0.2));
    EXPECT_FALSE(is_validation(id, 0.0));
    EXPECT_TRUE(is_validation(id, 1.0));
  }
  EXPECT_NEAR(count, 10000, 4 * 95);  // standard deviation: sqrt(1e5 x 0.1 x 0.9) = 95
}

}  // namespace
}  // namespace hone
