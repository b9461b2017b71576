#include "hone/run/chunks.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "hone/run/execute_run.h"
#include "inference/support.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// x = theta + noise from the seed; some fail, by their seed.
void simulate(std::span<double> x, std::span<const double> theta, Rng noise) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = theta[j] + 0.05 * noise.normal();
  if (noise.uniform() < 0.1) throw std::runtime_error("no convergence");
}

void always_fails(std::span<double>, std::span<const double>, Rng) {
  throw std::runtime_error("no licence");
}

RunSpec small_spec(std::uint64_t seed = 3) {
  InferenceOptions options = test::small_options(400);
  options.max_rounds = 2;
  options.network.hidden = 8;
  options.training.max_epochs = 4;
  return {.name = "array",
          .simulator = task_simulator("array"),
          .seed = seed,
          .prior = test::uniform_prior(2),
          .observation = {0.3, 0.6},
          .marginals = {{0}, {1}},
          .options = options};
}

void execute_serially(RunDirectory& run, const RowFunction& function = simulate) {
  const auto simulator = make_simulator(2, function);
  const auto executor = make_thread_executor(
      *simulator, {.max_failed_fraction = run.spec().options.max_failed_fraction});
  execute_run(run, {*executor});
}

SimulatedChunk work_on(const fs::path& file, const RowFunction& function = simulate,
                       bool accept_failures = false) {
  const auto simulator = make_simulator(2, function);
  const auto executor = make_thread_executor(*simulator, {.max_failed_fraction = 1});
  return simulate_chunk(file, read_chunk(file), *executor, accept_failures);
}

void work_on_all(const AskedChunks& asked, const RowFunction& function = simulate) {
  for (const OpenChunk& chunk : asked.open) {
    work_on(chunk_file(asked.directory, chunk.number), function);
  }
}

std::vector<Index> numbers(const AskedChunks& asked) {
  std::vector<Index> result;
  for (const OpenChunk& chunk : asked.open) result.push_back(chunk.number);
  return result;
}

void damage(const fs::path& file, std::size_t place) {
  std::string bytes = bytes_of(file);
  bytes[std::min(place, bytes.size() - 1)] ^= 1;
  put_bytes(file, bytes);
}

class Chunks : public testing::Test {
 protected:
  fs::path file(Index number, int round = 1) {
    return chunk_file(chunk_directory(run_, round), number);
  }
  fs::path result(Index number, int round = 1) {
    return result_file(chunk_directory(run_, round), number);
  }
  void finish() {
    for (int step = 0; !run_.finished() && step < 10; ++step) work_on_all(ask_chunks(run_, 3));
    ASSERT_TRUE(run_.finished());
  }
  void expect_the_bits_of_a_serial_run() {
    RunDirectory other = RunDirectory::create(directory_.path() / "serial", small_spec());
    execute_serially(other);
    for (const char* name :
         {"posterior/posterior.h5", "posterior/summary.json", "run.json", "rounds/round-01.json"}) {
      EXPECT_EQ(bytes_of(run_.path() / name), bytes_of(other.path() / name)) << name;
    }
    EXPECT_EQ(run_.store()->rows(), 400);
    EXPECT_GT(run_.store()->failed_rows(), 10);
    EXPECT_EQ(run_.store()->failure_reasons(), other.store()->failure_reasons());
    EXPECT_FALSE(fs::exists(run_.path() / "chunks")) << "nothing of the chunks is left";
  }

  TemporaryDirectory directory_;
  RunDirectory run_ = RunDirectory::create(directory_.path() / "run", small_spec());
};

TEST_F(Chunks, InAnyOrderAndMoreThanOnceGiveTheBitsOfASerialRun) {
  for (int step = 0; step < 10; ++step) {
    const AskedChunks asked = ask_chunks(run_, 7);
    if (asked.waiting == 0) break;
    Index told = 0;
    for (const Index number : numbers(asked)) {
      const fs::path chunk = chunk_file(asked.directory, std::ssize(asked.open) - 1 - number);
      work_on(chunk);
      if (number % 3 == 0) work_on(chunk);
      if (number % 2 == 0) told += tell_chunks(run_).stored;
    }
    EXPECT_EQ(told + tell_chunks(run_).stored, asked.waiting);
    EXPECT_EQ(tell_chunks(run_).waiting, 0);
  }
  ASSERT_TRUE(run_.finished());
  expect_the_bits_of_a_serial_run();
}

