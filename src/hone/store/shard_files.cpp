#include "hone/store/shard_files.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "hone/core/error.h"

namespace hone {
namespace {

// Well below the usual limit of 1024 open files, which workers and logs share.
constexpr std::size_t kMostOpenFiles = 128;

}  // namespace

ShardFiles::ShardFiles(Index data_size, Precision precision)
    : data_size_(data_size), precision_(precision) {}

void ShardFiles::add(std::filesystem::path path, const Seal& seal, bool checked) {
  const std::scoped_lock lock(mutex_);
  shards_.push_back({std::move(path), seal, checked, nullptr});
}

std::shared_ptr<const ReadableFile> ShardFiles::open(Index number) const {
  const std::scoped_lock lock(mutex_);
  Shard& shard = shards_.at(static_cast<std::size_t>(number));
  if (shard.file) {
    open_.splice(open_.begin(), open_, std::ranges::find(open_, number));
    return shard.file;
  }
  auto file = std::make_shared<const ReadableFile>(shard.path);
  if (file->length() != shard.seal.length) {
    fail(ErrorKind::io, "{}: its length has changed; shards must not be edited",
         shard.path.string());
  }
  if (!shard.checked) verify_data(*file, shard.seal);
  shard.checked = true;
  if (open_.size() >= kMostOpenFiles) {
    shards_[static_cast<std::size_t>(open_.back())].file.reset();
    open_.pop_back();
  }
  open_.push_front(number);
  shard.file = file;
  return file;
}

template <typename T>
void ShardFiles::read_rows(MatrixView<T> out, Index number, Index first) const {
  using Stored = std::conditional_t<std::is_same_v<T, float>, double, float>;  // the other type
  const std::shared_ptr<const ReadableFile> file = open(number);
  const Index element = precision_ == Precision::float32 ? 4 : 8;
  const Index offset = [&] {
    const std::scoped_lock lock(mutex_);
    const Section data = shards_[static_cast<std::size_t>(number)].seal.data;
    HONE_ASSERT((first + out.rows()) * data_size_ * element <= data.bytes);
    return data.offset + first * data_size_ * element;
  }();
  const auto count = static_cast<std::size_t>(out.rows() * data_size_);
  if (element == static_cast<Index>(sizeof(T)) && out.stride() == out.cols()) {
    file->read(std::as_writable_bytes(std::span(out.data(), count)), offset);
    return;
  }
  const auto convert = [&]<typename From>(std::vector<From> values) {
    file->read(std::as_writable_bytes(std::span(values)), offset);
    for (Index i = 0; i < out.rows(); ++i) {
      std::transform(values.data() + i * data_size_, values.data() + (i + 1) * data_size_,
                     out.row(i).begin(), [](From value) { return static_cast<T>(value); });
    }
  };
  if (element == static_cast<Index>(sizeof(T))) {
    convert(std::vector<T>(count));
  } else {
    convert(std::vector<Stored>(count));
  }
}

void ShardFiles::read(MatrixView<float> out, Index shard, Index first) const {
  read_rows(out, shard, first);
}

void ShardFiles::read(MatrixView<double> out, Index shard, Index first) const {
  read_rows(out, shard, first);
}

}  // namespace hone
