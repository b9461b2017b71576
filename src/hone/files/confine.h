#pragma once

#include "hone/core/matrix.h"

namespace hone {

// For a child process, after fork(), that is about to read a file of others with a library that may
// be tricked by it: from now on the process can open files only for reading, and can start nothing,
// connect to nothing, change or remove nothing. Its memory, time and files are limited by the
// length of the file in bytes. The only descriptor it keeps besides the standard three is `kept`;
// returns its new number. What the system does not offer is left out.
int confine_this_process(int kept, Index file_length);

}  // namespace hone
