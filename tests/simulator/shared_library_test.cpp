#include "hone/simulator/shared_library.h"

#include <cstdlib>
#include <numeric>

#include <gtest/gtest.h>

#include "hone/simulator/executor.h"
#include "simulator/executor_testing.h"

namespace hone {
namespace {

std::filesystem::path library(const std::string& variant) {
  return std::filesystem::path(HONE_TEST_LIBRARIES) / ("libtest_library_" + variant + ".so");
}

SimulationRequest request_of(Index rows) {
  SimulationRequest request;
  request.theta = Matrix<double>(rows, 2);
  for (Index i = 0; i < rows; ++i) {
    request.ids.push_back(i);
    request.seeds.push_back((std::uint64_t{1} << 63) + static_cast<std::uint64_t>(i));
    request.theta(i, 0) = static_cast<double>(i);
    request.theta(i, 1) = 0.25;
  }
  return request;
}

TEST(SharedLibrary, SimulatesAndRecordsItsFailures) {
  const auto simulator = load_simulator(library("good"), 2, 3);
  EXPECT_TRUE(simulator->concurrent());
  const SimulationRequest request = request_of(1000);
  Collector collector;
  const auto summary = make_thread_executor(*simulator)->run(request, collector.sink());
  EXPECT_EQ(summary.finished, 1000);
  EXPECT_EQ(summary.failed, 3);
  EXPECT_EQ(collector.failures.at(1), "theta[0] = 1 is forbidden");
  EXPECT_EQ(collector.failures.at(2), "hone_simulate() returned 5");
  EXPECT_EQ(collector.failures.at(3), "x[2] is nan");
  const std::vector<double> expected = {500.25, static_cast<double>(request.seeds[500] % 1000),
                                        0.25};
  EXPECT_EQ(collector.x.at(500), expected);
}

TEST(SharedLibrary, RunsInOneThreadIfItSaysSo) {
  EXPECT_FALSE(load_simulator(library("not_thread_safe"), 2, 3)->concurrent());
}

TEST(SharedLibrary, IsRefusedWithAClearReason) {
  const auto refusal = [](const std::filesystem::path& path, Index parameters, Index data_size) {
    return error_text([&] { load_simulator(path, parameters, data_size); }, ErrorKind::input);
  };
  EXPECT_TRUE(contains(refusal("/nowhere/libsim.so", 2, 3), "/nowhere/libsim.so"));
  EXPECT_TRUE(contains(refusal(HONE_TEST_WORKER, 2, 3), "cannot load"));
  EXPECT_TRUE(contains(refusal(library("wrong_version"), 2, 3), "version 99"));
  EXPECT_TRUE(contains(refusal(library("incomplete"), 2, 3), "no function hone_simulate()"));
  EXPECT_TRUE(contains(refusal(library("good"), 5, 3), "cannot take 5 parameters"));
  EXPECT_TRUE(contains(refusal(library("good"), 2, 4),
                       "makes 3 values for 2 parameters, but the "
                       "observation has 4"));
  EXPECT_TRUE(contains(refusal(library("wrong_size"), 2, 2), "makes 3 values"));
  setenv("HONE_TEST_LIBRARY_REFUSES", "no table", 1);  // NOLINT: no other thread is there
  EXPECT_TRUE(contains(refusal(library("good"), 2, 3), "refuses to begin: no table"));
  unsetenv("HONE_TEST_LIBRARY_REFUSES");  // NOLINT
}

// What the noise of a library makes of 10, 11, 12, ...
std::vector<float> noisy(const NoiseModel& noise, float first) {
  Matrix<float> in(1, noise.input_size()), out(1, noise.data_size());
  std::iota(in.row(0).begin(), in.row(0).end(), first);
  Rng stream(3);
  noise.apply(out, in, std::span(&stream, 1));
  return {out.row(0).begin(), out.row(0).end()};
}

TEST(SharedLibrary, MayBringItsNoiseAsASecondStageOfAnotherLength) {
  const auto simulator = load_simulator(library("noisy"), 2, 3);
  ASSERT_NE(simulator->noise(), nullptr);
  EXPECT_EQ(simulator->data_size(), 5);
  EXPECT_EQ(simulator->noise()->data_size(), 3);
  const float seed = static_cast<float>(Rng(3).bits64() % 1000);
  EXPECT_EQ(noisy(*simulator->noise(), 10), (std::vector<float>{24, seed, 12}));
  const auto text = error_text([&] { noisy(*simulator->noise(), 99); }, ErrorKind::simulator);
  EXPECT_TRUE(contains(text, "99 is too noisy")) << text;
}

TEST(SharedLibrary, OfNoiseAloneServesAnotherSimulator) {
  EXPECT_EQ(library_noiseless_size(library("noise_only"), 2, 3), 5);
  const auto noise = load_noise(library("noise_only"), 2, 3);
  EXPECT_EQ(noisy(*noise, 10)[0], 24);
  const auto text = error_text([] { load_noise(library("good"), 2, 3); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "no function hone_noise()")) << text;
}

TEST(SharedLibrary, WrittenForTheFirstVersionStillWorks) {
  const auto simulator = load_simulator(library("old"), 2, 3);
  EXPECT_EQ(simulator->data_size(), 3);
  EXPECT_EQ(simulator->noise(), nullptr);
}

}  // namespace
}  // namespace hone
