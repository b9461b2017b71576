#include "hone/files/hdf5_answer.h"

#include <cerrno>
#include <span>

#include <hdf5.h>
#include <unistd.h>

namespace hone::hdf5 {
namespace {

// What it says first: numbers follow, or the text of an error.
constexpr Index kNumbersFollow = 1, kErrorFollows = 2;
constexpr Index kLongestError = 10000;

void write_all(int pipe, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(pipe, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(1);  // nobody listens any more
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void write_index(int pipe, Index value) {
  write_all(pipe, std::as_bytes(std::span(&value, 1)));
}

// False when the other process has died.
bool read_all(int pipe, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::read(pipe, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<Index> read_index(int pipe, Index most) {
  Index value = 0;
  if (!read_all(pipe, std::as_writable_bytes(std::span(&value, 1)))) return std::nullopt;
  if (value < 0 || value > most) return std::nullopt;
  return value;
}

std::optional<Numbers> read_array(int pipe, Index most) {
  Numbers numbers;
  const auto rank = read_index(pipe, H5S_MAX_RANK);
  if (!rank) return std::nullopt;
  numbers.shape.resize(static_cast<std::size_t>(*rank));
  if (!read_all(pipe, std::as_writable_bytes(std::span(numbers.shape)))) return std::nullopt;
  const auto count = read_index(pipe, most);
  if (!count || *count != element_count(numbers.shape, "data set")) return std::nullopt;
  numbers.values.resize(static_cast<std::size_t>(*count));
  if (!read_all(pipe, std::as_writable_bytes(std::span(numbers.values)))) return std::nullopt;
  return numbers;
}

}  // namespace

void write_numbers(int pipe, const std::vector<Numbers>& arrays) {
  write_index(pipe, kNumbersFollow);
  for (const Numbers& numbers : arrays) {
    write_index(pipe, std::ssize(numbers.shape));
    write_all(pipe, std::as_bytes(std::span(numbers.shape)));
    write_index(pipe, std::ssize(numbers.values));
    write_all(pipe, std::as_bytes(std::span(numbers.values)));
  }
}

void write_error(int pipe, const std::string& message) {
  const std::string_view text = std::string_view(message).substr(0, kLongestError);
  write_index(pipe, kErrorFollows);
  write_index(pipe, std::ssize(text));
  write_all(pipe, std::as_bytes(std::span(text)));
}

std::optional<std::vector<Numbers>> read_answer(int pipe, std::size_t arrays, Index most_values) {
  const auto kind = read_index(pipe, kErrorFollows);
  if (!kind) return std::nullopt;
  if (*kind == kErrorFollows) {
    const auto length = read_index(pipe, kLongestError);
    std::string message(static_cast<std::size_t>(length.value_or(0)), '\0');
    if (!length || !read_all(pipe, std::as_writable_bytes(std::span(message)))) return std::nullopt;
    throw Error(ErrorKind::input, message);
  }
  if (*kind != kNumbersFollow) return std::nullopt;
  std::vector<Numbers> result;
  for (std::size_t i = 0; i < arrays; ++i) {
    auto numbers = read_array(pipe, most_values);
    if (!numbers) return std::nullopt;
    result.push_back(std::move(*numbers));
  }
  return result;
}

}  // namespace hone::hdf5
