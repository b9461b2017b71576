// An epidemic in a village, inferred by a C++ program that links hone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>

#include <hone/hone.h>

namespace {

constexpr int kPopulation = 500, kFirstCases = 5, kDaysPerValue = 3;

// theta: reproduction number, mean infectious time in days. x: new cases in each 3 days.
void simulate(std::span<double> x, std::span<const double> theta, hone::Rng noise) {
  const auto how_many_of = [&](int number, double probability) {
    return std::binomial_distribution<int>(number, probability)(noise);
  };
  const double infectious_days = theta[1], contacts_per_day = theta[0] / infectious_days;
  int susceptible = kPopulation - kFirstCases, infectious = kFirstCases;
  for (double& cases : x) {
    cases = 0;
    for (int day = 0; day < kDaysPerValue; ++day) {
      const double pressure = contacts_per_day * infectious / kPopulation;
      const int infected = how_many_of(susceptible, 1 - std::exp(-pressure));
      const int recovered = how_many_of(infectious, 1 - std::exp(-1 / infectious_days));
      susceptible -= infected;
      infectious += infected - recovered;
      cases += infected;
    }
  }
}

std::vector<double> read_observation(const char* file) {
  std::ifstream stream(file);
  return {std::istream_iterator<double>(stream), {}};
}

hone::RunSpec problem() {
  const auto uniform = [](double low, double high) {
    return hone::make_distribution({"uniform", {{"low", low}, {"high", high}}, {}});
  };
  hone::RunSpec spec{.name = "epidemic",
                     .simulator = {},
                     .seed = 1,
                     .prior = hone::Prior({{"reproduction", "R_0", uniform(1, 5)},
                                           {"infectious_days", "T [d]", uniform(2, 12)}}),
                     .observation = read_observation("observation.txt"),
                     .marginals = {{0}, {1}, {0, 1}},
                     .options = hone::preset("default")};
  spec.options.budget = 3000;
  return spec;
}

}  // namespace

int main() try {
  hone::RunDirectory run = hone::RunDirectory::create("run", problem());
  const auto simulator = hone::make_simulator(std::ssize(run.spec().observation), simulate);
  const auto executor = hone::make_thread_executor(*simulator);
  const hone::Summary summary = hone::execute_run(run, {*executor});
  for (const hone::ParameterSummary& p : summary.parameters) {
    std::printf("%-15s %.2f +- %.2f\n", p.name.c_str(), p.mean, p.deviation);
  }
} catch (const hone::Error& error) {
  std::fprintf(stderr, "epidemic: %s\n", error.what());
  return 1;
}
