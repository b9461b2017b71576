#include "hone/store/simulation_store.h"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/core/rng.h"
#include "store/test_store.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Access = SimulationStore::Access;

class StoreOf : public testing::TestWithParam<Precision> {};
INSTANTIATE_TEST_SUITE_P(Precisions, StoreOf,
                         testing::Values(Precision::float32, Precision::float64),
                         [](const auto& one) { return to_string(one.param); });

TEST_P(StoreOf, GivesBackWhatWasAppended) {
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema(GetParam());
  SimulationStore store = SimulationStore::create(directory.path() / "s", schema);
  store.append(make_rows(0, 50, schema));
  store.append(make_rows(50, 1, schema));
  store.append(make_rows(51, 149, schema));
  const SimulationStore reopened = SimulationStore::open(directory.path() / "s", Access::read);
  for (const SimulationStore* one : {&std::as_const(store), &reopened}) {
    EXPECT_EQ(one->schema(), schema);
    EXPECT_EQ(one->rows(), 200);
    EXPECT_EQ(one->failed_rows(), 29);
    EXPECT_EQ(one->next_id(), 200);
    for (std::int64_t id = 0; id < 200; ++id) expect_row(*one, id);
    EXPECT_FALSE(one->contains(200));
  }
}

TEST_P(StoreOf, GivesTheTrainerTheSameRowsAsDirectReads) {
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema(GetParam());
  SimulationStore store = SimulationStore::create(directory.path(), schema);
  for (std::int64_t first : {300, 0, 100, 200}) store.append(make_rows(first, 100, schema));
  const std::vector<std::int64_t> ids = successes(store);
  const auto loaded = store.x_rows(ids);
  const auto from_disk = store.x_rows(ids, 0);
  ASSERT_EQ(loaded->rows(), static_cast<Index>(ids.size()));
  ASSERT_EQ(from_disk->cols(), 3);

  std::vector<Index> wanted = Rng(1).permutation(static_cast<Index>(ids.size()));
  wanted.push_back(wanted[0]);  // a row may be asked for twice
  Matrix<float> a(static_cast<Index>(wanted.size()), 3);
  Matrix<float> b(static_cast<Index>(wanted.size()), 3);
  Matrix<float> wide(static_cast<Index>(wanted.size()), 5);
  loaded->read(a, wanted);
  from_disk->read(b, wanted);
  from_disk->read({wide.data(), wide.rows(), 3, 5}, wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::vector<double> x = store.read_x(ids[static_cast<std::size_t>(wanted[i])]);
    for (Index j = 0; j < 3; ++j) {
      const auto row = static_cast<Index>(i);
      EXPECT_EQ(a(row, j), static_cast<float>(x[static_cast<std::size_t>(j)]));
      EXPECT_EQ(b(row, j), a(row, j));
      EXPECT_EQ(wide(row, j), a(row, j));
    }
  }
}

TEST(SimulationStore, DoesNotDependOnTheOrderOfArrival) {
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema();
  SimulationStore forward = SimulationStore::create(directory.path() / "a", schema);
  SimulationStore backward = SimulationStore::create(directory.path() / "b", schema);
  for (int i = 0; i < 10; ++i) forward.append(make_rows(10 * i, 10, schema));
  for (int i = 99; i >= 0; --i) backward.append(make_rows(i, 1, schema));
  const std::vector<std::int64_t> ids = successes(forward);
  EXPECT_EQ(successes(backward), ids);
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  const Matrix<double> a = forward.read_u(ids);
  const Matrix<double> b = backward.read_u(ids);
  EXPECT_TRUE(std::equal(a.data(), a.data() + a.rows() * a.cols(), b.data()));
}

TEST(SimulationStore, SelectsByRegionStatusAndRound) {
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema();
  SimulationStore store = SimulationStore::create(directory.path(), schema);
  store.append(make_rows(0, 300, schema));
  const auto inside = store.rows_inside([](std::span<const double> theta) { return theta[0] < 2; });
  std::vector<std::int64_t> expected;
  for (std::int64_t id = 0; id < 300; ++id) {
    const SimulationInfo info = store.info(id);
    if (!info.failed && info.theta[0] < 2) expected.push_back(id);
  }
  EXPECT_EQ(inside, expected);
  EXPECT_GT(inside.size(), 10u);
  EXPECT_EQ(store.select([](const SimulationInfo& s) { return s.round == 2; }).size(), 100u);
  EXPECT_EQ(store.select([](const SimulationInfo& s) { return s.failed; }).size(),
            static_cast<std::size_t>(store.failed_rows()));
  const Matrix<double> theta = store.read_theta(inside);
  for (Index i = 0; i < theta.rows(); ++i) EXPECT_LT(theta(i, 0), 2);
}

TEST(SimulationStore, RefusesAnIdTwiceAsABug) {
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema();
  SimulationStore store = SimulationStore::create(directory.path(), schema);
  store.append(make_rows(0, 10, schema));
  EXPECT_THROW(store.append(make_rows(9, 2, schema)), std::logic_error);
  SimulationRows twice = make_rows(20, 2, schema);
  twice.ids[1] = 20;
  EXPECT_THROW(store.append(twice), std::logic_error);
  EXPECT_EQ(store.rows(), 10);
  EXPECT_THROW(store.read_x(3), std::logic_error);  // failed
  EXPECT_THROW(store.read_x(99), std::logic_error);
}

TEST(SimulationStore, IsNeverOverwritten) {
  const TemporaryDirectory directory;
  SimulationStore::create(directory.path(), small_schema());
  const std::string text = error_text(
      [&] { SimulationStore::create(directory.path(), small_schema()); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "never overwritten")) << text;
}

