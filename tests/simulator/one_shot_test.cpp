#include "hone/simulator/one_shot.h"

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "simulator/executor_testing.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

SimulationRequest request_of(Index rows) {
  SimulationRequest request;
  request.theta = Matrix<double>(rows, 2);
  for (Index i = 0; i < rows; ++i) {
    request.ids.push_back(50 + i);
    request.seeds.push_back((static_cast<std::uint64_t>(i) + 7) << 11);
    request.theta(i, 0) = static_cast<double>(i);
    request.theta(i, 1) = 0.5;
  }
  return request;
}

class OneShot : public testing::Test {
 protected:
  // A shell script in place of somebody's program.
  OneShotOptions script(const std::string& text, std::vector<std::string> arguments) {
    const fs::path file = tools_.path() / "program";
    std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
    permissions(file, fs::perms::owner_all);
    OneShotOptions options;
    options.command = {"./program"};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.parameters = {"mass", "spin"};
    options.directory = tools_.path();
    options.scratch = scratch_.path();
    options.workers = 2;
    options.retries = 0;
    options.timeout_seconds = 20;
    return options;
  }
  bool scratch_is_empty() const { return fs::is_empty(scratch_.path()); }

  TestDirectory tools_;
  TestDirectory scratch_;
};

TEST_F(OneShot, PassesArgumentsAndReadsStdout) {
  const auto options = script("echo \"$# $1 $2 $3 $4 $5\" | tr -d 'a-z=}{'",
                              {"{theta}", "m={mass}", "{theta[1]}", "{seed}", "{{{id}}}"});
  Collector collector;
  const auto summary = make_one_shot_executor(options, 6)->run(request_of(4), collector.sink());
  EXPECT_EQ(summary.failed, 0) << summary.main_reason;
  EXPECT_EQ(collector.x.at(3), (std::vector<double>{6, 3, 0.5, 3, 0.5, 10}));
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(OneShot, ReadsAResultFileAndWritesAParameterFile) {
  const auto text = script("sed 's/.*= //' \"$1\" > \"$2\"", {"{parameters}", "{result}"});
  Collector collector;
  make_one_shot_executor(text, 3)->run(request_of(3), collector.sink());
  EXPECT_EQ(collector.x.at(2), (std::vector<double>{2, 0.5, 9}));

  auto json = script("grep -c '\"spin\": 0.5' input.json > out.txt", {"{id}"});
  json.parameter_file = "input.json";
  json.result_file = "out.txt";
  Collector from_json;
  make_one_shot_executor(json, 1)->run(request_of(1), from_json.sink());
  EXPECT_EQ(from_json.x.at(0), (std::vector<double>{1}));
}

TEST_F(OneShot, ReadsNpyResults) {
  std::ofstream file(tools_.path() / "data.npy", std::ios::binary);
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  const std::array<float, 2> values = {1.5F, 2.5F};
  file << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size()) << '\0' << header;
  file.write(reinterpret_cast<const char*>(values.data()), sizeof values);
  file.close();
  auto options = script("cp $1/data.npy $2", {"{directory}", "{result}"});
  options.result_file = "x.npy";
  Collector collector;
  make_one_shot_executor(options, 2)->run(request_of(1), collector.sink());
  EXPECT_EQ(collector.x.at(0), (std::vector<double>{1.5, 2.5}));
}

