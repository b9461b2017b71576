// What an external simulator may answer: lines and binary frames, in pieces of any size.
#include "fuzz.h"
#include "hone/simulator/worker_protocol.h"

HONE_FUZZ_TARGET(worker_answers)(const std::string& bytes) {
  const std::size_t piece = bytes.empty() ? 1 : 1 + static_cast<unsigned char>(bytes[0]) % 61;
  hone::survive([&] {
    hone::AnswerReader reader(3);
    for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
      reader.append(std::string_view(bytes).substr(begin, piece));
      while (const auto answer = reader.next()) {
        if (answer->kind == hone::Answer::Kind::rubbish) return;
      }
    }
  });
}
