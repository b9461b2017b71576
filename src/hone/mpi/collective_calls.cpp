#include "hone/mpi/collective_calls.h"

#include "hone/core/error.h"
#include "hone/mpi/back_off.h"
#include "hone/mpi/messages.h"
#include "hone/mpi/packing.h"

namespace hone {

std::vector<std::string> CollectiveCalls::begin(const std::string& text, Observer& observer) {
  ++call_;
  if (!left_.empty()) fail_left(*left_.begin());
  if (transport_.rank() > 0) {
    send(0, text);
    return {};
  }
  std::vector<std::string> texts{text};
  texts.resize(static_cast<std::size_t>(transport_.size()));
  BackOff back_off;
  for (int missing = transport_.size() - 1; missing > 0;) {
    const auto message = transport_.receive();
    if (!message) {
      if (observer.stop_requested())
        fail(ErrorKind::interrupted, "stopped while waiting for ranks");
      back_off.sleep();
      continue;
    }
    if (message->tag == static_cast<int>(Tag::quit)) fail_left(message->from);
    if (message->tag != static_cast<int>(Tag::say)) continue;  // of a run that was interrupted
    Unpacker in(message->bytes);
    if (in.get<int>() != call_) continue;
    texts[static_cast<std::size_t>(message->from)] = in.get_text();
    --missing;
  }
  return texts;
}

void CollectiveCalls::say(const std::string& text) {
  for (int r = 1; r < transport_.size(); ++r) send(r, text);
}

std::string CollectiveCalls::hear(const OpenExecutors& open) {
  for (;;) {
    const Message message = serve_runs(transport_, open);
    if (message.tag == static_cast<int>(Tag::quit)) fail_left(0);
    if (message.tag != static_cast<int>(Tag::say)) continue;
    Unpacker in(message.bytes);
    if (in.get<int>() == call_) return in.get_text();
  }
}

void CollectiveCalls::leave() {
  if (transport_.rank() > 0) {
    transport_.send(0, static_cast<int>(Tag::quit), {});
  } else {
    end_other_ranks(transport_);
  }
}

void CollectiveCalls::fail_left(int rank) {
  left_.insert(rank);
  fail(ErrorKind::input,
       "rank {} has ended its program without this call; all ranks must make the same calls", rank);
}

void CollectiveCalls::send(int to, const std::string& text) {
  transport_.send(to, static_cast<int>(Tag::say), Packer().put(call_).put_text(text).take());
}

}  // namespace hone
