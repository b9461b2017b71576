#pragma once

#include "hone/core/process_group.h"

namespace hone {

// The pieces of a group from one on, counted from 0, where several works that need no exchange are
// shared out as one.
class LaterPieces final : public ProcessGroup {
 public:
  LaterPieces(ProcessGroup& group, Index first) : group_(group), first_(first) {}
  bool mine(Index piece) const override { return group_.mine(first_ + piece); }

 private:
  ProcessGroup& group_;
  Index first_;
};

}  // namespace hone