TEST_F(Chunks, HoldEverySimulationOnceInEqualParts) {
  const AskedChunks asked = ask_chunks(run_, 7);
  EXPECT_EQ(numbers(asked), (std::vector<Index>{0, 1, 2, 3, 4, 5, 6}));
  std::vector<std::int64_t> ids;
  for (const Index number : numbers(asked)) {
    const Chunk chunk = read_chunk(file(number));
    EXPECT_LE(std::abs(chunk.request.rows() - asked.waiting / 7), 1);
    ids.insert(ids.end(), chunk.request.ids.begin(), chunk.request.ids.end());
  }
  EXPECT_EQ(std::ssize(ids), asked.waiting);
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], static_cast<std::int64_t>(i));
  EXPECT_EQ(std::ssize(ask_chunks(run_, 1000000).open), 7) << "a round is divided once";
}

TEST_F(Chunks, AskedForAgainAreTheSameWithoutThoseThatAreDone) {
  ask_chunks(run_, 5);
  std::vector<std::string> before;
  for (Index i = 0; i < 5; ++i) before.push_back(bytes_of(file(i)));
  EXPECT_EQ(std::ssize(ask_chunks(run_, 5).open), 5);
  work_on(file(1));
  work_on(file(3));
  EXPECT_EQ(numbers(ask_chunks(run_, 9)), (std::vector<Index>{0, 2, 4}));
  for (Index i = 0; i < 5; ++i) EXPECT_TRUE(before[std::size_t(i)] == bytes_of(file(i)));

  // What is in no chunk, as a chunk is lost or damaged, gets new ones.
  fs::remove(file(0));
  damage(file(2), 2000);
  const AskedChunks asked = ask_chunks(run_, 2);
  EXPECT_EQ(numbers(asked), (std::vector<Index>{4, 5, 6}));
  ASSERT_EQ(asked.refused.size(), 1U);
  EXPECT_TRUE(contains(asked.refused[0], "chunk-00002.h5: damaged"));
  finish();
  expect_the_bits_of_a_serial_run();
}

TEST_F(Chunks, WithADamagedResultAreRefusedByNameAndTheOthersTaken) {
  const AskedChunks asked = ask_chunks(run_, 3);
  for (const std::size_t place : {std::size_t{3}, std::size_t{900}, std::size_t{1} << 20}) {
    work_on_all(ask_chunks(run_, 3));
    damage(result(1), place);  // in the seal, in the body, at the end
    const ToldChunks told = tell_chunks(run_);
    ASSERT_EQ(told.refused.size(), 1U) << place;
    EXPECT_TRUE(contains(told.refused[0], "result-00001.h5")) << told.refused[0];
    EXPECT_EQ(told.waiting, asked.open[1].simulations);
    EXPECT_FALSE(is_simulated(file(1), read_chunk(file(1)))) << "so it can be run again";
    EXPECT_EQ(numbers(ask_chunks(run_, 3)), (std::vector<Index>{1}));
  }
  put_bytes(result(1), bytes_of(result(2)).substr(0, 700));
  EXPECT_EQ(tell_chunks(run_).refused.size(), 1U);
  work_on(file(1));
  EXPECT_TRUE(is_simulated(file(1), read_chunk(file(1))));
  EXPECT_EQ(tell_chunks(run_).refused.size(), 0U);
  finish();
  expect_the_bits_of_a_serial_run();
}

// x has a checksum of its own.
TEST_F(Chunks, WithDamagedDataAreRefused) {
  ask_chunks(run_, 1);
  work_on(file(0));
  const ChunkResult whole = read_chunk_result(result(0));
  damage(result(0), static_cast<std::size_t>(whole.seal.data.offset) + 11);
  const ToldChunks told = tell_chunks(run_);
  EXPECT_EQ(told.refused.size(), 1U);
  EXPECT_EQ(told.stored, 0);
}

TEST_F(Chunks, OfAnotherRunOrRoundAreRefused) {
  RunDirectory other = RunDirectory::create(directory_.path() / "other", small_spec(4));
  const AskedChunks asked = ask_chunks(run_, 2), others = ask_chunks(other, 2);
  work_on_all(others);
  const fs::path foreign = result_file(others.directory, 0);
  const ToldChunks told = tell_chunks(run_, nullptr, {foreign});
  ASSERT_EQ(told.refused.size(), 1U);
  EXPECT_TRUE(contains(told.refused[0], "it belongs to another run ('array')")) << told.refused[0];
  fs::copy(foreign, result(0));  // the same in the directory of the run
  EXPECT_EQ(tell_chunks(run_).refused.size(), 1U);
  EXPECT_EQ(tell_chunks(run_).stored, 0);
  fs::remove(result(0));

  work_on_all(asked);
  const fs::path old = directory_.path() / "old.h5";
  fs::copy(result(1), old);
  EXPECT_EQ(tell_chunks(run_, nullptr, {result(0)}).stored, asked.open[0].simulations);
  ask_chunks(run_, 2);
  EXPECT_FALSE(fs::exists(file(0))) << "chunks of a round that is over are removed";
  const ToldChunks late = tell_chunks(run_, nullptr, {old});
  ASSERT_EQ(late.refused.size(), 1U);
  EXPECT_TRUE(contains(late.refused[0], "it belongs to round 1, but the run is at round 2"))
      << late.refused[0];
  finish();
  EXPECT_TRUE(contains(tell_chunks(run_, nullptr, {old}).refused.at(0), "the run is finished"));
}

