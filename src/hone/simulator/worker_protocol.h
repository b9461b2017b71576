#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// What hone and a worker say to each other; docs/external-simulators.md is its description for
// users. Nothing here touches a process: text in, text out.

// The seed an external program gets. JSON numbers are doubles in many languages, so it has 53 bits.
constexpr std::uint64_t external_seed(std::uint64_t seed) {
  return seed >> 11;
}

// The shortest text that reads back as the same double; always with a point or an exponent, so
// that no language takes it for an integer.
void append_number(std::string& text, double value);

// {"id": 7, "theta": [0.5, 1.0], "seed": 123} and a newline.
void append_request(std::string& text, std::int64_t id, std::span<const double> theta,
                    std::uint64_t seed);

// Something a program printed, short and printable, in quotes, for an error message.
std::string quoted(std::string_view text);

struct Answer {
  enum class Kind {
    data,     // {"id": 7, "x": [..]} or a binary frame
    error,    // {"id": 7, "error": "text"}
    ready,    // {"ready": true}
    rubbish,  // anything else
  };
  Kind kind = Kind::rubbish;
  std::int64_t id = -1;
  std::vector<double> x;  // at most data_size values
  Index length = 0;       // values sent
  std::string text;       // the error, or what is wrong with the rubbish
};

// Cuts the bytes of a worker into answers. Memory is bounded whatever comes. After rubbish the
// stream cannot be trusted: start a new worker with a new reader.
class AnswerReader {
 public:
  explicit AnswerReader(Index data_size);
  void append(std::string_view bytes);
  std::optional<Answer> next();  // nothing until an answer is complete

 private:
  struct Frame {
    Answer answer;
    Index value_bytes = 8;
    Index values_left = 0;
  };
  std::optional<Answer> next_line();
  std::optional<Answer> continue_frame();
  std::string_view unread() const { return std::string_view(bytes_).substr(begin_); }

  Index data_size_;
  std::size_t longest_line_;
  std::string bytes_;
  std::size_t begin_ = 0;     // first byte not yet used
  std::size_t searched_ = 0;  // no newline between begin_ and here
  std::optional<Frame> frame_;
};

}  // namespace hone
