// The benchmark task of sbibm: slcp with its 8 numbers hidden among 92 that say nothing.

#include <array>

#include "hone/tasks/builtin.h"
#include "hone/tasks/distractors.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/slcp.h"

namespace hone {
namespace {

constexpr const char* kName = "slcp_distractors";

struct Found {
  std::array<double, slcp::kData> data{};
  std::array<double, Distractors::kSize> noise{};
};

Found find(std::span<const double> x) {
  require_observation(x, Distractors::kShown, kName);
  Found found;
  Distractors::instance().find(found.data, found.noise, x);
  return found;
}

double log_likelihood(std::span<const double> x, std::span<const double> theta) {
  const Found found = find(x);
  return slcp::log_likelihood(found.data, theta) + Distractors::instance().log_density(found.noise);
}

void simulate(std::span<double> x, std::span<const double> theta, Rng& rng) {
  Found made;
  slcp::simulate(made.data, theta, rng);
  Distractors::instance().draw(made.noise, rng);
  Distractors::instance().hide(x, made.data, made.noise);
}

Matrix<double> reference_samples(std::span<const double> x, Index rows, const Rng& rng) {
  return slcp::reference_samples(find(x).data, rows, rng);
}

}  // namespace

Task slcp_distractors_task() {
  return {
      .name = kName,
      .description = "slcp, its 8 data hidden among 92 numbers that say nothing.",
      .prior = slcp::prior(),
      // Observation 1 of the benchmark.
      .truth = {-2.8581212, -0.44451332, 2.9473476, 1.2396116, 2.9712725},
      .observation = {-60.45943,  122.823166, -67.01942,  -12.581524, -22.893969,  32.517273,
                      67.27135,   -115.6545,  385.10355,  35.331844,  -78.32788,   -20.674372,
                      -81.68816,  74.251755,  -90.91423,  -61.497875, -1.2343777,  29.395075,
                      -42.870472, 19.187525,  3.1666663,  -1.9067793, 2.3718784,   9.931435,
                      -27.483328, -44.683464, -75.65134,  -88.41149,  78.22429,    -19.491358,
                      -87.48924,  186.3353,   -2.0567365, 0.49947417, 9.588209,    -62.24843,
                      -37.90078,  -111.08592, 23.009779,  -162.13936, 19.562742,   80.61907,
                      -10.436423, 17.018816,  -112.77521, 80.616554,  -27.125841,  2.8041465,
                      -79.734665, 115.96121,  2.7012832,  -67.9851,   -47.83357,   54.03682,
                      14.431202,  -112.27578, -12.678788, 69.45191,   -62.345306,  -18.428486,
                      83.55713,   167.05466,  36.280495,  -10.09448,  -112.102516, -6.868362,
                      12.451546,  1.7136912,  -48.29132,  -30.129011, 177.97679,   118.24041,
                      -33.984577, -21.839827, 95.868256,  -22.492027, -151.0377,   24.236076,
                      46.813725,  181.59402,  -110.25067, 36.143417,  -113.94097,  48.485554,
                      -53.97667,  -2.9170897, 58.22745,   153.59654,  -121.075356, 128.1089,
                      -0.09735,   61.27503,   62.488945,  -8.37021,   -10.590089,  49.07796,
                      -35.693996, 146.29234,  -45.086143, 5.237772},
      .budget = 10000,
      .simulator =
          [] {
            return make_simulator(Distractors::kShown,
                                  [](std::span<double> x, std::span<const double> theta,
                                     Rng noise) { simulate(x, theta, noise); });
          },
      .reference = {log_likelihood, reference_samples, {}},
  };
}

}  // namespace hone
