#pragma once

#include <cstddef>
#include <span>

#include "hone/core/matrix.h"

namespace hone {

// Numbers that belong to one piece of a divided work, and that every process needs.
struct SharedPart {
  Index piece = 0;
  std::span<std::byte> bytes;
};

template <typename T>
SharedPart shared_part(Index piece, std::span<T> values) {
  return {piece, std::as_writable_bytes(values)};
}

// Processes that do one work together: train the members of a stack, classify the folds of a test.
// All see the same data and the same random streams; each does its own pieces. This base is a
// process that works alone.
//
// What is summed over pieces is summed by everybody in the order of the pieces, after exchange():
// the bits do not depend on how many processes there are.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual bool mine(Index /*piece*/) const { return true; }

  // Fills in every part that belongs to a piece of another process. All processes call this and
  // agree() equally often and with the same pieces.
  virtual void exchange(std::span<const SharedPart> /*parts*/) {}
  // What the first process of the group says, for all of them.
  virtual bool agree(bool yes) { return yes; }
};

// A group of one.
inline ProcessGroup& single_process() {
  static ProcessGroup alone;
  return alone;
}

}  // namespace hone
