#include <csignal>
#include <random>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/test_files.h"
#include "hone/files/hdf5.h"
#include "hone/files/sealed_file.h"
#include "store/test_store.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Access = SimulationStore::Access;

// A store with three shards of ten rows, the second of which tests spoil.
class DamagedStore : public testing::Test {
 protected:
  DamagedStore() {
    SimulationStore store = SimulationStore::create(directory_.path(), schema_);
    for (int i = 0; i < 3; ++i) store.append(make_rows(10 * i, 10, schema_));
    bytes_ = bytes_of(shard_);
  }

  std::string open_error() {
    return error_text([this] { SimulationStore::open(directory_.path(), Access::write); });
  }

  void write_sealed(hdf5::Builder& builder) {
    write_file_atomically(shard_, finish_sealed(builder));
  }

  TemporaryDirectory directory_;
  StoreSchema schema_ = small_schema();
  fs::path shard_ = directory_.path() / "shard-000002.h5";
  fs::path manifest_ = directory_.path() / "manifest.json";
  std::string bytes_;
};

TEST_F(DamagedStore, NamesTheShardAndSaysWhatToDo) {
  put_bytes(shard_, bytes_.substr(0, bytes_.size() - 1));
  const std::string text = open_error();
  EXPECT_TRUE(contains(text, "1 of the store's shards")) << text;
  EXPECT_TRUE(contains(text, shard_.string())) << text;
  EXPECT_TRUE(contains(text, "run `hone resume`")) << text;

  fs::remove(shard_);  // what the message says
  SimulationStore store = SimulationStore::open(directory_.path(), Access::write);
  EXPECT_EQ(store.rows(), 20);
  EXPECT_FALSE(store.contains(15));
  store.append(make_rows(10, 10, schema_));
  EXPECT_TRUE(fs::exists(directory_.path() / "shard-000004.h5"));
  EXPECT_EQ(SimulationStore::open(directory_.path(), Access::read).rows(), 30);
}

TEST_F(DamagedStore, NoticesAShardCutAnywhere) {
  for (std::size_t length = 0; length < bytes_.size(); length += 17) {
    put_bytes(shard_, bytes_.substr(0, length));
    EXPECT_TRUE(contains(open_error(), "shard-000002.h5: damaged")) << length;
  }
}

TEST_F(DamagedStore, NoticesEveryFlippedBitBeforeItIsUsed) {
  const auto [offset, size] = SealedFile(shard_).seal().data;
  for (std::size_t i = 0; i < bytes_.size(); i += 5) {
    std::string changed = bytes_;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    put_bytes(shard_, changed);
    const auto place = static_cast<Index>(i);
    if (place < offset || place >= offset + size) {
      EXPECT_TRUE(contains(open_error(), "shard-000002.h5: damaged")) << i;
    } else {  // in x, which is read later
      const SimulationStore store = SimulationStore::open(directory_.path(), Access::read);
      EXPECT_TRUE(contains(error_text([&] { store.read_x(11); }), "data differs")) << i;
      error_text([&] { store.x_rows(successes(store)); });
      expect_row(store, 1);
    }
  }
}

// The seal is made anew, so the damage gets past it.
TEST_F(DamagedStore, NeverCrashesOnDamageUnderACorrectSeal) {
  const Seal seal = verify_body(ReadableFile(shard_));
  std::mt19937 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string changed = bytes_;
    for (int i = 0; i < 1 + trial % 3; ++i) {
      const std::size_t place = 512 + random() % (bytes_.size() - 512);
      changed[place] = static_cast<char>(random());
    }
    seal_image(std::as_writable_bytes(std::span(changed)), seal.contents, seal.data);
    put_bytes(shard_, changed);
    try {
      SimulationStore::open(directory_.path(), Access::read);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
    }
  }
}

TEST_F(DamagedStore, RefusesWrongTypesAndSizes) {
  const std::vector<double> ids = {1, 2};
  hdf5::Builder wrong_type("test");
  wrong_type.add("id", {2}, std::span<const double>(ids));
  write_sealed(wrong_type);
  EXPECT_TRUE(contains(open_error(), "'id' is float64 (2); int64 (2) was expected"));

  const std::vector<std::int64_t> good_ids = {1, 2};
  hdf5::Builder wrong_size("test");
  wrong_size.add("id", {2}, std::span<const std::int64_t>(good_ids));
  wrong_size.add("u", {1, 2}, std::span<const double>(ids));
  write_sealed(wrong_size);
  EXPECT_TRUE(contains(open_error(), "'u' is float64 (1, 2); float64 (2, 2) was expected"));

  hdf5::Builder nothing("test");
  write_sealed(nothing);
  EXPECT_TRUE(contains(open_error(), "'id' is missing"));
}

