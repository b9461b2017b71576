#pragma once

#include <cstddef>
#include <span>

#include "hone/core/matrix.h"

namespace hone {

// Numbers of one member of a stack that every process needs.
struct MemberPart {
  Index member = 0;
  std::span<std::byte> bytes;
};

// Processes that train one stack together. All see the same data and the same random streams; each
// takes the steps of its own members. This base is a process that trains alone.
//
// What is summed over members is summed by everybody in the order of the members, after exchange():
// the bits do not depend on how many processes there are.
class Team {
 public:
  virtual ~Team() = default;
  virtual bool mine(Index /*member*/) const { return true; }

  // Fills in every part that belongs to a member of another process. All processes call this and
  // agree() equally often and with the same members.
  virtual void exchange(std::span<const MemberPart> /*parts*/) {}
  // What the leader of the team says, for all of them.
  virtual bool agree(bool yes) { return yes; }
};

// A team of one.
inline Team& no_team() {
  static Team alone;
  return alone;
}

}  // namespace hone
