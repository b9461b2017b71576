#include "hone/files/sealed_json.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <span>

#include "hone/core/error.h"
#include "hone/files/checksum.h"

namespace hone {
namespace {

constexpr std::string_view kBegin = ",\n  \"seal\": {";
constexpr std::size_t kLongestName = 200;

std::uint64_t text_checksum(std::string_view body, const FileMark& mark) {
  const std::array<std::uint64_t, 2> numbers = {body.size(), mark.run};
  std::uint64_t state = checksum(0, std::as_bytes(std::span(numbers)));
  state = checksum(state, std::as_bytes(std::span(mark.name)));
  return checksum(state, std::as_bytes(std::span(body)));
}

std::string seal_text(const FileMark& mark, std::uint64_t sum) {
  return fmt::format(
      "{}\n    \"run\": \"{:016x}\",\n    \"file\": \"{}\",\n    \"checksum\": \"{:016x}\"\n  "
      "}}\n}}\n",
      kBegin, mark.run, mark.name, sum);
}

}  // namespace

std::string sealed_json_text(const nlohmann::ordered_json& content, const FileMark& mark) {
  HONE_ASSERT(content.is_object() && !content.empty() && mark.name.size() < kLongestName);
  std::string text = content.dump(2);
  if (mark.run == 0) return text + "\n";
  text.resize(text.size() - std::string_view("\n}").size());
  const std::uint64_t sum = text_checksum(text, mark);
  return text + seal_text(mark, sum);
}

bool has_seal(std::string_view text) {
  return text.rfind(kBegin) != std::string_view::npos;
}

FileMark verify_sealed_json(std::string_view text) {
  const std::size_t end = text.rfind(kBegin);
  if (end == std::string_view::npos) fail(ErrorKind::io, "its seal with the checksum is missing");
  const std::string seal(text.substr(end + kBegin.size()));
  FileMark mark;
  std::array<char, kLongestName + 1> name{};
  std::uint64_t sum = 0;
  // Whatever this takes for something else than seal_text() wrote fails the comparison below.
  std::sscanf(seal.c_str(),  // NOLINT(cert-err34-c)
              " \"run\": \"%" SCNx64 "\", \"file\": \"%200[^\"]\", \"checksum\": \"%" SCNx64,
              &mark.run, name.data(), &sum);
  mark.name = name.data();
  if (text.substr(end) != seal_text(mark, sum)) fail(ErrorKind::io, "its seal is damaged");
  const std::uint64_t found = text_checksum(text.substr(0, end), mark);
  if (found != sum) {
    fail(ErrorKind::io, "changed since hone wrote it: its checksum is {:016x} and not {:016x}",
         found, sum);
  }
  return mark;
}

}  // namespace hone
