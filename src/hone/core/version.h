#pragma once

namespace hone {

// "0.1.0": of the library that is linked in.
const char* version();

}  // namespace hone
