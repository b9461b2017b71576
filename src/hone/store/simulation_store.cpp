#include "hone/store/simulation_store.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <unordered_set>

#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/store/manifest.h"
#include "hone/store/row_records.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Far more than a journal ever holds.
constexpr std::size_t kMostJournalBytes = std::size_t{1} << 28;

// Bytes of x in a shard, at most (but at least a row): a shard is built in memory, and its data
// are verified as a whole before the first row is read.
constexpr Index kMostShardBytes = Index{64} << 20;

constexpr std::size_t kMostDamagedNamed = 10;

constexpr const char* kManifest = "manifest.json";

// n of "shard-<n>.h5", or 0.
Index shard_number(const std::string& file_name) {
  constexpr std::string_view prefix = "shard-";
  constexpr std::string_view suffix = ".h5";
  if (!file_name.starts_with(prefix) || !file_name.ends_with(suffix)) return 0;
  const char* begin = file_name.data() + prefix.size();
  const char* end = file_name.data() + file_name.size() - suffix.size();
  int number = 0;
  const auto [rest, code] = std::from_chars(begin, std::max(begin, end), number);
  return code == std::errc() && rest == end && number > 0 ? number : 0;
}

std::map<Index, fs::path> find_shards(const fs::path& directory) {
  std::map<Index, fs::path> shards;
  std::error_code code;
  for (fs::directory_iterator entry(directory, code), end; !code && entry != end;
       entry.increment(code)) {
    const Index number = shard_number(entry->path().filename().string());
    if (number > 0) shards[number] = entry->path();
  }
  if (code) fail_io(directory, "look into it", code.value());
  return shards;
}

[[noreturn]] void fail_damaged(const std::vector<std::string>& damaged) {
  std::string list;
  for (std::size_t i = 0; i < std::min(damaged.size(), kMostDamagedNamed); ++i) {
    list += "\n  " + damaged[i];
  }
  fail_with_advice(ErrorKind::io,
                   fmt::format("{} of the store's shards cannot be used:{}{}", damaged.size(), list,
                               damaged.size() > kMostDamagedNamed ? "\n  ..." : ""),
                   {.before = "\nMove them away and ",
                    .action = Action::resume,
                    .after = ": their simulations are run again"});
}

Matrix<double> gather(const std::vector<double>& columns, std::span<const Index> positions,
                      Index cols) {
  Matrix<double> out(static_cast<Index>(positions.size()), cols);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::copy_n(columns.data() + positions[i] * cols, cols, out.row(static_cast<Index>(i)).begin());
  }
  return out;
}

template <typename T>
void extend(std::vector<T>& values, const std::vector<T>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

}  // namespace

SimulationStore::SimulationStore(fs::path directory, StoreSchema schema, FileMark mark)
    : directory_(std::move(directory)),
      schema_(std::move(schema)),
      mark_(std::move(mark)),
      files_(std::make_shared<ShardFiles>(schema_.data_size, schema_.precision)) {}

SimulationStore SimulationStore::create(const fs::path& directory, const StoreSchema& schema,
                                        FileMark mark) {
  schema.validate();
  create_directories_durably(directory);
  if (fs::exists(directory / kManifest) || !find_shards(directory).empty()) {
    fail(ErrorKind::input, "{}: holds a simulation store already; it is never overwritten",
         directory.string());
  }
  write_manifest(directory / kManifest, schema, mark.at(kManifest));
  return {directory, schema, std::move(mark)};
}

bool SimulationStore::exists(const fs::path& directory) {
  return fs::exists(directory / kManifest);
}

SimulationStore SimulationStore::open(const fs::path& directory, Access access, FileMark mark) {
  StoreSchema schema = read_manifest(directory / kManifest, mark.at(kManifest));
  SimulationStore store(directory, std::move(schema), std::move(mark));
  if (access == Access::write) remove_temporary_files(directory);
  std::vector<std::string> damaged;
  for (const auto& [number, path] : find_shards(directory)) {
    store.next_shard_ = number + 1;
    try {
      store.add_to_index(store.read(path), path, false);
    } catch (const Error& error) {
      damaged.emplace_back(error.message());
    }
  }
  if (!damaged.empty()) fail_damaged(damaged);
  if (access == Access::write) store.take_from_journal();
  return store;
}

// A record that the crash has torn was not promised to anybody: its simulations are run again.
void SimulationStore::take_from_journal() {
  std::error_code code;
  if (!fs::is_regular_file(fs::symlink_status(journal(), code))) return;
  const std::string bytes = read_file(journal(), kMostJournalBytes);
  std::vector<SimulationRows> fresh;
  std::unordered_set<std::int64_t> taken;
  for (SimulationRows& rows : decode_records(std::as_bytes(std::span(bytes)), schema_, mark_.run)) {
    // In a shard already, or twice in the journal: somebody has put two copies of it together.
    const bool known = std::ranges::any_of(
        rows.ids, [&](auto id) { return id < 0 || contains(id) || !taken.insert(id).second; });
    if (!known) fresh.push_back(std::move(rows));
  }
  if (!fresh.empty()) append(joined(fresh, schema_));
  fs::remove(journal(), code);
  if (code) fail_io(journal(), "remove", code.value());
}

ShardRows SimulationStore::read(const fs::path& shard) const {
  return read_shard(shard, mark_.at(shard.filename().string()), schema_);
}