TEST_F(OneShot, RecordsFailuresWithTheirReasons) {
  const auto options = script(
      "case $1 in 1.0) echo bad >&2; exit 3;; 2.0) kill -11 $$;; 3.0) echo 1 2 3;; 4.0) echo a b; "
      "echo c;; 5.0) ;; 6.0) echo nan 1;; 7.0) head -c 200000 /dev/zero | tr '\\0' '1';; "
      "8.0) sleep 100 & sleep 100;; *) echo 1 2;; esac",
      {"{mass}"});
  OneShotOptions quick = options;
  quick.timeout_seconds = 1;
  Collector collector;
  const auto begin = std::chrono::steady_clock::now();
  make_one_shot_executor(quick, 2)->run(request_of(30), collector.sink());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(collector.x.size(), 30u);
  EXPECT_EQ(collector.failures.size(), 8u);
  EXPECT_EQ(collector.failures.at(1), "the program ended with exit code 3");
  EXPECT_EQ(collector.failures.at(2), "the program was ended by signal 11 (Segmentation fault)");
  EXPECT_EQ(collector.failures.at(3), "the result has 3 values instead of 2");
  EXPECT_EQ(collector.failures.at(4), "stdout, line 2: 'c' is not a number");
  EXPECT_EQ(collector.failures.at(5), "stdout: there are no numbers in it");
  EXPECT_EQ(collector.failures.at(6), "x[0] is nan");
  EXPECT_EQ(collector.failures.at(7), "it printed too much for the result");
  EXPECT_EQ(collector.failures.at(8), "not finished within 1 s");
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(OneShot, TriesAgain) {
  auto options = script("if [ -e $1/been$2 ]; then echo 1; else touch $1/been$2; exit 1; fi",
                        {"{directory}", "{id}"});
  options.retries = 1;
  Collector collector;
  EXPECT_EQ(make_one_shot_executor(options, 1)->run(request_of(5), collector.sink()).failed, 0);
}

TEST_F(OneShot, StopsWithTheLastWordsWhenAllFail) {
  const auto options = script("echo 'table missing' >&2; exit 1", {"{theta}"});
  Collector collector;
  const std::string text = error_text(
      [&] { make_one_shot_executor(options, 1)->run(request_of(500), collector.sink()); },
      ErrorKind::simulator);
  EXPECT_TRUE(contains(text, "exit code 1")) << text;
  EXPECT_TRUE(contains(text, "Last lines of its stderr:\n  table missing")) << text;
  EXPECT_LT(collector.x.size(), 100u);
}

TEST_F(OneShot, KeepsTheDirectoryOfTheLastFailureIfAsked) {
  auto options = script("touch evidence; [ $1 != 1.0 ] && [ $1 != 2.0 ] && echo 1", {"{mass}"});
  options.keep_last_failure = true;
  Collector collector;
  EXPECT_EQ(make_one_shot_executor(options, 1)->run(request_of(8), collector.sink()).failed, 2);
  ASSERT_EQ(std::distance(fs::directory_iterator(scratch_.path()), {}), 1);
  EXPECT_TRUE(fs::exists(fs::directory_iterator(scratch_.path())->path() / "evidence"));
}

TEST_F(OneShot, RefusesWrongCommands) {
  const auto refusal = [&](std::vector<std::string> arguments, const char* program = "./program") {
    auto options = script("echo 1", std::move(arguments));
    options.command[0] = program;
    return error_text([&] { make_one_shot_executor(options, 1); }, ErrorKind::input);
  };
  EXPECT_TRUE(contains(refusal({"{mas}"}), "unknown placeholder '{mas}'; did you mean 'mass'?"));
  EXPECT_TRUE(contains(refusal({"{theta[2]}"}), "theta[1]"));
  EXPECT_TRUE(contains(refusal({"a{theta}"}), "must be an argument of its own"));
  EXPECT_TRUE(contains(refusal({"{seed"}), "not closed"));
  EXPECT_TRUE(contains(refusal({"{theta}"}, "./nothing"), "there is no file"));
  auto options = script("echo 1", {"{result}"});
  options.result_file = "../x.csv";
  EXPECT_TRUE(contains(error_text([&] { options.validate(); }, ErrorKind::input), "../x.csv"));
}

TEST_F(OneShot, IsRecognisedByItsPlaceholders) {
  EXPECT_TRUE(is_one_shot({"./a.out", "--seed={seed}"}));
  EXPECT_FALSE(is_one_shot({"python3", "simulate.py", "{{}}"}));
  EXPECT_TRUE(is_one_shot({"a", "{{{id}}}"}));
  EXPECT_EQ(without_placeholders({"a", "{{\"n\": {{}}}}"}),
            (std::vector<std::string>{"a", "{\"n\": {}}"}));
}

TEST_F(OneShot, LeavesNoDescriptorAndNoProcess) {
  const int before = open_descriptors();
  const auto options = script("sleep 50 & echo 1", {"{theta}"});
  Collector collector;
  EXPECT_EQ(make_one_shot_executor(options, 1)->run(request_of(20), collector.sink()).failed, 0);
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace hone
