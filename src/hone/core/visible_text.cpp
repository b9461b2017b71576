#include "hone/core/visible_text.h"

#include <cstdint>

#include <fmt/format.h>

namespace hone {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// The character's number, of a text that begins with `length` valid bytes.
std::uint32_t code_point(std::string_view text, std::size_t length) {
  if (length == 1) return byte_at(text, 0);
  std::uint32_t code = byte_at(text, 0) & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte_at(text, i) & 0x3Fu);
  return code;
}

bool commands(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
  const bool direction = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return direction || (control && code != '\n' && code != '\t');
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  }
  const std::uint32_t code = code_point(text, length);
  // Longer than it need be, half of a pair of UTF-16, or beyond the last character.
  const bool wrong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000) ||
                     (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF;
  return wrong ? 0 : length;
}

std::string visible_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      result += fmt::format("\\x{:02x}", byte_at(text, 0));
    } else if (const std::uint32_t code = code_point(text, length); commands(code)) {
      result += fmt::format("\\u{:04x}", code);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

}  // namespace hone
