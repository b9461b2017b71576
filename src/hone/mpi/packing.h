#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hone/core/error.h"

namespace hone {

// Values one after the other in the bytes of a message. All ranks are the same program on the same
// kind of machine: there is no format to convert.
class Packer {
 public:
  template <typename T>
  requires(std::is_trivially_copyable_v<T>) Packer& put(const T& value) {
    return append(std::as_bytes(std::span(&value, 1)));
  }
  // The length, then the values.
  template <typename T>
  Packer& put_all(std::span<const T> values) {
    put(values.size());
    return append(std::as_bytes(values));
  }
  template <typename T>
  Packer& put_all(const std::vector<T>& values) {
    return put_all(std::span<const T>(values));
  }
  Packer& put_text(std::string_view text) { return put_all(std::span<const char>(text)); }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  Packer& append(std::span<const std::byte> more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return *this;
  }
  std::vector<std::byte> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T get() {
    return get_into(T{});
  }
  // For types without a default: takes the place of `value`.
  template <typename T>
  requires(std::is_trivially_copyable_v<T>) T get_into(T value) {
    copy_to(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  template <typename T>
  std::vector<T> get_all() {
    const auto count = get<std::size_t>();
    HONE_ASSERT(count <= bytes_.size() / sizeof(T));
    std::vector<T> values(count);
    copy_to(std::as_writable_bytes(std::span(values)));
    return values;
  }
  template <typename T>
  void fill(std::span<T> values) {
    HONE_ASSERT(get<std::size_t>() == values.size());
    copy_to(std::as_writable_bytes(values));
  }
  std::string get_text() {
    const auto text = get_all<char>();
    return {text.begin(), text.end()};
  }

 private:
  void copy_to(std::span<std::byte> out) {
    HONE_ASSERT(out.size() <= bytes_.size());
    if (!out.empty()) std::memcpy(out.data(), bytes_.data(), out.size());
    bytes_ = bytes_.subspan(out.size());
  }
  std::span<const std::byte> bytes_;
};

}  // namespace hone
