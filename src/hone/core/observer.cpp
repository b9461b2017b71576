#include "hone/core/observer.h"

#include "hone/core/error.h"

namespace hone {

void stop_if_requested(Observer& observer) {
  if (observer.stop_requested()) fail(ErrorKind::interrupted, "stopped on request");
}

Observer& silent_observer() {
  static Observer observer;
  return observer;
}

}  // namespace hone
