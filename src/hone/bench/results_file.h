#pragma once

#include <filesystem>
#include <mutex>
#include <vector>

#include "hone/bench/row.h"

namespace hone {

// The rows of a study on disk, results.csv: finished cases are never run again.
//
// For one process at a time (RunLock). A row is on disk when append() returns; what a killed
// process left of one is removed when the file is opened.
class ResultsFile {
 public:
  // Error{input} if the file is not one of ours, or has rows of another version of hone: numbers
  // of two versions do not belong into one table.
  explicit ResultsFile(std::filesystem::path path);

  const std::vector<BenchRow>& rows() const { return rows_; }
  const BenchRow* find(const BenchCase& run) const;  // nullptr if it has not been run

  void append(const BenchRow& row);  // thread-safe; Error{io}

 private:
  std::filesystem::path path_;
  std::vector<BenchRow> rows_;
  std::mutex mutex_;
};

// All rows of a results.csv, without touching the file.
std::vector<BenchRow> read_results(const std::filesystem::path& path);

}  // namespace hone
