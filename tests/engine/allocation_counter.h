#pragma once

#include <cstddef>

// This test program counts what operator new hands out (allocation_counter.cpp).
namespace hone::test {

std::size_t allocations();  // calls so far
std::size_t live_bytes();   // handed out and not returned
std::size_t peak_bytes();   // most that were live at once ...
void forget_peak();         // ... since this call

}  // namespace hone::test