void SimulationStore::append(const SimulationRows& rows) {
  const Index n = rows.rows();
  HONE_ASSERT(rows.u.rows() == n && rows.u.cols() == schema_.parameter_count());
  HONE_ASSERT(rows.theta.rows() == n && rows.theta.cols() == schema_.parameter_count());
  HONE_ASSERT(rows.x.rows() == n && rows.x.cols() == schema_.data_size);
  HONE_ASSERT(rows.seeds.size() == rows.ids.size() && rows.rounds.size() == rows.ids.size() &&
              rows.failures.size() == rows.ids.size());
  std::unordered_set<std::int64_t> fresh;
  for (const std::int64_t id : rows.ids) {
    HONE_ASSERT(id >= 0 && !contains(id) && fresh.insert(id).second);
  }
  const Index row_bytes = schema_.data_size * (schema_.precision == Precision::float32 ? 4 : 8);
  const Index step = std::max<Index>(1, kMostShardBytes / row_bytes);
  for (Index begin = 0; begin < n; begin += step) {
    append_shard(rows, begin, std::min(step, n - begin));
  }
}

// The number moves on only after success: should the file be in place although syncing its
// directory failed, the next shard replaces it, and no row is there twice.
void SimulationStore::append_shard(const SimulationRows& rows, Index begin, Index count) {
  const std::string name = fmt::format("shard-{:06d}.h5", next_shard_);
  const fs::path path = directory_ / name;
  write_file_atomically(path, encode_shard(mark_.at(name), schema_, rows, begin, count));
  add_to_index(read(path), path, true);
  ++next_shard_;
}

void SimulationStore::add_to_index(ShardRows shard, const fs::path& path, bool checked) {
  const auto known = std::ranges::find_if(shard.ids, [this](auto id) { return contains(id); });
  if (known != shard.ids.end()) {
    fail(ErrorKind::io, "{}: simulation {} is in an earlier shard already", path.string(), *known);
  }
  std::unordered_set<std::int64_t> inside(shard.ids.begin(), shard.ids.end());
  if (inside.size() != shard.ids.size()) {
    fail(ErrorKind::io, "{}: damaged: an id is there twice", path.string());
  }
  for (Index i = 0; i < shard.rows(); ++i) {
    const std::int64_t id = shard.ids[static_cast<std::size_t>(i)];
    positions_[id] = rows() + i;
    places_.push_back({shards_, i});
    if (id < std::numeric_limits<std::int64_t>::max()) next_id_ = std::max(next_id_, id + 1);
  }
  extend(ids_, shard.ids);
  extend(u_, shard.u);
  extend(theta_, shard.theta);
  extend(seeds_, shard.seeds);
  extend(rounds_, shard.rounds);
  extend(status_, shard.status);
  reasons_.merge(shard.reasons);
  files_->add(path, shard.seal, checked);
  ++shards_;
}

Index SimulationStore::position(std::int64_t id) const {
  const auto found = positions_.find(id);
  HONE_ASSERT(found != positions_.end());
  return found->second;
}

SimulationInfo SimulationStore::info_at(Index position) const {
  const auto i = static_cast<std::size_t>(position);
  const std::size_t cols = schema_.parameters.size();
  return {ids_[i],
          std::span(u_).subspan(i * cols, cols),
          std::span(theta_).subspan(i * cols, cols),
          seeds_[i],
          rounds_[i],
          status_[i] != 0};
}

SimulationInfo SimulationStore::info(std::int64_t id) const {
  return info_at(position(id));
}

std::vector<std::int64_t> SimulationStore::select(
    const std::function<bool(const SimulationInfo&)>& keep) const {
  std::vector<std::int64_t> ids;
  for (Index i = 0; i < rows(); ++i) {
    const SimulationInfo simulation = info_at(i);
    if (keep(simulation)) ids.push_back(simulation.id);
  }
  std::ranges::sort(ids);
  return ids;
}

std::vector<std::int64_t> SimulationStore::rows_inside(
    const std::function<bool(std::span<const double> theta)>& contains) const {
  return select([&contains](const SimulationInfo& simulation) {
    return !simulation.failed && contains(simulation.theta);
  });
}

std::vector<Index> SimulationStore::positions(std::span<const std::int64_t> ids) const {
  std::vector<Index> result;
  result.reserve(ids.size());
  for (const std::int64_t id : ids) result.push_back(position(id));
  return result;
}

Matrix<double> SimulationStore::read_u(std::span<const std::int64_t> ids) const {
  return gather(u_, positions(ids), schema_.parameter_count());
}

Matrix<double> SimulationStore::read_theta(std::span<const std::int64_t> ids) const {
  return gather(theta_, positions(ids), schema_.parameter_count());
}

StoredPlace SimulationStore::place_of_success(std::int64_t id) const {
  const auto i = static_cast<std::size_t>(position(id));
  HONE_ASSERT(status_[i] == 0);  // a failed simulation has no x
  return places_[i];
}

std::unique_ptr<RowSource> SimulationStore::x_rows(std::span<const std::int64_t> ids,
                                                   Index memory) const {
  std::vector<StoredPlace> places;
  places.reserve(ids.size());
  for (const std::int64_t id : ids) places.push_back(place_of_success(id));
  auto stored = std::make_unique<StoredRows>(files_, std::move(places));
  const Index row_bytes = schema_.data_size * static_cast<Index>(sizeof(float));
  if (stored->rows() > memory / row_bytes) return stored;
  return std::make_unique<LoadedRows>(*stored);
}

std::vector<double> SimulationStore::read_x(std::int64_t id) const {
  const StoredPlace place = place_of_success(id);
  std::vector<double> x(static_cast<std::size_t>(schema_.data_size));
  files_->read(MatrixView<double>(x.data(), 1, schema_.data_size), place.shard, place.row);
  return x;
}

}  // namespace hone
