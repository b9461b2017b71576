#include "hone/problem/problem_file.h"

namespace hone {

std::string starter_problem_file() {
  return R"(# A problem for hone. Change what follows, check it with `hone run problem.toml --dry-run`,
# then start it with `hone run problem.toml`. File names are relative to this file.

# name = "galaxy"        # of the run directory; without it the name of this file

[simulator]
# One of these six says where simulations come from.
#
# A program that is started once per worker. It reads lines {"id": 7, "theta": [..], "seed": 123}
# and answers {"id": 7, "x": [..]} or {"id": 7, "error": "why"}:
command = ["python3", "simulate.py"]
#
# A program that is started for every simulation and writes a file (.npy, .csv or .txt), or prints
# its result. {theta} stands for all parameters, {mass} for the one of this name, {parameters} for a
# file with them, {result} for the file to write:
# run = ["./simulate", "--mass={mass}", "--age={age}", "--seed={seed}", "--output={result}"]
# result = "out.npy"
#
# A shared library with hone's C interface:
# library = "libsim.so"
#
# Simulations that exist already (.h5, .npz, .csv), their parameters drawn from the priors below:
# dataset = "simulations.h5"
# theta = "theta"        # names of the two arrays in it
# x = "x"
# Beside one of the others they are the first round, and that one makes the rest.
#
# A built-in problem (`hone tasks`); it brings its own parameters and observation:
# task = "torus"
#
# A simulator that runs elsewhere, by `hone ask` and `hone tell`:
# by_hand = true

# For command and run:
# workers = 4            # programs at once; 0: one per thread
# timeout = 600          # seconds per simulation
# retries = 1            # attempts after a failed one, with the same seed
# directory = "."        # where they are started

max_failed_fraction = 0.5  # give up if more simulations fail

# If the simulator leaves the noise out and it is declared here, training draws it afresh in every
# epoch, and fewer simulations will do:
# [noise]
# kind = "gaussian"      # or "poisson"
# sigma = 0.1            # or a list, or a file; or covariance = "covariance.npy"

[observation]
# The real data, as long as the x of a simulation.
values = [1.0, 2.0, 3.0]
# file = "observation.txt"  # or .csv or .npy

# A section for each parameter. Kinds of prior: uniform, loguniform, triangular, beta, tabulated, normal,
# truncated_normal, lognormal, half_normal, gamma, exponential, student_t. Their options are in
# docs/reference/distributions.md.
[[parameters]]
name = "mass"            # in files and tables
label = "M [kg]"         # in figures
prior = { kind = "uniform", low = 0, high = 10 }

[[parameters]]
name = "age"
prior = { kind = "normal", mean = 5, sigma = 1.5 }
# correlations = { mass = 0.5 }  # with other parameters; without it they are independent

[inference]
# Every option of `hone options`; these are the ones to begin with.
budget = 10000           # simulations in all
# preset = "default"     # or "spectra" for thousands of numbers, "paper", "paper_spectra"
# method = "tmnre"       # or "mnre": one round in the whole prior
# marginals = ["1d", "2d"]  # or "joint", or parameters: [["mass", "age"]]
# seed = 1               # same seed, same result
)";
}

}  // namespace hone