TEST(SimulationStore, RefusesAnImpossibleSchema) {
  const TemporaryDirectory directory;
  for (const StoreSchema& schema :
       {StoreSchema{{}, 3, {}}, StoreSchema{{"a"}, 0, {}}, StoreSchema{{"a", "a"}, 3, {}},
        StoreSchema{{""}, 3, {}}, StoreSchema{{"\xff"}, 3, {}}}) {
    error_text([&] { SimulationStore::create(directory.path(), schema); }, ErrorKind::input);
  }
}

TEST(SimulationStore, AppendsNothingForNoRows) {
  const TemporaryDirectory directory;
  SimulationStore store = SimulationStore::create(directory.path(), small_schema());
  store.append(make_rows(0, 0, small_schema()));
  EXPECT_EQ(SimulationStore::open(directory.path(), Access::read).rows(), 0);
}

TEST(SimulationStore, CutsOverlongReasons) {
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema();
  SimulationStore store = SimulationStore::create(directory.path(), schema);
  SimulationRows rows = make_rows(0, 2, schema);
  rows.failures[0] = std::string(100000, 'x');
  rows.failures[1] = std::string("a\0b", 3);
  store.append(rows);
  EXPECT_EQ(store.failure_reasons().at(0), std::string(500, 'x'));
  EXPECT_EQ(store.failure_reasons().at(1), "a b");
}

TEST(SimulationStore, SplitsLargeAppendsIntoSeveralShards) {
  const TemporaryDirectory directory;
  const StoreSchema schema{{"a"}, Index{1} << 21, Precision::float64};  // 16 MB a row
  SimulationStore store = SimulationStore::create(directory.path(), schema);
  store.append(make_rows(0, 5, schema));
  EXPECT_TRUE(fs::exists(directory.path() / "shard-000002.h5"));
  EXPECT_FALSE(fs::exists(directory.path() / "shard-000003.h5"));
  const SimulationStore reopened = SimulationStore::open(directory.path(), Access::read);
  EXPECT_EQ(reopened.rows(), 5);
  EXPECT_EQ(reopened.read_x(4)[7], std::sin(4.0) + 7);
}

TEST(SimulationStore, KeepsRowsReadableFromMoreShardsThanFilesMayBeOpen) {
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema();
  SimulationStore store = SimulationStore::create(directory.path(), schema);
  for (int i = 0; i < 300; ++i) store.append(make_rows(i, 1, schema));
  for (int pass = 0; pass < 2; ++pass) {
    for (std::int64_t id = 0; id < 300; ++id) expect_row(store, id);
  }
}

TEST(SimulationStore, CanBeReadByTwoThreadsAtOnce) {
  const TemporaryDirectory directory;
  const StoreSchema schema = small_schema(Precision::float32);
  SimulationStore::create(directory.path(), schema);
  {
    SimulationStore store = SimulationStore::open(directory.path(), Access::write);
    for (int i = 0; i < 40; ++i) store.append(make_rows(100 * i, 100, schema));
  }
  const SimulationStore store = SimulationStore::open(directory.path(), Access::read);
  const std::vector<std::int64_t> ids = successes(store);
  const auto source = store.x_rows(ids, 0);
  const auto read_all = [&](std::uint64_t seed) {
    for (std::uint64_t trial = 0; trial < 20; ++trial) {
      std::vector<Index> rows = Rng(seed).child("trial", trial).permutation(source->rows());
      rows.resize(200);
      Matrix<float> x(200, 3);
      source->read(x, rows);
      for (Index i = 0; i < 200; ++i) {
        const auto id =
            static_cast<double>(ids[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])]);
        ASSERT_EQ(x(i, 2), static_cast<float>(std::sin(id) + 2));
      }
    }
  };
  std::thread other(read_all, 1);
  std::thread third([&] { SimulationStore::open(directory.path(), Access::read); });
  read_all(2);
  other.join();
  third.join();
}

TEST(SimulationStore, LeavesAnotherProcessesTemporaryFilesAloneWhenOnlyReading) {
  const TemporaryDirectory directory;
  SimulationStore::create(directory.path(), small_schema());
  const fs::path temporary = directory.path() / "shard-000001.h5.tmp";
  put_bytes(temporary, "half a shard");
  EXPECT_EQ(SimulationStore::open(directory.path(), Access::read).rows(), 0);
  EXPECT_TRUE(fs::exists(temporary));
  EXPECT_EQ(SimulationStore::open(directory.path(), Access::write).rows(), 0);
  EXPECT_FALSE(fs::exists(temporary));
}

TEST(SimulationStore, KeepsTheDescriptionOfItsData) {
  const TemporaryDirectory directory;
  StoreSchema schema = small_schema();
  SimulationStore::create(directory.path() / "plain", schema);
  EXPECT_EQ(bytes_of(directory.path() / "plain" / "manifest.json").find("\"data\""),
            std::string::npos);  // as older versions wrote it
  schema.data = DataDescription({{.name = "a", .kind = DataKind::series, .shape = {2}},
                                 {.name = "b", .kind = DataKind::vector, .shape = {1}}});
  SimulationStore::create(directory.path() / "described", schema);
  EXPECT_EQ(SimulationStore::open(directory.path() / "described", Access::read).schema(), schema);
  schema.data = DataDescription({{.name = "a", .kind = DataKind::series, .shape = {2}}});
  EXPECT_THROW(SimulationStore::create(directory.path() / "wrong", schema), Error);
}

}  // namespace
}  // namespace hone