// As those of a run with another observation are, after round 1.
TEST_F(Chunks, WithOtherParametersUnderTheSameIdAreRefused) {
  const AskedChunks asked = ask_chunks(run_, 2);
  Chunk chunk = read_chunk(file(0));
  const Matrix<double> x(chunk.request.rows(), 2);
  const std::vector<Failure> failures(chunk.request.ids.size());
  chunk.request.theta(3, 1) += 1e-12;
  write_chunk_result(result(0), chunk, x, failures);
  const ToldChunks told = tell_chunks(run_);
  EXPECT_EQ(told.stored, 0);
  ASSERT_EQ(told.refused.size(), 1U);
  EXPECT_TRUE(contains(told.refused[0], "simulation 3 has other parameters or another seed"))
      << told.refused[0];
  chunk = read_chunk(file(0));
  write_chunk_result(result(0), chunk, Matrix<double>(chunk.request.rows(), 3), failures);
  EXPECT_TRUE(contains(tell_chunks(run_).refused.at(0), "the run has 2 and 2"));
  write_chunk_result(result(0), chunk, x, failures);
  EXPECT_EQ(tell_chunks(run_).stored, asked.open[0].simulations) << "it is right without that";
}

TEST_F(Chunks, CountFailuresAsASerialRunDoes) {
  const RowFunction often = [](std::span<double> x, std::span<const double> theta, Rng noise) {
    simulate(x, theta, noise.child("same"));
    if (noise.uniform() < 0.7) throw std::runtime_error("diverged");
  };
  const AskedChunks asked = ask_chunks(run_, 40);  // of 3 each: some fail as a whole
  work_on_all(asked, often);
  const std::string text = error_text([&] { tell_chunks(run_); }, ErrorKind::simulator);
  EXPECT_TRUE(contains(text, fmt::format("of {} simulations failed", asked.waiting))) << text;
  const std::string again = error_text([&] { ask_chunks(run_, 40); }, ErrorKind::simulator);
  EXPECT_EQ(text, again) << "a run that they ended ends again";
}

TEST_F(Chunks, InWhichEverythingFailsLeaveNoResultUnlessThatIsAccepted) {
  ask_chunks(run_, 2);
  const std::string text =
      error_text([&] { work_on(file(0), always_fails); }, ErrorKind::simulator);
  EXPECT_TRUE(contains(text, "Most frequent reason: no licence. No result was written")) << text;
  EXPECT_FALSE(fs::exists(result(0)));
  const SimulatedChunk done = work_on(file(0), always_fails, true);
  EXPECT_EQ(done.summary.failed, done.summary.finished);
  EXPECT_TRUE(is_simulated(file(0), read_chunk(file(0))));
}

TEST_F(Chunks, WhoseRoundIsOverMeanwhileSaySo) {
  ask_chunks(run_, 2);
  const RowFunction meanwhile = [&](std::span<double> x, std::span<const double> theta, Rng noise) {
    std::error_code ignored;  // several threads do this
    fs::remove_all(run_.path() / "chunks", ignored);
    simulate(x, theta, noise);
  };
  EXPECT_TRUE(contains(error_text([&] { work_on(file(0), meanwhile); }),
                       "chunk-00000.h5: removed while it was simulated: its round is over"));
  EXPECT_FALSE(fs::exists(run_.path() / "chunks"));
}

TEST_F(Chunks, AreNotForSimulatorsThatOnlyTheUserCanRun) {
  RunSpec spec = small_spec();
  spec.simulator.kind = SimulatorKind::by_hand;
  RunDirectory by_hand = RunDirectory::create(directory_.path() / "hand", spec);
  EXPECT_TRUE(contains(error_text([&] { ask_chunks(by_hand, 2); }, ErrorKind::input),
                       "`hone ask` without --chunks"));
  EXPECT_TRUE(contains(error_text([&] { ask_chunks(run_, 0); }, ErrorKind::input), "chunks = 0"));
}

}  // namespace
}  // namespace hone
