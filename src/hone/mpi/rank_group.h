#pragma once

#include <algorithm>
#include <vector>

#include "hone/core/process_group.h"
#include "hone/mpi/transport.h"

namespace hone {

// Pieces of a work, shared out over ranks in turn. Exchanging needs all ranks of the job.
class RankGroup final : public ProcessGroup {
 public:
  // Will they exchange? Then a rank that leaves for any other reason than a stop they agreed on
  // leaves the others waiting.
  RankGroup(Transport& transport, std::vector<int> ranks, bool exchanging)
      : transport_(transport), ranks_(std::move(ranks)), exchanging_(exchanging) {}

  int owner(Index piece) const { return ranks_[static_cast<std::size_t>(piece) % ranks_.size()]; }
  bool mine(Index piece) const override { return owner(piece) == transport_.rank(); }

  void exchange(std::span<const SharedPart> parts) override {
    if (ranks_.size() == 1) return;
    parts_.clear();
    for (const SharedPart& part : parts) parts_.push_back({owner(part.piece), part.bytes});
    transport_.share(parts_);
  }

  bool agree(bool yes) override {
    if (ranks_.size() == 1) return yes;
    const Transport::Part leaders{0, std::as_writable_bytes(std::span(&yes, 1))};
    transport_.share(std::span(&leaders, 1));
    return yes;
  }

  bool exchanging() const { return exchanging_; }

 private:
  Transport& transport_;
  std::vector<int> ranks_;
  std::vector<Transport::Part> parts_;
  bool exchanging_;
};

}  // namespace hone