TEST_F(DamagedStore, RefusesAShardOfAnotherStore) {
  const TemporaryDirectory other;
  const StoreSchema schema{{"mass", "age"}, 4, Precision::float64};
  SimulationStore store = SimulationStore::create(other.path(), schema);
  store.append(make_rows(10, 10, schema));
  put_bytes(shard_, bytes_of(other.path() / "shard-000001.h5"));
  EXPECT_TRUE(contains(open_error(), "'x' is float64 (10, 4); float64 (10, 3) was expected"));
}

TEST_F(DamagedStore, RefusesAnIdTwice) {
  put_bytes(directory_.path() / "shard-000009.h5", bytes_);
  const std::string text = open_error();
  EXPECT_TRUE(contains(text, "shard-000009.h5: simulation 10 is in an earlier shard")) << text;
}

TEST_F(DamagedStore, IgnoresFilesOfOtherNames) {
  for (const char* name : {"shard-.h5", "shard-x.h5", "shard--1.h5", "shard-1", "notes.txt",
                           "shard-99999999999999999999.h5", "shard-000002.h5.bak"}) {
    put_bytes(directory_.path() / name, "rubbish");
  }
  EXPECT_EQ(SimulationStore::open(directory_.path(), Access::write).rows(), 30);
}

TEST_F(DamagedStore, SurvivesThingsThatAreNotFiles) {
  fs::remove(shard_);
  ASSERT_EQ(::mkfifo(shard_.c_str(), 0600), 0);
  EXPECT_TRUE(contains(open_error(), "not a regular file"));
  fs::remove(shard_);
  fs::create_directory(shard_);
  EXPECT_TRUE(contains(open_error(), "not a regular file"));
}

TEST_F(DamagedStore, RefusesANewerVersionBeforeReadingAnythingElse) {
  put_bytes(manifest_, R"({"format": "hone simulation store", "version": 2, "news": true})");
  const std::string text = open_error();
  EXPECT_TRUE(contains(text, "manifest.json: version 2 is newer")) << text;
  EXPECT_TRUE(contains(text, "use a newer hone")) << text;
}

TEST_F(DamagedStore, RefusesEveryOtherManifest) {
  const std::string good = bytes_of(manifest_);
  for (std::size_t length = 0; length + 2 < good.size(); ++length) {
    put_bytes(manifest_, good.substr(0, length));
    EXPECT_TRUE(contains(open_error(), "manifest.json: damaged")) << length;
  }
  const std::string head = R"({"format": "hone simulation store", "version": )";
  for (const std::string& text :
       {std::string("[]"), std::string("null"), std::string("\xff\xfe"), std::string(1000000, '['),
        head + "0}", head + "\"1\"}", head + "1e300}", head + "18446744073709551615}",
        head + R"(1, "parameters": [], "data_size": 3, "precision": "float32"})",
        head + R"(1, "parameters": ["a"], "data_size": -3, "precision": "float32"})",
        head + R"(1, "parameters": ["a"], "data_size": 1e99, "precision": "float32"})",
        head +
            R"(1, "parameters": ["a"], "data_size": 9223372036854775807, "precision": "float32"})",
        head + R"(1, "parameters": [1], "data_size": 3, "precision": "float32"})",
        head + R"(1, "parameters": ["a"], "data_size": 3, "precision": "float16"})",
        head + R"(1, "parameters": ["a"], "data_size": 3, "precision": "float32", "data": 3})",
        head + R"(1, "parameters": ["a"], "data_size": 3, "precision": "float32", "data": [{}]})",
        head + R"(1, "parameters": ["a"], "data_size": 3, "precision": "float32",
                  "data": [{"name": "b", "kind": "vector", "shape": [2]}]})"}) {
    put_bytes(manifest_, text);
    EXPECT_TRUE(contains(open_error(), "manifest.json: ")) << text.substr(0, 200);
  }
  fs::remove(manifest_);
  EXPECT_TRUE(contains(open_error(), "manifest.json: cannot open: No such file"));
}

TEST_F(DamagedStore, NoticesAShardThatChangesWhileTheStoreIsOpen) {
  const SimulationStore store = SimulationStore::open(directory_.path(), Access::read);
  put_bytes(shard_, bytes_ + "more");
  EXPECT_TRUE(contains(error_text([&] { store.read_x(11); }), "length has changed"));
  fs::remove(shard_);
  EXPECT_TRUE(contains(error_text([&] { store.read_x(11); }), "cannot open"));
}

