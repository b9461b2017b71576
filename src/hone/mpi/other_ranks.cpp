#include "hone/mpi/other_ranks.h"

#include <algorithm>
#include <utility>

#include "hone/engine/arithmetic.h"
#include "hone/mpi/packing.h"

namespace hone {

// Longer pauses between two looks at the messages were not spent listening.
constexpr double kLongestLook = 0.1;

OtherRanks::OtherRanks(Transport& transport, const JobMessage& job, LogSink log)
    : transport_(transport),
      log_(std::move(log)),
      ranks_(static_cast<std::size_t>(transport.size())) {
  send_all(Tag::job, pack(job));
}

OtherRanks::~OtherRanks() {
  if (!lost()) send_all(Tag::dismiss);
}

void OtherRanks::send(int to, Tag tag, std::vector<std::byte> bytes) const {
  transport_.send(to, static_cast<int>(tag), std::move(bytes));
}

void OtherRanks::send_all(Tag tag, const std::vector<std::byte>& bytes) const {
  for (int r = 1; r < size(); ++r) send(r, tag, bytes);
}

std::optional<Message> OtherRanks::receive() {
  while (auto message = transport_.receive()) {
    Rank& from = ranks_[static_cast<std::size_t>(message->from)];
    from.silence = 0;
    switch (static_cast<Tag>(message->tag)) {
      case Tag::ready:
        from.ready = true;
        from.about = unpack_ready(message->bytes);
        break;
      case Tag::log: {
        Unpacker in(message->bytes);
        const int worker = in.get<int>();
        if (log_) log_(worker, fmt::format("[rank {}] {}", message->from, in.get_text()));
        break;
      }
      case Tag::halted: halting_.erase(message->from); break;
      case Tag::alive: break;
      default: return message;
    }
  }
  return std::nullopt;
}

void OtherRanks::halt() {
  for (int r = 1; r < size(); ++r) halting_.insert(r);
  send_all(Tag::halt);
}

void OtherRanks::note_time(double seconds) {
  for (Rank& rank : ranks_) rank.silence += std::min(seconds, kLongestLook);
}

std::string training_kernels() {
  return describe(this_arithmetic());
}

}  // namespace hone
