#include "hone/core/observer.h"

#include "hone/core/error.h"

namespace hone {

void fail_stopped() {
  fail(ErrorKind::interrupted, "stopped on request");
}

void stop_if_requested(Observer& observer) {
  if (observer.stop_requested()) fail_stopped();
}

Observer& silent_observer() {
  static Observer observer;
  return observer;
}

}  // namespace hone
