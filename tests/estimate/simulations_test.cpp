#include "hone/estimate/simulations.h"

#include <atomic>

#include <gtest/gtest.h>

#include "hone/store/split.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::Laboratory;

// Fails for theta_0 above 0.8.
void simulator(std::span<double> x, std::span<const double> theta, Rng noise) {
  if (theta[0] > 0.8) throw std::runtime_error("too hot");
  x[0] = theta[0] + 0.1 * noise.normal();
  x[1] = theta[1];
}

const Region kSmall = Region::box({{unit_point(0.2), unit_point(0.6)}, {}});

std::vector<double> everything(const SimulationStore& store) {
  std::vector<double> values;
  for (std::int64_t id = 0; id < store.next_id(); ++id) {
    if (!store.contains(id)) continue;
    const SimulationInfo info = store.info(id);
    values.insert(values.end(), {double(id), double(info.seed), double(info.round)});
    values.insert(values.end(), info.theta.begin(), info.theta.end());
    if (info.failed) continue;
    const auto x = store.read_x(id);
    values.insert(values.end(), x.begin(), x.end());
  }
  return values;
}

// Stops after so many calls.
class Impatient final : public Observer {
 public:
  explicit Impatient(int calls) : left_(calls) {}
  bool stop_requested() override { return left_-- <= 0; }

 private:
  std::atomic<int> left_;
};

TEST(Simulations, AreTheSameWhereverTheyWereInterrupted) {
  Laboratory whole(test::uniform_prior(2), 2, simulator);
  Simulations undisturbed = whole.simulations();
  undisturbed.simulate(Region::whole(2), 1, 300, silent_observer());
  undisturbed.simulate(kSmall, 2, 200, silent_observer());

  Laboratory broken(test::uniform_prior(2), 2, simulator, {.batch_rows = 16});
  int interruptions = 0;
  for (int patience = 1;; patience += 3) {
    Simulations simulations = broken.simulations();  // as after a restart: nothing issued yet
    Impatient observer(patience);
    try {
      simulations.simulate(Region::whole(2), 1, 300, observer);
      simulations.simulate(kSmall, 2, 200, observer);
      break;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::interrupted);
      ++interruptions;
    }
  }
  EXPECT_GT(interruptions, 0);
  EXPECT_EQ(broken.store().rows(), 500);
  EXPECT_EQ(everything(broken.store()), everything(whole.store()));
}

TEST(Simulations, DependOnTheSeed) {
  Laboratory one(test::uniform_prior(2), 2, simulator), other(test::uniform_prior(2), 2, simulator);
  one.simulations(3).simulate(Region::whole(2), 1, 50, silent_observer());
  other.simulations(4).simulate(Region::whole(2), 1, 50, silent_observer());
  EXPECT_NE(everything(one.store()), everything(other.store()));
}

TEST(Simulations, CountOnlyWhatWasAskedFor) {
  Laboratory laboratory(test::uniform_prior(2), 2, simulator);
  laboratory.simulations().simulate(Region::whole(2), 1, 400, silent_observer());
  // A run that starts again asks for the first 100 and does not see the other 300.
  Simulations again = laboratory.simulations();
  EXPECT_EQ(again.count_inside(Region::whole(2)), 0);
  again.simulate(Region::whole(2), 1, 100, silent_observer());
  EXPECT_EQ(laboratory.store().rows(), 400);
  EXPECT_EQ(again.issued(), 100);
  EXPECT_EQ(again.count_inside(Region::whole(2)) + again.failed(), 100);
  EXPECT_EQ(again.inside(Region::whole(2), 0.1).ids.back(), 99);
}

