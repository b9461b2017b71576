// The paper's rotated eggbox: g(Q^T theta) with the eggbox's g_k(w) = sin(pi w_k) and noise 0.1,
// where Q turns the diagonal of the cube into the last axis. The prior is uniform on the smallest
// box around the turned cube, 795 times its volume, so that w leaves the cube and meets more
// periods of g.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "hone/core/error.h"
#include "hone/prior/region.h"
#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr int kDimensions = 10;
constexpr double kSigma = 0.1;
constexpr const char* kName = "rotated_eggbox";

// Q turns a = (1, .., 1) / sqrt(10) into b = e_9 in the plane of both and leaves the rest alone:
//   Q = 1 - (a + b) (a + b)^T / (1 + a.b) + 2 b a^T
// Its transpose is the same with a and b exchanged.
const double kDiagonal = 1 / std::sqrt(kDimensions);  // an element of a, and a.b

double sum(std::span<const double> v) {
  return std::accumulate(v.begin(), v.end(), 0.0);
}

void turn(std::span<double> theta, std::span<const double> w) {  // theta = Q w
  const double along_a = kDiagonal * sum(w);
  const double shift = (along_a + w.back()) / (1 + kDiagonal);
  for (std::size_t k = 0; k < w.size(); ++k) theta[k] = w[k] - kDiagonal * shift;
  theta.back() += -shift + 2 * along_a;
}

void turn_back(std::span<double> w, std::span<const double> theta) {  // w = Q^T theta
  const double along_b = theta.back();
  const double shift = (kDiagonal * sum(theta) + along_b) / (1 + kDiagonal);
  for (std::size_t k = 0; k < w.size(); ++k) {
    w[k] = theta[k] - kDiagonal * shift + 2 * kDiagonal * along_b;
  }
  w.back() -= shift;
}

// The box: the sums of the negative and of the positive elements in each row of Q.
const double kSide = 1 - kDiagonal * kDiagonal / (1 + kDiagonal);  // Q_kk, 0.924
const double kHeight = kDimensions * kDiagonal;                    // 3.162

Prior make_prior() {
  const auto uniform = [](double low, double high) {
    return make_distribution({"uniform", {{"low", low}, {"high", high}}, {}});
  };
  std::vector<Parameter> parameters;
  for (int d = 0; d < kDimensions; ++d) {
    const bool last = d == kDimensions - 1;
    parameters.push_back({fmt::format("theta_{}", d), fmt::format("$\\theta_{{{}}}$", d),
                          last ? uniform(0, kHeight) : uniform(-kSide, kSide)});
  }
  return Prior(std::move(parameters));
}

bool inside(std::span<const double> theta) {
  return std::all_of(theta.begin(), theta.end() - 1,
                     [](double value) { return std::abs(value) <= kSide; }) &&
         theta.back() >= 0 && theta.back() <= kHeight;
}

// The range of w_k over the box: sum_j Q_jk theta_j is smallest and largest at corners.
Bounds range_of(int k) {
  Bounds range{0, 0};
  std::vector<double> w(kDimensions);
  for (int j = 0; j < kDimensions; ++j) {
    std::vector<double> unit(kDimensions, 0.0);
    unit[static_cast<std::size_t>(j)] = 1;
    turn_back(w, unit);
    const bool last = j == kDimensions - 1;
    const double ends[] = {w[static_cast<std::size_t>(k)] * (last ? 0 : -kSide),
                           w[static_cast<std::size_t>(k)] * (last ? kHeight : kSide)};
    range.low += std::min(ends[0], ends[1]);
    range.high += std::max(ends[0], ends[1]);
  }
  return range;
}

// Draws w in a range with density proportional to N(x; sin(pi w), sigma), by rejection from a
// staircase above it: the sine is monotonic in every step, so the likelihood's largest value there
// is known.
class Sine {
 public:
  Sine(double x, Bounds range) : x_(x) {
    // Steps end where the sine turns, at half integers.
    double from = range.low;
    for (double turn = std::floor(range.low + 0.5) + 0.5; from < range.high; turn += 1) {
      const double to = std::min(turn, range.high);
      for (int i = 0; i < kSteps; ++i) {
        add_step(from + (to - from) * i / kSteps, from + (to - from) * (i + 1) / kSteps);
      }
      from = to;
    }
  }

