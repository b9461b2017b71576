#include "hone/store/stored_rows.h"

#include <algorithm>
#include <numeric>

#include "hone/core/error.h"

namespace hone {
namespace {

// Read together at most: enough to make the disk's latency disappear, little memory.
constexpr Index kMostValuesPerRead = Index{1} << 20;

struct Wanted {
  StoredPlace place;
  Index out = 0;  // row of the result
};

// Neighbours wanted from one shard: [begin, end) of a list sorted by place. Rows in between that
// nobody wants are read along while they are fewer than the wanted ones.
std::size_t end_of_run(std::span<const Wanted> wanted, std::size_t begin, Index most_rows) {
  const StoredPlace first = wanted[begin].place;
  std::size_t end = begin + 1;
  while (end < wanted.size()) {
    const StoredPlace next = wanted[end].place;
    const Index rows = next.row - first.row + 1;
    const auto used = static_cast<Index>(end - begin + 1);
    if (next.shard != first.shard || rows > most_rows || rows > 2 * used) break;
    ++end;
  }
  return end;
}

}  // namespace

void StoredRows::read(MatrixView<float> out, std::span<const Index> rows) const {
  std::vector<Wanted> wanted;
  wanted.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    wanted.push_back({places_.at(static_cast<std::size_t>(rows[i])), static_cast<Index>(i)});
  }
  std::ranges::sort(wanted, {}, &Wanted::place);
  const Index most_rows = std::max<Index>(1, kMostValuesPerRead / cols());
  std::vector<float> buffer;
  for (std::size_t begin = 0, end = 0; begin < wanted.size(); begin = end) {
    end = end_of_run(wanted, begin, most_rows);
    const StoredPlace first = wanted[begin].place;
    const Index count = wanted[end - 1].place.row - first.row + 1;
    buffer.resize(static_cast<std::size_t>(count * cols()));
    const MatrixView<float> run(buffer.data(), count, cols());
    files_->read(run, first.shard, first.row);
    for (const Wanted& one : std::span(wanted).subspan(begin, end - begin)) {
      std::ranges::copy(run.row(one.place.row - first.row), out.row(one.out).begin());
    }
  }
}

LoadedRows::LoadedRows(const RowSource& source) : table_(source.rows(), source.cols()) {
  std::vector<Index> all(static_cast<std::size_t>(source.rows()));
  std::iota(all.begin(), all.end(), 0);
  source.read(table_, all);
}

void LoadedRows::read(MatrixView<float> out, std::span<const Index> rows) const {
  MatrixRows(table_).read(out, rows);
}

}  // namespace hone
