#include "engine/allocation_counter.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::size_t> calls{0}, live{0}, peak{0};

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  ++calls;
  const std::size_t now = live += malloc_usable_size(memory);
  std::size_t before = peak;
  while (before < now && !peak.compare_exchange_weak(before, now)) {
  }
  return memory;
}

void* take(std::size_t size) {
  return counted(std::malloc(size == 0 ? 1 : size));
}
void* take(std::size_t size, std::align_val_t alignment) {
  const std::size_t step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void give_back(void* memory) {
  if (memory == nullptr) return;
  live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return take(size);
}
void* operator new[](std::size_t size) {
  return take(size);
}
void* operator new(std::size_t size, std::align_val_t a) {
  return take(size, a);
}
void* operator new[](std::size_t size, std::align_val_t a) {
  return take(size, a);
}
void operator delete(void* p) noexcept {
  give_back(p);
}
void operator delete[](void* p) noexcept {
  give_back(p);
}
void operator delete(void* p, std::size_t) noexcept {
  give_back(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  give_back(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  give_back(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  give_back(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  give_back(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  give_back(p);
}

namespace hone::test {

std::size_t allocations() {
  return calls;
}
std::size_t live_bytes() {
  return live;
}
std::size_t peak_bytes() {
  return peak;
}
void forget_peak() {
  peak = live.load();
}

}  // namespace hone::test
