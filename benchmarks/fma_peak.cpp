#include "benchmarks/fma_peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include <immintrin.h>

#include "hone/core/parallel.h"

namespace hone::bench {
namespace {

using Clock = std::chrono::steady_clock;

// One block runs kSteps times over all accumulators: some microseconds, so that reading the clock
// between blocks costs nothing.
constexpr int kSteps = 2000;

// The accumulators converge to kOffset / (1 - kFactor) = 1: never denormal, never infinite.
constexpr float kFactor = 0.5F;
constexpr float kOffset = 0.5F;

// A place the compiler believes to be read.
inline void keep(float value) {
  asm volatile("" : : "x"(value));
}

// 2 FMA ports x 4 cycles of latency need 8 chains; 16 leave room for a port that falls behind, and
// 16 accumulators + 2 constants fit the 32 registers.
__attribute__((target("avx512f"), noinline)) double block_avx512() {
  constexpr int kChains = 16;
  const __m512 factor = _mm512_set1_ps(kFactor);
  const __m512 offset = _mm512_set1_ps(kOffset);
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = offset;
  for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 16
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, offset);
  }
  __m512 total = sums[0];
#pragma GCC unroll 16
  for (int i = 1; i < kChains; ++i) total = _mm512_add_ps(total, sums[i]);
  keep(_mm512_cvtss_f32(total));
  return 2.0 * 16 * kChains * kSteps;
}

// 2 FMA ports x 5 cycles of latency need 10 chains; 12 accumulators + 2 constants fit the 16
// registers.
__attribute__((target("avx2,fma"), noinline)) double block_avx2() {
  constexpr int kChains = 12;
  const __m256 factor = _mm256_set1_ps(kFactor);
  const __m256 offset = _mm256_set1_ps(kOffset);
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = offset;
  for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 16
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, offset);
  }
  __m256 total = sums[0];
#pragma GCC unroll 16
  for (int i = 1; i < kChains; ++i) total = _mm256_add_ps(total, sums[i]);
  keep(_mm256_cvtss_f32(total));
  return 2.0 * 8 * kChains * kSteps;
}

// A multiplication and an addition of 4 cycles each, two ports: 8 chains at least.
__attribute__((noinline)) double block_sse2() {
  constexpr int kChains = 12;
  const __m128 factor = _mm_set1_ps(kFactor);
  const __m128 offset = _mm_set1_ps(kOffset);
  __m128 sums[kChains];
  for (__m128& sum : sums) sum = offset;
  for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 16
    for (__m128& sum : sums) sum = _mm_add_ps(_mm_mul_ps(sum, factor), offset);
  }
  __m128 total = sums[0];
#pragma GCC unroll 16
  for (int i = 1; i < kChains; ++i) total = _mm_add_ps(total, sums[i]);
  keep(_mm_cvtss_f32(total));
  return 2.0 * 4 * kChains * kSteps;
}

using Block = double (*)();  // runs one block, returns its floating-point operations

Block best_block() {
  if (__builtin_cpu_supports("avx512f")) return block_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return block_avx2;
  return block_sse2;
}

// Waits until every thread has taken its part, so that none works alone; gives up after a while in
// case another loop holds a thread.
void meet(std::atomic<int>& arrived, int threads) {
  const auto patience = Clock::now() + std::chrono::milliseconds(50);
  ++arrived;
  while (arrived.load() < threads && Clock::now() < patience) _mm_pause();
}

struct Part {
  Clock::time_point start;
  Clock::time_point end;
  double operations = 0;
};

Part work(Block block, Clock::duration length) {
  Part part;
  block();  // wakes the wide units
  part.start = Clock::now();
  do {
    part.operations += block();
    part.end = Clock::now();
  } while (part.end - part.start < length);
  return part;
}

}  // namespace

std::string fma_instruction_set() {
  const Block block = best_block();
  return block == block_avx512 ? "avx512" : block == block_avx2 ? "avx2" : "sse2";
}

double measure_fma_peak(double seconds) {
  const int threads = thread_count();
  const auto length =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::vector<Part> parts(static_cast<std::size_t>(threads));
  std::atomic<int> arrived = 0;
  parallel_for(threads, [&, block = best_block()](Index i) {
    meet(arrived, threads);
    parts[static_cast<std::size_t>(i)] = work(block, length);
  });
  Part all = parts.front();
  all.operations = 0;
  for (const Part& part : parts) {
    all.start = std::min(all.start, part.start);
    all.end = std::max(all.end, part.end);
    all.operations += part.operations;
  }
  return all.operations / std::chrono::duration<double>(all.end - all.start).count() * 1e-9;
}

}  // namespace hone::bench
