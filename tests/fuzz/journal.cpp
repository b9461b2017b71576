// The journal of a store, which crashes leave torn. Every record gets a right head, so that the
// fuzzer reaches what lies behind the checksums: the first byte is the length of the record.
#include <cstring>
#include <span>
#include <vector>

#include "fuzz.h"
#include "hone/files/checksum.h"
#include "hone/store/row_records.h"

HONE_FUZZ_TARGET(journal)(const std::string& bytes) {
  using namespace hone;
  static const StoreSchema schema{{"a"}, 1};
  constexpr std::uint64_t kRun = 7;
  static const auto magic = [] {
    std::uint64_t first = 0;
    std::memcpy(&first, encode_record(SimulationRows(0, schema), kRun).data(), sizeof first);
    return first;
  }();
  std::vector<std::byte> journal;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const std::size_t wanted = 2 * static_cast<unsigned char>(rest[0]);
    rest.remove_prefix(1);
    const auto content = std::as_bytes(std::span(rest.substr(0, wanted)));
    const std::uint64_t sum =
        checksum(checksum(kRun, std::as_bytes(std::span(&magic, 1))), content);
    const std::uint64_t head[] = {magic, content.size(), sum, kRun};
    const auto head_bytes = std::as_bytes(std::span(head));
    journal.insert(journal.end(), head_bytes.begin(), head_bytes.end());
    journal.insert(journal.end(), content.begin(), content.end());
    rest.remove_prefix(content.size());
  }
  joined(decode_records(journal, schema, kRun), schema);
}
