#include "hone/problem/starter_simulator.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"

namespace hone {
namespace {

constexpr const char* kPython =
    R"(# A simulator for hone: a straight line at ten places, with noise.
# hone starts it once per worker, sends a line of JSON for every simulation and reads one back.
import json
import random
import sys


def simulate(slope, offset, rng):
    return [offset + slope * i + 0.5 * rng.gauss(0, 1) for i in range(10)]


for line in sys.stdin:
    request = json.loads(line)
    rng = random.Random(request["seed"])  # the same seed must give the same data
    x = simulate(*request["theta"], rng)
    print(json.dumps({"id": request["id"], "x": x}), flush=True)
)";

constexpr const char* kCpp = R"(// A simulator for hone: a straight line at ten places, with noise.
// hone starts it for every simulation: simulate SLOPE OFFSET SEED, and reads what it prints.
#include <cstdio>
#include <cstdlib>
#include <random>

int main(int argc, char** argv) {
  if (argc != 4) return 1;
  const double slope = std::atof(argv[1]), offset = std::atof(argv[2]);
  std::mt19937_64 random(std::strtoull(argv[3], nullptr, 10));  // same seed, same data
  std::normal_distribution<double> noise(0, 0.5);
  for (int i = 0; i < 10; ++i) std::printf("%.17g\n", offset + slope * i + noise(random));
}
)";

constexpr const char* kFortran =
    R"(! A simulator for hone: a straight line at ten places, with noise.
! hone starts it for every simulation: simulate SLOPE OFFSET SEED, and reads what it prints.
program simulate
  implicit none
  integer, parameter :: dp = kind(1.0d0), long = selected_int_kind(18)
  real(dp) :: slope, offset, u(2)
  integer(long) :: seed
  integer, allocatable :: state(:)
  integer :: i, n
  character(len=64) :: word

  call get_command_argument(1, word); read (word, *) slope
  call get_command_argument(2, word); read (word, *) offset
  call get_command_argument(3, word); read (word, *) seed
  call random_seed(size=n)
  allocate (state(n))
  do i = 1, n   ! the same seed must give the same data
    state(i) = int(mod(seed / (i * 7919_long) + 104729_long * i + mod(seed, 1000003_long), 2147483647_long))
  end do
  call random_seed(put=state)
  do i = 0, 9
    call random_number(u)
    print '(es24.16)', offset + slope * i + 0.5_dp * sqrt(-2 * log(1 - u(1))) * cos(6.283185307179586_dp * u(2))
  end do
end program
)";

constexpr const char* kJulia =
    R"julia(# A simulator for hone: a straight line at ten places, with noise.
# hone starts it once per worker, sends a line of JSON for every simulation and reads one back. The
# requests are simple enough to be read without a package.
using Random

function simulate(slope, offset, rng)
    return [offset + slope * i + 0.5 * randn(rng) for i in 0:9]
end

for line in eachline(stdin)
    id = match(r"\"id\": *(\d+)", line).captures[1]
    seed = parse(UInt64, match(r"\"seed\": *(\d+)", line).captures[1])
    theta = parse.(Float64, split(match(r"\"theta\": *\[([^\]]*)\]", line).captures[1], ","))
    x = simulate(theta..., MersenneTwister(seed))  # the same seed must give the same data
    println("{\"id\": $id, \"x\": [", join(x, ", "), "]}")
    flush(stdout)
end
)julia";

constexpr const char* kR = R"(# A simulator for hone: a straight line at ten places, with noise.
# hone starts it for every simulation: Rscript simulate.R SLOPE OFFSET SEED, and reads what it
# prints.
words <- as.numeric(commandArgs(trailingOnly = TRUE))
set.seed(words[3] %% 2147483647)  # the same seed must give the same data
x <- words[2] + words[1] * (0:9) + 0.5 * rnorm(10)
cat(format(x, digits = 17), sep = "\n")
)";

constexpr const char* kShell = R"(#!/bin/sh
# A simulator for hone: a straight line at ten places, with noise.
# hone starts it for every simulation: sh simulate.sh SLOPE OFFSET SEED, and reads what it prints.
awk -v slope="$1" -v offset="$2" -v seed="$3" 'BEGIN {
  srand(seed % 2147483647)  # the same seed must give the same data
  for (i = 0; i < 10; ++i) {
    noise = sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand())
    printf "%.10g\n", offset + slope * i + 0.5 * noise
  }
}'
)";

constexpr const char* kProblem =
    R"(# A problem for hone: a straight line through ten points. It runs as it is:
#   hone run FILE --dry-run
#   hone run FILE
# Then change the simulator, the observation and the parameters to yours. `hone init` without
# --language writes a file with everything that can stand here.

[simulator]
SIMULATOR

[observation]
# The real data, as long as what a simulation makes.
values = [1.1, 2.2, 2.6, 4.3, 5.2, 5.9, 7.4, 7.6, 9.5, 9.8]

[[parameters]]
name = "slope"
prior = { kind = "uniform", low = -5, high = 5 }

[[parameters]]
name = "offset"
prior = { kind = "uniform", low = -10, high = 10 }

[inference]
budget = 2000            # simulations in all
)";

}  // namespace

const std::vector<StarterSimulator>& starter_simulators() {
  static const std::vector<StarterSimulator> all{
      {"python", "simulate.py", "", R"(command = ["python3", "simulate.py"])", kPython},
      {"c++", "simulate.cpp", "g++ -O2 -o simulate simulate.cpp",
       R"(run = ["./simulate", "{slope}", "{offset}", "{seed}"])", kCpp},
      {"fortran", "simulate.f90", "gfortran -O2 -o simulate simulate.f90",
       R"(run = ["./simulate", "{slope}", "{offset}", "{seed}"])", kFortran},
      {"julia", "simulate.jl", "", R"(command = ["julia", "simulate.jl"])", kJulia},
      {"r", "simulate.R", "",
       R"(run = ["Rscript", "{directory}/simulate.R", "{slope}", "{offset}", "{seed}"])", kR},
      {"shell", "simulate.sh", "",
       R"(run = ["sh", "{directory}/simulate.sh", "{slope}", "{offset}", "{seed}"])", kShell},
  };
  return all;
}

const StarterSimulator& find_starter_simulator(const std::string& language) {
  const auto& all = starter_simulators();
  const auto found = std::ranges::find(all, language, &StarterSimulator::language);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const StarterSimulator& one : all) names.push_back(one.language);
  fail_value("language", fmt::format("'{}'", language),
             "there is no starting simulator in it; " + suggestion(language, names));
}

std::string starter_problem_file(const StarterSimulator& simulator) {
  std::string text = kProblem;
  const std::string place = "SIMULATOR";
  return text.replace(text.find(place), place.size(), simulator.simulator);
}

}  // namespace hone
