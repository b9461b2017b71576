#include "hone/tasks/populations.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

#include "hone/core/error.h"

namespace hone {
namespace {

namespace odeint = boost::numeric::odeint;

using State = std::array<double, 2>;  // log prey, log predator

// A trial step that overshoots must not overflow before it is rejected; a solution that comes here
// is refused.
constexpr double kLargestLogarithm = 50;

double population(double logarithm) {
  return std::exp(std::min(logarithm, kLargestLogarithm));
}

struct Equation {
  Populations populations;

  void operator()(const State& log, State& rate, double /*time*/) const {
    rate[0] = populations.growth - populations.predation * population(log[1]);
    rate[1] = populations.conversion * population(log[0]) - populations.death;
  }
};

// A stepper and where it is.
class Solver {
 public:
  Solver(const Populations& populations, State start, double tolerance)
      : equation_{populations},
        stepper_(odeint::make_controlled(tolerance, 0.0, odeint::runge_kutta_fehlberg78<State>())),
        state_(start) {}

  const State& advance(double end) {
    while (time_ < end) {
      const bool last = time_ + 1.01 * step_ >= end;  // rather a little longer than a tiny one more
      double step = last ? end - time_ : step_;
      const double wanted = step;
      const bool accepted = stepper_.try_step(equation_, state_, time_, step) == odeint::success;
      if (accepted && last) time_ = end;  // not a rounding error short of it
      // A step cut short says nothing about the length of the next one.
      if (!accepted || !last || step > step_) step_ = step;
      check(wanted);
    }
    return state_;
  }

 private:
  void check(double step) {
    constexpr int kMostTries = 100000;
    constexpr double kShortest = 1e-12;
    const double largest = std::max(state_[0], state_[1]);
    if (++tries_ <= kMostTries && step > kShortest && largest < kLargestLogarithm) return;
    const Populations& p = equation_.populations;
    fail(ErrorKind::numerical,
         "the differential equation is not solved beyond t = {} (growth {}, predation {}, "
         "conversion {}, death {}): steps too short or too many, or a population of e^50",
         time_, p.growth, p.predation, p.conversion, p.death);
  }

  Equation equation_;
  decltype(odeint::make_controlled(0.0, 0.0, odeint::runge_kutta_fehlberg78<State>())) stepper_;
  State state_;
  double time_ = 0;
  double step_ = 0.1;
  int tries_ = 0;
};

}  // namespace

std::vector<LogPopulations> solve(const Populations& populations, LogPopulations start,
                                  std::span<const double> times, double tolerance) {
  Solver solver(populations, {start.prey, start.predator}, tolerance);
  std::vector<LogPopulations> result;
  result.reserve(times.size());
  for (const double time : times) {
    const State& state = solver.advance(time);
    result.push_back({state[0], state[1]});
  }
  return result;
}

std::vector<double> equal_times(int count, double interval) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(interval * i);
  return times;
}

}  // namespace hone
