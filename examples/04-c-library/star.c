/* A star on a small camera image, as a shared library for hone. */
#include <hone/simulator/c_interface.h>
#include <math.h>

enum { kSide = 5 };                                  /* pixels */
static const double kWidth = 1.0, kPixelNoise = 5.0; /* pixels, electrons */

/* SplitMix64: one state, no globals, so hone may call us from several threads. */
static double uniform(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t* state) {
  const double radius = sqrt(-2 * log(uniform(state)));
  return radius * cos(6.283185307179586 * uniform(state));
}

/* The part of a Gaussian image that falls on pixel i. */
static double on_pixel(int i, double centre) {
  const double scale = kWidth * sqrt(2.0);
  return 0.5 * (erf((i + 0.5 - centre) / scale) - erf((i - 0.5 - centre) / scale));
}

int hone_abi_version(void) {
  return HONE_ABI_VERSION;
}
int hone_thread_safe(void) {
  return 1;
}
size_t hone_data_size(size_t n_parameters) {
  return n_parameters == 3 ? kSide * kSide : 0;
}

/* theta: flux in electrons, column and row of the star. x: the image, row by row. */
int hone_simulate(const double* theta, size_t n_parameters, uint64_t seed, double* x, size_t n_data,
                  char* error, size_t error_size) {
  (void)n_parameters, (void)n_data, (void)error, (void)error_size;
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      const double light = theta[0] * on_pixel(column, theta[1]) * on_pixel(row, theta[2]);
      x[row * kSide + column] = light + kPixelNoise * normal(&seed);
    }
  }
  return 0;
}