TEST(Simulations, FailuresAreCountedAndLeftOut) {
  Laboratory laboratory(test::uniform_prior(2), 2, simulator);
  Simulations simulations = laboratory.simulations();
  simulations.simulate(Region::whole(2), 1, 1000, silent_observer());
  EXPECT_NEAR(double(simulations.failed()), 200, 4 * std::sqrt(160.0));
  EXPECT_EQ(simulations.count_inside(Region::whole(2)), 1000 - simulations.failed());
  const Dataset data = simulations.inside(Region::whole(2), 0.1);
  EXPECT_EQ(data.rows(), 1000 - simulations.failed());
  EXPECT_EQ(data.x->rows(), data.rows());
  for (Index i = 0; i < data.rows(); ++i) EXPECT_LE(data.theta(i, 0), 0.8f);
}

// What simulate() says on failure.
std::string complaint(Simulations simulations, Index count) {
  try {
    simulations.simulate(Region::whole(2), 1, count, silent_observer());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::simulator);
    return error.what();
  }
  return "";
}

TEST(Simulations, ThatEndedARunByTheirFailuresEndItAgain) {
  constexpr double kLimit = 0.15;  // 20 % fail
  Laboratory laboratory(test::uniform_prior(2), 2, simulator, {.max_failed_fraction = kLimit});
  const auto simulations = [&](double limit) {
    return Simulations(laboratory.prior(), laboratory.store(), laboratory.executor(), Rng(3),
                       nullptr, limit);
  };
  const std::string first = complaint(simulations(kLimit), 200);
  const Index rows = laboratory.store().rows();
  EXPECT_TRUE(contains(first, "simulations failed")) << first;
  EXPECT_EQ(complaint(simulations(kLimit), 200), first);
  EXPECT_EQ(laboratory.store().rows(), rows) << "nothing is simulated in vain";
}

TEST(Simulations, ThatAreAllStoredAreHeldToTheLimitToo) {
  Laboratory laboratory(test::uniform_prior(2), 2, simulator);  // 20 % fail
  const auto simulations = [&](double limit) {
    return Simulations(laboratory.prior(), laboratory.store(), laboratory.executor(), Rng(3),
                       nullptr, limit);
  };
  EXPECT_EQ(complaint(simulations(0.5), 200), "");
  ASSERT_EQ(laboratory.store().rows(), 200);
  const std::string text = complaint(simulations(0.1), 200);
  EXPECT_TRUE(contains(text, "of 200 simulations failed") && contains(text, "too hot")) << text;
  EXPECT_EQ(complaint(simulations(0.3), 200), "") << "a raised limit lets the run go on";
}

TEST(Simulations, AreKeptByRegionWithLocalCoordinatesOfIt) {
  Laboratory laboratory(test::uniform_prior(2), 2, simulator);
  Simulations simulations = laboratory.simulations();
  simulations.simulate(Region::whole(2), 1, 1000, silent_observer());
  const Index kept = simulations.count_inside(kSmall);
  EXPECT_NEAR(double(kept), 400, 4 * std::sqrt(240.0));
  simulations.simulate(kSmall, 2, 500, silent_observer());
  EXPECT_EQ(simulations.count_inside(kSmall), kept + 500);
  const Dataset data = simulations.inside(kSmall, 0.1);
  const Matrix<double> theta = laboratory.store().read_theta(data.ids);
  for (Index i = 0; i < data.rows(); ++i) {
    EXPECT_NEAR(double(data.theta(i, 0)), (theta(i, 0) - 0.2) / 0.4, 1e-6);
  }
}

TEST(Simulations, BelongToTrainingOrValidationForLife) {
  Laboratory laboratory(test::uniform_prior(2), 2, simulator);
  Simulations simulations = laboratory.simulations();
  simulations.simulate(Region::whole(2), 1, 1000, silent_observer());
  for (const Region& region : {Region::whole(2), kSmall}) {
    const Dataset data = simulations.inside(region, 0.1);
    EXPECT_EQ(std::ssize(data.training) + std::ssize(data.validation), data.rows());
    for (const Index row : data.validation)
      EXPECT_TRUE(is_validation(data.ids[std::size_t(row)], 0.1));
    for (const Index row : data.training)
      EXPECT_FALSE(is_validation(data.ids[std::size_t(row)], 0.1));
  }
}

}  // namespace
}  // namespace hone
