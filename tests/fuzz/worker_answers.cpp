// What an external simulator may answer: lines and binary frames, in pieces of any size.
#include "fuzz.h"
#include "hone/simulator/worker_protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = hone::text_of(data, size);
  const std::size_t piece = size == 0 ? 1 : 1 + data[0] % 61;
  hone::survive([&] {
    hone::AnswerReader reader(3);
    for (std::size_t begin = 0; begin < size; begin += piece) {
      reader.append(std::string_view(bytes).substr(begin, piece));
      while (const auto answer = reader.next()) {
        if (answer->kind == hone::Answer::Kind::rubbish) return;
      }
    }
  });
  return 0;
}
