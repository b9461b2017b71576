#include "cli/same_run.h"

#include <algorithm>
#include <regex>
#include <vector>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/store/simulation_store.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Of the run, and of the checks if they made simulations of their own.
const std::vector<fs::path> kStores = {"simulations", "checks/simulations"};

bool is_shard(const std::string& name) {
  return std::ranges::any_of(kStores, [&](const fs::path& store) {
    return name.starts_with((store / "shard-").string());
  });
}

// Opening refuses an id that is there twice.
void expect_same_simulations(const SimulationStore& a, const SimulationStore& b) {
  ASSERT_EQ(a.rows(), b.rows());
  const auto ids = a.select([](const SimulationInfo&) { return true; });
  for (const std::int64_t id : ids) {
    ASSERT_TRUE(b.contains(id)) << id;
    const SimulationInfo one = a.info(id), other = b.info(id);
    ASSERT_TRUE(std::ranges::equal(one.theta, other.theta)) << id;
    ASSERT_TRUE(std::ranges::equal(one.u, other.u)) << id;
    ASSERT_EQ(one.seed, other.seed) << id;
    ASSERT_EQ(one.round, other.round) << id;
    ASSERT_EQ(one.failed, other.failed) << id;
  }
  const auto good = a.select([](const SimulationInfo& info) { return !info.failed; });
  const auto x = a.x_rows(good), y = b.x_rows(good);
  Matrix<float> x_all(x->rows(), x->cols()), y_all(x->rows(), x->cols());
  std::vector<Index> rows(good.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
  x->read(x_all, rows);
  y->read(y_all, rows);
  for (Index i = 0; i < x_all.rows(); ++i) {
    ASSERT_TRUE(std::ranges::equal(x_all.row(i), y_all.row(i))) << good[std::size_t(i)];
  }
}

// The page names its directory, and a hash of its content.
std::string without_directory(const std::string& page) {
  static const std::regex names("\"(name_of_directory|revision)\":\"[^\"]*\"");
  return std::regex_replace(page, names, "");
}

}  // namespace

std::map<std::string, std::string> files_of(const fs::path& run) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    const std::string name = entry.path().lexically_relative(run).string();
    if (entry.is_regular_file() && name != "lock") files[name] = bytes_of(entry.path());
  }
  return files;
}

std::map<std::string, std::string> shards_of(const fs::path& run) {
  std::map<std::string, std::string> files = files_of(run);
  std::erase_if(files, [](const auto& file) {
    return !is_shard(file.first) || file.first.ends_with(".tmp");
  });
  return files;
}

void expect_same_run(const fs::path& run, const fs::path& other) {
  auto files = files_of(run), others = files_of(other);
  const auto shard = [](const auto& file) { return is_shard(file.first); };
  std::erase_if(files, shard);
  std::erase_if(others, shard);
  for (auto* all : {&files, &others}) {
    if (const auto page = all->find("report.html"); page != all->end()) {
      page->second = without_directory(page->second);
    }
  }
  for (const auto& [name, bytes] : files) {
    ASSERT_TRUE(others.contains(name)) << name << " is only in " << run;
    EXPECT_TRUE(others[name] == bytes) << name << " differs between " << run << " and " << other;
  }
  for (const auto& [name, bytes] : others) {
    EXPECT_TRUE(files.contains(name)) << name << " is only in " << other;
  }
  for (const fs::path& store : kStores) {
    ASSERT_EQ(fs::exists(run / store), fs::exists(other / store)) << store;
    if (!fs::exists(run / store)) continue;
    constexpr auto kRead = SimulationStore::Access::read;
    expect_same_simulations(SimulationStore::open(run / store, kRead),
                            SimulationStore::open(other / store, kRead));
  }
}

}  // namespace hone