  double draw(Rng& rng) const {
    while (true) {
      const double place = rng.uniform() * cumulative_.back();
      const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, place);
      const Step& step = steps_[static_cast<std::size_t>(found - cumulative_.begin())];
      const double w = step.from + (step.to - step.from) * rng.uniform();
      if (rng.uniform() * step.height < likelihood(std::sin(std::numbers::pi * w))) return w;
    }
  }

 private:
  static constexpr int kSteps = 64;  // between two turns
  struct Step {
    double from, to, height;
  };

  // Relative to the best of any sine.
  double likelihood(double sine) const {
    return std::exp(log_normal_density(x_, sine, kSigma) -
                    log_normal_density(x_, std::clamp(x_, -1.0, 1.0), kSigma));
  }

  void add_step(double from, double to) {
    const auto [low, high] =
        std::minmax({std::sin(std::numbers::pi * from), std::sin(std::numbers::pi * to)});
    const double rounding = 1e-12;
    const double height = likelihood(std::clamp(x_, low - rounding, high + rounding));
    steps_.push_back({from, to, height});
    cumulative_.push_back((cumulative_.empty() ? 0 : cumulative_.back()) + height * (to - from));
  }

  double x_;
  std::vector<Step> steps_;
  std::vector<double> cumulative_;
};

// Draws all elements of w but the last; false as soon as they cannot be those of any theta in the
// box. All but the last of theta differ from w by the same shift, so w spreads no farther.
bool draw_first(std::span<double> w, const std::vector<Sine>& axes, Rng& rng) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t k = 0; k < w.size(); ++k) {
    w[k] = axes[k].draw(rng);
    low = std::min(low, w[k]);
    high = std::max(high, w[k]);
    if (high - low > 2 * kSide) return false;
  }
  return true;
}

void draw_posterior(std::span<double> theta, const std::vector<Sine>& axes, Rng& rng) {
  // About 1,500 tries at the default observation, most of which end after two or three numbers.
  constexpr int kTries = 100000000;
  std::vector<double> w(kDimensions);
  for (int i = 0; i < kTries; ++i) {
    if (!draw_first(std::span(w).first(kDimensions - 1), axes, rng)) continue;
    w.back() = axes.back().draw(rng);
    turn(theta, w);
    if (inside(theta)) return;
  }
  fail(ErrorKind::numerical, "{}: no posterior sample in {} tries", kName, kTries);
}

// Elements of w are independent but for the box: drawn one by one, and all again unless they end
// up in it.
Matrix<double> reference_samples(std::span<const double> x, Index rows, const Rng& rng) {
  require_observation(x, kDimensions, kName);
  std::vector<Sine> axes;
  for (int k = 0; k < kDimensions; ++k) {
    axes.emplace_back(x[static_cast<std::size_t>(k)], range_of(k));
  }
  return draw_rows(rows, kDimensions, rng, [&axes](std::span<double> theta, Rng& draw) {
    draw_posterior(theta, axes, draw);
  });
}

}  // namespace

Task rotated_eggbox_task() {
  const GaussianNoise model{kName,
                            [](std::span<double> x, std::span<const double> theta) {
                              turn_back(x, theta);
                              for (double& value : x) value = std::sin(std::numbers::pi * value);
                            },
                            std::vector<double>(kDimensions, kSigma)};
  const std::vector<double> corner(kDimensions, 0.25);
  std::vector<double> truth(kDimensions);
  turn(truth, corner);
  return {
      .name = kName,
      .description = "The eggbox turned until no axis follows it, in a much larger prior.",
      .prior = make_prior(),
      .truth = truth,
      .observation = model.noiseless(truth),
      .budget = 10000,
      .simulator = [model] { return model.simulator(); },
      .reference = model.with_likelihood({{}, reference_samples, {}}),
  };
}

}  // namespace hone
