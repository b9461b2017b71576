#include "hone/store/row_records.h"

#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "hone/files/checksum.h"

namespace hone {
namespace {

constexpr std::uint64_t kMagic = 0x6c6e726a656e6f68;  // "honejrnl"
constexpr std::size_t kHeadBytes = 4 * sizeof(std::uint64_t);

template <typename T>
void put(std::vector<std::byte>& bytes, std::span<const T> values) {
  const auto more = std::as_bytes(values);
  bytes.insert(bytes.end(), more.begin(), more.end());
}

template <typename T>
void put(std::vector<std::byte>& bytes, const T& value) {
  put(bytes, std::span<const T>(&value, 1));
}

void put(std::vector<std::byte>& bytes, const Matrix<double>& matrix) {
  put(bytes, std::span<const double>(matrix.data(),
                                     static_cast<std::size_t>(matrix.rows() * matrix.cols())));
}

// Takes values from the front; false where there are too few bytes.
class Taker {
 public:
  explicit Taker(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename T>
  bool take(std::span<T> values) {
    const std::span<std::byte> out = std::as_writable_bytes(values);
    if (rest_.size() < out.size()) return false;
    if (!out.empty()) std::memcpy(out.data(), rest_.data(), out.size());
    rest_ = rest_.subspan(out.size());
    return true;
  }
  template <typename T>
  bool take(T& value) {
    return take(std::span<T>(&value, 1));
  }
  bool take(Matrix<double>& matrix) {
    return take(
        std::span<double>(matrix.data(), static_cast<std::size_t>(matrix.rows() * matrix.cols())));
  }
  bool take(std::string& text, std::size_t length) {
    if (rest_.size() < length) return false;
    text.resize(length);
    return take(std::span<char>(text));
  }
  std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

bool take_failures(Taker& taker, std::vector<std::optional<std::string>>& failures) {
  for (auto& failure : failures) {
    std::int64_t length = 0;  // -1: it did not fail
    if (!taker.take(length)) return false;
    if (length < 0) continue;
    if (!taker.take(failure.emplace(), static_cast<std::size_t>(length))) return false;
  }
  return true;
}

std::optional<SimulationRows> decode_rows(std::span<const std::byte> bytes,
                                          const StoreSchema& schema) {
  Taker taker(bytes);
  std::array<std::int64_t, 3> sizes{};  // rows, parameters, values of x
  if (!taker.take(std::span<std::int64_t>(sizes))) return std::nullopt;
  const auto [count, parameters, data_size] = sizes;
  if (parameters != schema.parameter_count() || data_size != schema.data_size) return std::nullopt;
  // Every row has an id: so many bytes at least.
  if (count < 0 || count > static_cast<std::int64_t>(bytes.size() / sizeof count)) {
    return std::nullopt;
  }
  const auto row_bytes = static_cast<std::size_t>(2 * parameters + data_size) * sizeof(double);
  if (static_cast<std::size_t>(count) > bytes.size() / row_bytes) return std::nullopt;
  SimulationRows rows(count, schema);
  const bool whole = taker.take(std::span<std::int64_t>(rows.ids)) &&
                     taker.take(std::span<std::uint64_t>(rows.seeds)) &&
                     taker.take(std::span<std::int32_t>(rows.rounds)) &&
                     take_failures(taker, rows.failures) && taker.take(rows.u) &&
                     taker.take(rows.theta) && taker.take(rows.x) && taker.rest().empty();
  if (!whole) return std::nullopt;
  return rows;
}

}  // namespace

std::vector<std::byte> encode_record(const SimulationRows& rows, std::uint64_t run) {
  std::vector<std::byte> content;
  for (const Index size : {rows.rows(), rows.theta.cols(), rows.x.cols()}) put(content, size);
  put(content, std::span<const std::int64_t>(rows.ids));
  put(content, std::span<const std::uint64_t>(rows.seeds));
  put(content, std::span<const std::int32_t>(rows.rounds));
  for (const auto& failure : rows.failures) {
    put(content, failure ? static_cast<std::int64_t>(failure->size()) : std::int64_t{-1});
    if (failure) put(content, std::span<const char>(*failure));
  }
  put(content, rows.u);
  put(content, rows.theta);
  put(content, rows.x);
  std::vector<std::byte> record;
  record.reserve(kHeadBytes + content.size());
  put(record, kMagic);
  put(record, static_cast<std::uint64_t>(content.size()));
  put(record, checksum(checksum(run, std::as_bytes(std::span(&kMagic, 1))), content));
  put(record, run);
  put(record, std::span<const std::byte>(content));
  return record;
}

std::vector<SimulationRows> decode_records(std::span<const std::byte> bytes,
                                           const StoreSchema& schema, std::uint64_t run) {
  std::vector<SimulationRows> records;
  Taker taker(bytes);
  std::array<std::uint64_t, 4> head{};
  while (taker.take(std::span<std::uint64_t>(head))) {
    const auto [magic, length, sum, owner] = head;
    if (magic != kMagic || owner != run || length > taker.rest().size()) break;
    const auto content = taker.rest().first(length);
    if (sum != checksum(checksum(run, std::as_bytes(std::span(&kMagic, 1))), content)) break;
    auto rows = decode_rows(content, schema);
    if (!rows) break;
    records.push_back(std::move(*rows));
    taker = Taker(taker.rest().subspan(length));
  }
  return records;
}

}  // namespace hone
