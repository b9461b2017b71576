#pragma once

namespace hone {

// "0.2.0": of the library that is linked in.
const char* version();

}  // namespace hone
