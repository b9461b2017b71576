// Rows on their way into shards: on disk at once, found again after a crash.
#include "files/test_files.h"
#include "hone/store/grouped_append.h"
#include "hone/store/row_records.h"
#include "store/test_store.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

const StoreSchema kSchema{{"a", "b"}, 3};
const FileMark kMark{77, "simulations"};

SimulationRows some_rows(std::int64_t first, Index count) {
  SimulationRows rows(count, kSchema);
  for (Index i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    rows.ids[k] = first + i;
    rows.seeds[k] = static_cast<std::uint64_t>(1000 + first + i);
    rows.rounds[k] = 2;
    if (i % 3 == 2) rows.failures[k] = "reason " + std::to_string(i);
    for (Index d = 0; d < 2; ++d) {
      rows.u(i, d) = 0.25 * static_cast<double>(d);
      rows.theta(i, d) = static_cast<double>(first + i) + 0.5;
    }
    for (Index j = 0; j < 3; ++j) rows.x(i, j) = static_cast<double>(10 * (first + i) + j);
  }
  return rows;
}

std::size_t shard_count(const fs::path& directory) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(directory)) {
    count += entry.path().filename().string().starts_with("shard-") ? 1 : 0;
  }
  return count;
}

void expect_rows(const SimulationStore& store, std::int64_t count) {
  ASSERT_EQ(store.rows(), count);
  for (std::int64_t id = 0; id < count; ++id) {
    ASSERT_TRUE(store.contains(id)) << id;
    EXPECT_EQ(store.info(id).seed, static_cast<std::uint64_t>(1000 + id));
    if (store.info(id).failed) continue;
    EXPECT_EQ(store.read_x(id)[1], static_cast<double>(10 * id + 1));
  }
}

TEST(Journal, RecordsComeBackAsTheyWere) {
  const auto one = encode_record(some_rows(5, 4), 77), two = encode_record(some_rows(9, 1), 77);
  auto bytes = one;
  bytes.insert(bytes.end(), two.begin(), two.end());
  const auto back = decode_records(bytes, kSchema, 77);
  ASSERT_EQ(back.size(), 2u);
  const SimulationRows rows = some_rows(5, 4);
  EXPECT_EQ(back[0].ids, rows.ids);
  EXPECT_EQ(back[0].seeds, rows.seeds);
  EXPECT_EQ(back[0].rounds, rows.rounds);
  EXPECT_EQ(back[0].failures, rows.failures);
  EXPECT_EQ(back[0].theta(3, 1), rows.theta(3, 1));
  EXPECT_EQ(back[0].x(3, 2), rows.x(3, 2));
}

TEST(Journal, OfAnotherRunOrSchemaIsNotRead) {
  const auto bytes = encode_record(some_rows(0, 2), 77);
  EXPECT_TRUE(decode_records(bytes, kSchema, 78).empty());
  EXPECT_TRUE(decode_records(bytes, {{"a"}, 3}, 77).empty());
  EXPECT_TRUE(decode_records(bytes, {{"a", "b"}, 4}, 77).empty());
}

TEST(Journal, CutOrChangedAnywhereGivesOnlyWholeRecords) {
  auto bytes = encode_record(some_rows(0, 2), 77);
  const std::size_t first = bytes.size();
  const auto more = encode_record(some_rows(2, 2), 77);
  bytes.insert(bytes.end(), more.begin(), more.end());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto back = decode_records(std::span(bytes).first(length), kSchema, 77);
    EXPECT_EQ(back.size(), length < first ? 0u : 1u) << length;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto changed = bytes;
    changed[i] ^= std::byte{0x41};
    EXPECT_EQ(decode_records(changed, kSchema, 77).size(), i < first ? 0u : 1u) << i;
  }
}

TEST(Journal, KeepsEveryRowThatWasAddedBeforeACrash) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "simulations";
  SimulationStore store = SimulationStore::create(path, kSchema, kMark);
  GroupedAppend rows(store);
  for (std::int64_t id = 0; id < 50; ++id) rows.add(some_rows(id, 1));
  // As if the process ended here: what another one finds.
  EXPECT_LT(shard_count(path), 50u) << "not a file for every row";
  expect_rows(SimulationStore::open(path, SimulationStore::Access::write, kMark), 50);
  EXPECT_FALSE(fs::exists(path / "journal.bin"));
  expect_rows(SimulationStore::open(path, SimulationStore::Access::write, kMark), 50);
}

TEST(Journal, ATornLastRecordIsLeftOut) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "simulations";
  SimulationStore store = SimulationStore::create(path, kSchema, kMark);
  GroupedAppend rows(store);
  for (std::int64_t id = 0; id < 10; ++id) rows.add(some_rows(id, 1));
  fs::resize_file(path / "journal.bin", fs::file_size(path / "journal.bin") - 1);
  expect_rows(SimulationStore::open(path, SimulationStore::Access::write, kMark), 9);
}

TEST(Journal, IsGoneAtTheEnd) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "simulations";
  SimulationStore store = SimulationStore::create(path, kSchema, kMark);
  GroupedAppend rows(store);
  for (std::int64_t id = 0; id < 10; ++id) rows.add(some_rows(id, 1));
  rows.finish();
  EXPECT_FALSE(fs::exists(path / "journal.bin"));
  expect_rows(store, 10);
  expect_rows(SimulationStore::open(path, SimulationStore::Access::read, kMark), 10);
}

// The process died between writing the shard and emptying the journal.
TEST(Journal, RowsThatAreInAShardAlreadyAreNotTakenTwice) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "simulations";
  SimulationStore store = SimulationStore::create(path, kSchema, kMark);
  GroupedAppend rows(store);
  for (std::int64_t id = 0; id < 10; ++id) rows.add(some_rows(id, 1));
  const std::string journal = bytes_of(path / "journal.bin");
  rows.finish();
  put_bytes(path / "journal.bin", journal);
  expect_rows(SimulationStore::open(path, SimulationStore::Access::write, kMark), 10);
}

TEST(Journal, TwoCopiesOfItInOneFileAreTakenOnce) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "simulations";
  SimulationStore store = SimulationStore::create(path, kSchema, kMark);
  GroupedAppend rows(store);
  for (std::int64_t id = 0; id < 10; ++id) rows.add(some_rows(id, 1));
  const std::string journal = bytes_of(path / "journal.bin");
  put_bytes(path / "journal.bin", journal + journal);
  expect_rows(SimulationStore::open(path, SimulationStore::Access::write, kMark), 10);
}

}  // namespace
}  // namespace hone
