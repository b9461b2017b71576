/* Shared libraries for tests; which one it is depends on LIBRARY_... */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hone/simulator/c_interface.h"

int hone_abi_version(void) {
#ifdef LIBRARY_WRONG_VERSION
  return 99;
#elif defined(LIBRARY_OLD)
  return 1;
#else
  return HONE_ABI_VERSION;
#endif
}

size_t hone_data_size(size_t n_parameters) {
#ifdef LIBRARY_WRONG_SIZE
  return n_parameters + 1;
#else
  return n_parameters == 2 ? 3 : 0;
#endif
}

int hone_thread_safe(void) {
#ifdef LIBRARY_NOT_THREAD_SAFE
  return 0;
#else
  return 1;
#endif
}

static int begun = 0;

int hone_init(size_t n_parameters, char* error, size_t error_size) {
  const char* refuse = getenv("HONE_TEST_LIBRARY_REFUSES");
  (void)n_parameters;
  begun = 1;
  if (refuse != NULL) {
    snprintf(error, error_size, "%s", refuse);
    return 1;
  }
  return 0;
}

#if !defined(LIBRARY_INCOMPLETE) && !defined(LIBRARY_NOISE_ONLY)
int hone_simulate(const double* theta, size_t n_parameters, uint64_t seed, double* x, size_t n_data,
                  char* error, size_t error_size) {
#ifdef LIBRARY_NOISY
  x[3] = x[4] = 100;
  if (n_data != 5) return 8;
  n_data = 3;
#endif
  if (!begun || n_parameters != 2 || n_data != 3) return 7;
  if (theta[0] == 1) {
    snprintf(error, error_size, "theta[0] = %g is forbidden", theta[0]);
    return 1;
  }
  if (theta[0] == 2) return 5;
  x[0] = theta[0] + theta[1];
  x[1] = (double)(seed % 1000);
  if (theta[0] != 3) x[2] = theta[1]; /* else not written */
  return 0;
}
#endif

/* Five noiseless values make three data. A library of version 1 knows nothing of it. */
#if defined(LIBRARY_NOISY) || defined(LIBRARY_NOISE_ONLY) || defined(LIBRARY_OLD)
size_t hone_noiseless_size(size_t n_parameters) {
  return n_parameters + 3;
}

int hone_noise(const double* noiseless, size_t n_noiseless, uint64_t seed, double* x, size_t n_data,
               char* error, size_t error_size) {
  if (!begun || n_noiseless != 5 || n_data != 3) return 7;
  if (noiseless[0] == 99) {
    snprintf(error, error_size, "99 is too noisy");
    return 1;
  }
  x[0] = noiseless[0] + noiseless[4];
  x[1] = (double)(seed % 1000);
  x[2] = noiseless[2];
  return 0;
}
#endif
