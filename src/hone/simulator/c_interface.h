/* The interface of a simulator in a shared library, in plain C.
 *
 *   #include "hone/simulator/c_interface.h"      (or copy this file; it needs nothing else)
 *   cc -O2 -shared -fPIC -o libsim.so sim.c
 *
 * The library defines the functions below; hone finds them by name. From Fortran use bind(c), from
 * C++ extern "C" (the declarations here already say so).
 */
#ifndef HONE_C_INTERFACE_H
#define HONE_C_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

/* 2 added the noise; libraries written for 1 still work. */
#define HONE_ABI_VERSION 2

#if defined(__GNUC__)
#define HONE_EXPORT __attribute__((visibility("default")))
#else
#define HONE_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Return HONE_ABI_VERSION, the version the library was written for. */
HONE_EXPORT int hone_abi_version(void);

/* The length of x for so many parameters, 0 if it cannot take so many. Always the same answer. */
HONE_EXPORT size_t hone_data_size(size_t n_parameters);

/* 1 if hone_simulate() may run in several threads at once, else 0. */
HONE_EXPORT int hone_thread_safe(void);

/* One simulation. Writes n_data values to x and returns 0; or returns anything else and may write
 * the reason, a string of at most error_size bytes with its final zero, to error. The result may
 * depend on theta and seed only: all randomness comes from the seed (64 random bits), and nothing
 * is remembered from call to call. Values that are NaN, infinite or not written are a failure. */
HONE_EXPORT int hone_simulate(const double* theta, size_t n_parameters, uint64_t seed, double* x,
                              size_t n_data, char* error, size_t error_size);

/* Optional second stage, cheap and random: the data of one simulation from what hone_simulate()
 * wrote, which is then the noiseless part. hone keeps the noiseless part and calls this anew in
 * every epoch of training. Arguments, answer and thread safety are those of hone_simulate(), but
 * an error or a NaN ends the run: what cannot have noise is for hone_simulate() to refuse. What it
 * needs to know of the parameters must be in the noiseless part.
 *
 * A library that has hone_noise() but not hone_simulate() can serve another simulator: [noise],
 * kind = "library" in the problem file. */
HONE_EXPORT int hone_noise(const double* noiseless, size_t n_noiseless, uint64_t seed, double* x,
                           size_t n_data, char* error, size_t error_size);

/* Optional, with hone_noise(): the length of the noiseless part. Without it: hone_data_size(). */
HONE_EXPORT size_t hone_noiseless_size(size_t n_parameters);

/* Optional. Called once before the first simulation, in one thread; not 0 means that it cannot
 * work at all, with the reason in error. */
HONE_EXPORT int hone_init(size_t n_parameters, char* error, size_t error_size);

/* Optional. Called once after the last simulation, if hone_init() was not there or returned 0. */
HONE_EXPORT void hone_finish(void);

#ifdef __cplusplus
}
#endif

#endif
