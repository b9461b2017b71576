"""Spectra of the cosmic microwave background by CLASS, for hone: JSON lines in, JSON lines out.

    python3 spectra.py                 a worker: theta in, 7,497 values of C_ell without noise out
    python3 spectra.py --fiducial      the spectra of the fiducial model with instrument noise, one
                                       number per line: an observation to begin with
"""

import json
import math
import sys

ELL_MAX = 2500
T_CMB = 2.7255e6  # micro-K
FIDUCIAL = [0.0224, 0.12, 1.0411, 3.0753, 0.965, 0.054]

# Beam (arcmin), white noise in temperature and in polarisation (micro-K arcmin) of each channel.
CHANNELS = [(10.0, 68.0, 109.0), (7.1, 42.6, 80.94)]
ARCMIN = math.pi / (180 * 60)


def import_class():
    try:
        from classy import Class
    except ImportError as error:
        sys.exit(
            "spectra.py: the Python module classy of the Boltzmann code CLASS is not installed "
            f"({error}). Install it from https://lesgourg.github.io/class_public/class.html or with "
            "`pip install classy`; for the same problem without it: hone run cmb"
        )
    return Class


def spectra(Class, theta):
    """TT, TE, EE for ell = 2 .. 2500 in micro-K^2, lensed, without l (l + 1) / 2 pi."""
    omega_b, omega_cdm, theta_s_100, log_a, n_s, tau = theta
    model = Class()
    model.set(
        {
            "omega_b": omega_b,
            "omega_cdm": omega_cdm,
            "100*theta_s": theta_s_100,
            "ln10^{10}A_s": log_a,
            "n_s": n_s,
            "tau_reio": tau,
            "output": "tCl,pCl,lCl",
            "lensing": "yes",
            "l_max_scalars": ELL_MAX + 500,
        }
    )
    try:
        model.compute()
        cl = model.lensed_cl(ELL_MAX)
    finally:
        model.struct_cleanup()
    return [T_CMB**2 * float(value) for name in ("tt", "te", "ee") for value in cl[name][2:]]


def instrument_noise(polarised):
    def power(ell):
        inverse = 0.0
        for beam, temperature, polarisation in CHANNELS:
            width = (polarisation if polarised else temperature) * ARCMIN
            smear = ell * (ell + 1) * (beam * ARCMIN) ** 2 / (8 * math.log(2))
            inverse += math.exp(-smear) / width**2
        return 1 / inverse

    return [power(ell) for ell in range(2, ELL_MAX + 1)]


def print_fiducial(Class):
    zeros = [0.0] * (ELL_MAX - 1)
    noise = instrument_noise(False) + zeros + instrument_noise(True)
    for c, n in zip(spectra(Class, FIDUCIAL), noise):
        print(repr(c + n))


def work(Class):
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"x": spectra(Class, request["theta"])}
        except Exception as error:  # CLASS refuses some models: this one failed, the next may not
            answer = {"error": str(error)[:500]}
        print(json.dumps({"id": request["id"], **answer}), flush=True)


if __name__ == "__main__":
    module = import_class()
    print_fiducial(module) if "--fiducial" in sys.argv[1:] else work(module)
