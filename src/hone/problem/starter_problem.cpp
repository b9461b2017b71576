#include <string_view>

#include "hone/prior/distribution_spec.h"
#include "hone/problem/problem_file.h"

namespace hone {
namespace {

constexpr std::string_view kHere = "@KINDS@";
constexpr const char* kText =
    R"(# A problem for hone. Change what follows, check it with `hone run problem.toml --dry-run`,
# then start it with `hone run problem.toml`. File names are relative to this file.

# name = "galaxy"        # of the run directory; without it the name of this file

[simulator]
# Exactly one of these six says where simulations come from.
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
# Together with one of the others they are the first round, and the other one makes the rest.
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

# If the simulator leaves the noise out and you declare it here, training draws new noise in every
# epoch, and fewer simulations are enough:
# [noise]
# kind = "gaussian"      # or "poisson"
# sigma = 0.1            # or a list, or a file; or covariance = "covariance.npy"

[observation]
# The real data: as many numbers as a simulation returns.
values = [1.0, 2.0, 3.0]
# file = "observation.txt"  # or .csv or .npy

# What the numbers are, if they are more than a list: a series, an image or a set. hone then chooses
# networks that are made for such data. One section for each block, in their order:
# [[data]]
# name = "spectrum"
# kind = "series"        # or "image" (shape = [rows, columns]), "set", "vector"
# shape = [100]

# A section for each parameter. Kinds of prior: @KINDS@
# docs/reference/distributions.md has their options.
[[parameters]]
name = "mass"            # in files and tables
label = "M [kg]"         # in figures
prior = { kind = "uniform", low = 0, high = 10 }

[[parameters]]
name = "age"
prior = { kind = "normal", mean = 5, sigma = 1.5 }
# correlations = { mass = 0.5 }  # with other parameters; without it they are independent

# A section for each function of the parameters whose posterior is wanted too:
# [[derived]]
# name = "density"
# value = "mass / age"

[inference]
# All options are listed by `hone options`; these are the ones to begin with.
budget = 10000           # simulations in all
# preset = "default"     # or "spectra" (for thousands of numbers), "paper", "paper_spectra",
#                        # "published" (the settings with which a method was published)
# method = "tmnre"       # or "mnre": one round in the whole prior
# marginals = ["1d", "2d"]  # or "joint", or parameters: [["mass", "age"]]
# seed = 1               # the same seed gives the same result
)";

// The names of all kinds, in lines of comment. The first line begins after `column` characters.
std::string list_of_kinds(std::size_t column) {
  constexpr std::size_t kWidth = 100;
  std::string text;
  for (const DistributionKind& kind : distribution_kinds()) {
    const std::size_t length = kind.name.size() + 2;  // with ", "
    if (column + length > kWidth) {
      text += "\n#";
      column = 1;
    }
    if (!text.empty()) text += ' ';
    text.append(kind.name) += ',';
    column += length;
  }
  text.back() = '.';
  return text;
}

}  // namespace

std::string starter_problem_file() {
  std::string text = kText;
  const std::size_t at = text.find(kHere), line = text.rfind('\n', at) + 1;
  return text.replace(at, kHere.size(), list_of_kinds(at - line));
}

}  // namespace hone
