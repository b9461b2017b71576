#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/core/error.h"
#include "hone/core/rng.h"
#include "hone/simulator/executor.h"

namespace hone {

// Collects what the sink gets, checking that nothing comes twice or from two threads at once.
struct Collector {
  std::map<Index, std::vector<double>> x;
  std::map<Index, std::string> failures;
  Index largest_batch = 0;
  std::atomic<int> inside = 0;

  SimulationSink sink() {
    return [this](const FinishedSimulations& finished) {
      EXPECT_EQ(inside.fetch_add(1), 0);
      largest_batch = std::max(largest_batch, finished.x.rows());
      for (std::size_t i = 0; i < finished.rows.size(); ++i) {
        const auto row = finished.x.row(static_cast<Index>(i));
        EXPECT_TRUE(x.emplace(finished.rows[i], std::vector(row.begin(), row.end())).second);
        if (finished.failures[i]) failures[finished.rows[i]] = *finished.failures[i];
      }
      inside.fetch_sub(1);
    };
  }
};

inline int open_descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

// A temporary directory, removed at the end.
class TestDirectory {
 public:
  TestDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "hone-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~TestDirectory() { std::filesystem::remove_all(path_); }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace hone
