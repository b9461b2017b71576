#include "hone/core/version.h"

namespace hone {

const char* version() {
  return HONE_VERSION;
}

}  // namespace hone
