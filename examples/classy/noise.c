/* Instrument noise and cosmic variance on top of CMB spectra: the second stage that hone draws anew
 * in every epoch.
 *
 *     cc -O2 -shared -fPIC -o libnoise.so noise.c -lm
 *
 * At every multipole the matrix (TT TE; TE EE), instrument noise included, is a Wishart draw with
 * round(0.6 (2 ell + 1)) degrees of freedom, over their number. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { FIRST = 2, MULTIPOLES = 2499, VALUES = 3 * MULTIPOLES };
static const double PI = 3.14159265358979323846, SKY_FRACTION = 0.6;

int hone_abi_version(void) { return 2; }
size_t hone_data_size(size_t n_parameters) { return n_parameters == 6 ? VALUES : 0; }
int hone_thread_safe(void) { return 1; }

/* splitmix64; uniform in (0, 1); two normals by Box and Muller, of which one is used */
static uint64_t next(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static double uniform(uint64_t* state) { return ((double)(next(state) >> 12) + 0.5) * 0x1p-52; }
static double normal(uint64_t* state) {
  const double radius = sqrt(-2 * log(uniform(state)));
  return radius * cos(2 * PI * uniform(state));
}

/* chi with so many degrees of freedom, at least 2 (Marsaglia and Tsang 2000) */
static double chi(double degrees, uint64_t* state) {
  const double d = degrees / 2 - 1.0 / 3, c = 1 / sqrt(9 * d);
  for (;;) {
    const double z = normal(state), root = 1 + c * z, v = root * root * root;
    if (root > 0 && log(uniform(state)) < z * z / 2 + d * (1 - v + log(v))) return sqrt(2 * d * v);
  }
}

static double instrument(double ell, double noise_1, double noise_2) {
  const double arcmin = PI / (180 * 60), smear = ell * (ell + 1) * arcmin * arcmin / (8 * log(2));
  const double w1 = noise_1 * arcmin, w2 = noise_2 * arcmin;
  return 1 / (exp(-smear * 100) / (w1 * w1) + exp(-smear * 7.1 * 7.1) / (w2 * w2));
}

int hone_noise(const double* c, size_t n_noiseless, uint64_t seed, double* x, size_t n_data,
               char* error, size_t error_size) {
  uint64_t state = seed;
  (void)n_noiseless, (void)n_data, (void)error, (void)error_size;
  for (size_t j = 0; j < MULTIPOLES; ++j) {
    const double ell = (double)(j + FIRST), n = round(SKY_FRACTION * (2 * ell + 1));
    const double tt = c[j] + instrument(ell, 68.0, 42.6), te = c[j + MULTIPOLES];
    const double ee = c[j + 2 * MULTIPOLES] + instrument(ell, 109.0, 80.94);
    const double l00 = sqrt(tt), l10 = te / l00, l11 = sqrt(ee - l10 * l10);
    const double a00 = chi(n, &state), a10 = normal(&state), a11 = chi(n - 1, &state);
    const double b00 = l00 * a00, b10 = l10 * a00 + l11 * a10, b11 = l11 * a11;
    x[j] = b00 * b00 / n;
    x[j + MULTIPOLES] = b00 * b10 / n;
    x[j + 2 * MULTIPOLES] = (b10 * b10 + b11 * b11) / n;
  }
  return 0;
}
