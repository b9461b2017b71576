#include "hone/simulator/worker_protocol.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include <nlohmann/json.hpp>

#include "hone/simulator/answer_parser.h"

namespace hone {
namespace {

static_assert(std::endian::native == std::endian::little, "binary frames are little-endian");

// A double takes at most 24 characters; the rest is for commas, blanks and zeros that somebody's
// printf adds, and for the other keys.
constexpr std::size_t kBytesPerNumber = 64;
constexpr std::size_t kBytesBesideNumbers = 1 << 16;
constexpr std::size_t kLongestQuote = 60;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

Answer rubbish(std::string text) {
  Answer answer;
  answer.text = std::move(text);
  return answer;
}

}  // namespace

void append_number(std::string& text, double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  const std::string_view digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  text += digits;
  if (digits.find_first_of(".en") == digits.npos) text += ".0";  // n: inf and nan
}

void append_request(std::string& text, std::int64_t id, std::span<const double> theta,
                    std::uint64_t seed) {
  text += "{\"id\": ";
  text += std::to_string(id);
  text += ", \"theta\": [";
  for (std::size_t i = 0; i < theta.size(); ++i) {
    if (i > 0) text += ", ";
    append_number(text, theta[i]);
  }
  text += "], \"seed\": ";
  text += std::to_string(external_seed(seed));
  text += "}\n";
}

std::string quoted(std::string_view text) {
  const bool cut = text.size() > kLongestQuote;
  const std::string shown(text.substr(0, kLongestQuote));
  // JSON's escapes make control characters visible; invalid UTF-8 becomes U+FFFD.
  return nlohmann::json(shown).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         (cut ? "..." : "");
}

AnswerReader::AnswerReader(Index data_size)
    : data_size_(data_size),
      longest_line_(kBytesBesideNumbers + kBytesPerNumber * static_cast<std::size_t>(data_size)) {}

void AnswerReader::append(std::string_view bytes) {
  if (begin_ == bytes_.size()) {
    bytes_.clear();
    begin_ = searched_ = 0;
  } else if (begin_ > bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
  }
  bytes_ += bytes;
}

std::optional<Answer> AnswerReader::next() {
  return frame_ ? continue_frame() : next_line();
}

std::optional<Answer> AnswerReader::next_line() {
  for (;;) {
    const std::size_t end = bytes_.find('\n', searched_);
    const bool complete = end != std::string::npos;
    const std::size_t length = (complete ? end : bytes_.size()) - begin_;
    if (length > longest_line_) {
      return rubbish(
          fmt::format("a line of more than {} bytes, {}", longest_line_, quoted(unread())));
    }
    if (!complete) {
      searched_ = bytes_.size();
      return std::nullopt;
    }
    const std::string_view line = unread().substr(0, length);
    const bool blank = is_blank(line);
    ParsedLine parsed = blank ? ParsedLine{} : parse_line(line, data_size_);
    begin_ = searched_ = end + 1;
    if (blank) continue;
    if (parsed.binary_bytes == 0) return std::move(parsed.answer);
    frame_ = Frame{std::move(parsed.answer), parsed.binary_bytes, 0};
    frame_->values_left = frame_->answer.length;
    if (frame_->answer.length == data_size_) {
      frame_->answer.x.reserve(static_cast<std::size_t>(data_size_));
    }
    return continue_frame();
  }
}

std::optional<Answer> AnswerReader::continue_frame() {
  const auto size = static_cast<std::size_t>(frame_->value_bytes);
  const std::size_t values =
      std::min(static_cast<std::size_t>(frame_->values_left), unread().size() / size);
  if (frame_->answer.length == data_size_) {  // of another length it is only read over
    std::vector<double>& x = frame_->answer.x;
    const std::size_t begin = x.size();
    x.resize(begin + values);
    const char* from = unread().data();
    if (size == sizeof(double)) {
      if (values > 0) std::memcpy(x.data() + begin, from, values * size);
    } else {
      for (std::size_t i = 0; i < values; ++i) {
        float value = 0;
        std::memcpy(&value, from + i * size, size);
        x[begin + i] = value;
      }
    }
  }
  begin_ += values * size;
  searched_ = begin_;
  frame_->values_left -= static_cast<Index>(values);
  if (frame_->values_left > 0) return std::nullopt;
  Answer answer = std::move(frame_->answer);
  frame_.reset();
  return answer;
}

}  // namespace hone
