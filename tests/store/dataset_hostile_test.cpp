// Data sets that are cut or changed at random: an Error{input} or numbers, never a crash.
#include <random>

#include <gtest/gtest.h>

#include "hone/store/dataset_file.h"
#include "store/dataset_writers.h"

namespace hone {
namespace {

class HostileDataset : public testing::Test {
 protected:
  // True if it was read.
  bool survives(const std::string& name, const std::string& bytes) {
    const auto file = directory_.path() / name;
    put_bytes(file, bytes);
    try {
      const DatasetSource source{.file = file};
      dataset_rows(read_dataset(source, {"mass", "age"}), sample_prior(), source);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      EXPECT_TRUE(contains(error.what(), name)) << error.what();
      return false;
    }
  }

  void change_at_random(const std::string& name, const std::string& good, int trials) {
    std::mt19937 random(5);
    for (int trial = 0; trial < trials; ++trial) {
      std::string changed = good;
      for (int i = 0; i < 1 + trial % 4; ++i) {
        changed[random() % changed.size()] = static_cast<char>(random());
      }
      survives(name, changed);
    }
  }

  TemporaryDirectory directory_;
};

TEST_F(HostileDataset, SurvivesNpzCutAnywhere) {
  for (const bool deflated : {false, true}) {
    const std::string good = sample_npz(deflated);
    ASSERT_TRUE(survives("a.npz", good));
    for (std::size_t length = 0; length < good.size(); length += 3) {
      EXPECT_FALSE(survives("a.npz", good.substr(0, length))) << length;
    }
  }
}

TEST_F(HostileDataset, SurvivesNpzChangedAtRandom) {
  change_at_random("a.npz", sample_npz(false), 3000);
  change_at_random("a.npz", sample_npz(true), 3000);
}

TEST_F(HostileDataset, RefusesAnNpzThatClaimsToUnpackToTerabytes) {
  std::string bytes = sample_npz(true);
  const std::size_t entry = bytes.find("PK\x01\x02");
  bytes.replace(entry + 24, 4, "\xf0\xff\xff\xff");
  EXPECT_FALSE(survives("a.npz", bytes));
}

TEST_F(HostileDataset, SurvivesHdf5CutAndChanged) {
  for (const bool chunked : {false, true}) {
    write_sample_hdf5(directory_.path() / "good.h5", chunked);
    const std::string good = bytes_of(directory_.path() / "good.h5");
    ASSERT_TRUE(survives("a.h5", good));
    for (std::size_t length = 0; length < good.size(); length += good.size() / 20) {
      EXPECT_FALSE(survives("a.h5", good.substr(0, length))) << length;
    }
    change_at_random("a.h5", good, 300);
  }
}

// Changes under which libhdf5 1.10.8 itself ends with a segmentation fault, in about 1 of 1,000.
TEST_F(HostileDataset, OutlivesACrashOfTheHdf5Library) {
  write_sample_hdf5(directory_.path() / "good.h5", true);
  const std::string good = bytes_of(directory_.path() / "good.h5");
  std::mt19937 random(11);
  for (int trial = 0; trial < 1500; ++trial) {
    std::string changed = good;
    for (int i = 0; i < 3; ++i) changed[random() % 2048] = static_cast<char>(random());
    survives("a.h5", changed);
  }
}

TEST_F(HostileDataset, SurvivesCsvCutAndChanged) {
  std::string good = "mass,age,x0,x1\n";
  for (int i = 0; i < 20; ++i) good += fmt::format("0.{},{},{},1e-{}\n", i, i % 10, i * 7, i);
  ASSERT_TRUE(survives("a.csv", good));
  for (std::size_t length = 0; length < good.size(); ++length) {
    survives("a.csv", good.substr(0, length));
  }
  change_at_random("a.csv", good, 3000);
}

TEST_F(HostileDataset, SurvivesFilesOfAnotherKind) {
  for (const std::string name : {"a.npz", "a.h5", "a.csv"}) {
    for (const std::string& bytes :
         {std::string(), std::string(1000, '\0'), std::string(100000, 'x'), std::string("\n\n\n"),
          std::string(5000, '"'), sample_npz(true),
          std::string("PK\x05\x06") + std::string(18, '\xff'),
          std::string("\x89HDF\r\n\x1a\n") + std::string(500, '\xff')}) {
      if (name == "a.npz" && bytes == sample_npz(true)) continue;
      EXPECT_FALSE(survives(name, bytes)) << name << " " << bytes.substr(0, 20);
    }
  }
}

}  // namespace
}  // namespace hone