// Appends one row after another and reports each once it is durable.
[[noreturn]] void append_until_killed(const fs::path& directory, int acknowledge) {
  const StoreSchema schema = small_schema();
  SimulationStore store = SimulationStore::open(directory, Access::write);
  for (std::int64_t id = store.next_id();; id += 3) {
    store.append(make_rows(id, 3, schema));
    const std::int64_t done = id + 3;
    if (::write(acknowledge, &done, sizeof done) != sizeof done) ::_exit(1);
  }
}

TEST(KilledStore, HoldsEveryAcknowledgedRowAndNoHalfOnes) {
  const TemporaryDirectory directory;
  SimulationStore::create(directory.path(), small_schema());
  std::mt19937 random(3);
  std::int64_t acknowledged = 0;
  for (int trial = 0; trial < 20; ++trial) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) append_until_killed(directory.path(), pipe[1]);
    ::close(pipe[1]);
    // At least one row, then death at some moment.
    ASSERT_EQ(::read(pipe[0], &acknowledged, sizeof acknowledged), sizeof acknowledged);
    ::usleep(static_cast<useconds_t>(random() % 20000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(pipe[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) {
    }
    ::close(pipe[0]);
    const SimulationStore store = SimulationStore::open(directory.path(), Access::write);
    EXPECT_GE(store.rows(), acknowledged);
    EXPECT_LE(store.rows(), acknowledged + 3);
    EXPECT_EQ(store.next_id(), store.rows());
    for (std::int64_t id = 0; id < store.rows(); ++id) expect_row(store, id);
    for (const auto& entry : fs::directory_iterator(directory.path())) {
      EXPECT_NE(entry.path().extension(), ".tmp");
    }
  }
}

// Files may not grow beyond a limit: what a full disk looks like to a process without one.
TEST(FullStore, SaysSoAndGoesOnOnceThereIsRoom) {
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema();
  SimulationStore store = SimulationStore::create(directory.path(), schema);
  store.append(make_rows(0, 10, schema));
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{3000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string text = error_text([&] { store.append(make_rows(10, 100, schema)); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(contains(text, (directory.path() / "shard-000002.h5").string())) << text;
  EXPECT_TRUE(contains(text, "File too large; make room and run `hone resume`")) << text;
  EXPECT_EQ(store.rows(), 10);
  EXPECT_EQ(SimulationStore::open(directory.path(), Access::read).rows(), 10);
  store.append(make_rows(10, 100, schema));
  EXPECT_EQ(SimulationStore::open(directory.path(), Access::read).rows(), 110);
}

TEST(FullStore, OnARealFullDiskSaysSoAndGoesOnOnceThereIsRoom) {
  const TemporaryDirectory directory;
  if (::mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "mounting is not permitted here";
  }
  const StoreSchema schema = small_schema();
  std::string text;
  std::int64_t next = 0;
  {
    SimulationStore store = SimulationStore::create(directory.path(), schema);
    put_bytes(directory.path() / "ballast", std::string(100000, 'x'));
    try {
      for (; next < 100000; next += 100) store.append(make_rows(next, 100, schema));
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_TRUE(contains(text, "No space left on device; make room and run `hone resume`")) << text;
    EXPECT_EQ(SimulationStore::open(directory.path(), Access::read).rows(), next);
    fs::remove(directory.path() / "ballast");
  }
  {
    SimulationStore store = SimulationStore::open(directory.path(), Access::write);
    store.append(make_rows(store.next_id(), 100, schema));
    EXPECT_EQ(SimulationStore::open(directory.path(), Access::read).rows(), next + 100);
  }
  ::umount(directory.path().c_str());
}

// Works for root, too, whom permissions do not stop.
TEST(UnwritableStore, SaysSo) {
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema();
  SimulationStore store = SimulationStore::create(directory.path() / "s", schema);
  fs::rename(directory.path() / "s", directory.path() / "t");
  put_bytes(directory.path() / "s", "a file in the place of the directory");
  const std::string text = error_text([&] { store.append(make_rows(0, 1, schema)); });
  EXPECT_TRUE(contains(text, "shard-000001.h5: cannot write: Not a directory")) << text;
  EXPECT_EQ(store.rows(), 0);
  error_text([&] { SimulationStore::create(directory.path() / "s", schema); });
  error_text([&] { SimulationStore::create("/proc/none", schema); });
}

TEST(UnwritableStore, IsRefusedByItsPermissions) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema();
  SimulationStore store = SimulationStore::create(directory.path(), schema);
  fs::permissions(directory.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const std::string text = error_text([&] { store.append(make_rows(0, 1, schema)); });
  fs::permissions(directory.path(), fs::perms::owner_all);
  EXPECT_TRUE(contains(text, "Permission denied")) << text;
}

}  // namespace
}  // namespace hone
