#include "hone/store/grouped_append.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "hone/store/row_records.h"

namespace hone {
namespace {

// A run of a day is then at most 86,400 files, and others see its rows within about a second.
constexpr std::chrono::seconds kBetweenShards(1);
// More than this is worth a shard of its own, and would be written twice otherwise.
constexpr Index kMostJournalBytes = Index{1} << 20;

Index bytes_of(const SimulationRows& rows) {
  return (rows.u.cols() + rows.theta.cols() + rows.x.cols()) * rows.rows() *
         static_cast<Index>(sizeof(double));
}

}  // namespace

void GroupedAppend::add(SimulationRows rows) {
  waiting_bytes_ += bytes_of(rows);
  waiting_.push_back(std::move(rows));
  if (Clock::now() >= next_shard_ || waiting_bytes_ > kMostJournalBytes) return write_shards();
  write_journal(waiting_.back());
}

void GroupedAppend::finish() {
  write_shards();
  if (!journal_.open()) return;
  journal_.close();
  ::unlink(store_.journal().c_str());
}

void GroupedAppend::write_shards() {
  if (waiting_.empty()) return;
  if (waiting_.size() == 1) {
    store_.append(waiting_.front());
  } else {
    store_.append(joined(waiting_, store_.schema()));
  }
  waiting_.clear();
  waiting_bytes_ = 0;
  next_shard_ = Clock::now() + kBetweenShards;
  // Should this be lost: rows that are in a shard are not taken from the journal.
  if (journal_.open() && ::ftruncate(journal_.get(), 0) != 0) {
    fail_io(store_.journal(), "write", errno);
  }
}

void GroupedAppend::write_journal(const SimulationRows& rows) {
  const std::filesystem::path path = store_.journal();
  const bool is_new = !journal_.open();
  if (is_new) {
    constexpr int kNewFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC;
    journal_ = FileDescriptor(::open(path.c_str(), kNewFile, 0644));
    if (!journal_.open()) fail_io(path, "write", errno);
  }
  write_all(journal_.get(), encode_record(rows, store_.run()), path);
  if (::fdatasync(journal_.get()) != 0) fail_io(path, "sync", errno);
  if (is_new) sync_directory(path.parent_path());
}

}  // namespace hone
