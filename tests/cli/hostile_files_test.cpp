// What others wrote: files that nest without end, names and messages that command the terminal,
// simulators that never stop talking. And limits of the system.
#include <algorithm>

#include "cli/program.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Two parameters; simulate.py answers JSON lines.
std::string problem(const std::string& name, const std::string& parameter = "a") {
  return "name = \"" + name +
         "\"\n[simulator]\ncommand = [\"/usr/bin/python3\", \"simulate.py\"]\n"
         "[observation]\nvalues = [0.5]\n[[parameters]]\nname = \"" +
         parameter +
         "\"\nprior = { kind = \"uniform\", low = 0, high = 1 }\n[inference]\nbudget = 200\n"
         "max_epochs = 5\nround_fraction = 0.5\n";
}

std::string simulator(const std::string& body) {
  return "import json, os, sys, time\nfor line in sys.stdin:\n    r = json.loads(line)\n" + body;
}
const char* const kAnswer =
    "    print(json.dumps({'id': r['id'], 'x': [r['theta'][0]]}), flush=True)\n";

// No control character but line ends and tabs, and nothing that is not UTF-8.
void expect_harmless(const std::string& text) {
  for (const char c : text) {
    EXPECT_TRUE(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= ' ')
        << static_cast<int>(c);
    if (!(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= ' ')) break;
  }
  EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << "CSI as a character";
  EXPECT_EQ(text.find('\x7f'), std::string::npos);
}

TEST(HostileFiles, DeepNestingIsAnErrorThatNamesTheFile) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  const std::string brackets = std::string(80000, '[') + std::string(80000, ']');
  // As an old run, whose files have no seal.
  const std::string old = R"({"format": )" + brackets + "}";
  for (const std::string& file : {std::string("rounds/round-01.json"), std::string("checks.json"),
                                  std::string("networks/main.json"), std::string("run.json")}) {
    const std::string good = bytes_of(scratch.path() / "run" / file);
    ASSERT_FALSE(good.empty()) << file;
    put_bytes(scratch.path() / "run" / file, file == "run.json" ? old : brackets);
    for (const Arguments& command :
         {Arguments{"show", "run"}, Arguments{"check", "run"}, Arguments{"resume", "run"}}) {
      const ProgramResult result = run_program(scratch.path(), command);
      EXPECT_EQ(result.signal, 0) << file << "\n" << result;
      EXPECT_TRUE(result.code == 0 || contains(result.err, file)) << result;
    }
    put_bytes(scratch.path() / "run" / file, good);
  }
}

TEST(HostileFiles, NamesThatCommandTheTerminalAreRefusedAndShownHarmlessly) {
  const TemporaryDirectory scratch;
  put_bytes(scratch.path() / "simulate.py", simulator(kAnswer));
  for (const char* name : {"a\\u001b[2J", "a\\u009b2J", "a\\u007f", "a\\u202eb"}) {
    put_bytes(scratch.path() / "problem.toml", problem("p", name));
    const ProgramResult refused = run_program(scratch.path(), {"run", "problem.toml"});
    expect_refused(refused, 2, {"control characters"});
    expect_harmless(refused.err);
  }
  const ProgramResult wrong = run_program(scratch.path(), {"run", "tor\x1b[2Jus\x9b"});
  EXPECT_EQ(wrong.code, 2);
  expect_harmless(wrong.err);
  expect_harmless(run_program(scratch.path(), {"r\x1b[2Jn"}).err);
  expect_harmless(run_program(scratch.path(), {"run", "torus", "--bud\x1b[2J"}).err);
}

TEST(HostileFiles, NamesOfDataThatCommandTheTerminalAreRefused) {
  const TemporaryDirectory scratch;
  put_bytes(scratch.path() / "simulate.py", simulator(kAnswer));
  put_bytes(scratch.path() / "problem.toml",
            problem("p") + "[[data]]\nname = \"a\\u009b2J\"\nkind = \"vector\"\nshape = [1]\n");
  const ProgramResult refused = run_program(scratch.path(), {"run", "problem.toml"});
  expect_refused(refused, 2, {"cannot be the name of a block"});
  expect_harmless(refused.err);
}

// What an older version has written carries no seal: its files may say anything.
TEST(HostileFiles, OfARunWithoutSealsMustStillMakeSense) {
  const TemporaryDirectory scratch;
  fs::copy(HONE_SOURCE_DIR "/tests/run/data/format-1/finished", scratch.path() / "run",
           fs::copy_options::recursive);
  const auto expect_named = [&](const std::string& file, const std::string& text,
                                const Arguments& command) {
    fs::create_directories((scratch.path() / "run" / file).parent_path());
    put_bytes(scratch.path() / "run" / file, text);
    expect_refused(run_program(scratch.path(), command), 1, {"run/" + file, "damaged"});
    fs::remove(scratch.path() / "run" / file);
  };
  expect_named("predictive/predictive.json", "[1, 2]", {"report", "run"});
  expect_named("predictive/predictive.json", R"({"columns": {"observed": [1]}})",
               {"report", "run"});
  for (const char* counts : {R"("rounds_before": -5, "simulations_before": 1)",
                             R"("rounds_before": 1, "simulations_before": -1)"}) {
    expect_named("extensions.json",
                 R"({"extensions": [{"budget": 100000, )" + std::string(counts) + "}]}",
                 {"resume", "run"});
  }
}

TEST(HostileFiles, MessagesOfSimulatorsCannotCommandTheTerminal) {
  const TemporaryDirectory scratch;
  put_bytes(scratch.path() / "problem.toml", problem("run \\u009b2J\\u001b]0;x\\u0007"));
  put_bytes(scratch.path() / "simulate.py",
            simulator("    os.write(2, b'\\x1b[2J \\x9b2J \\xc2\\x9b2J\\n')\n"
                      "    print(json.dumps({'id': r['id'], 'error': '\\x1b[2J \\x9b2J'}), "
                      "flush=True)\n"));
  const ProgramResult failed = run_program(scratch.path(), {"run", "problem.toml", "-o", "run"});
  EXPECT_NE(failed.code, 0) << failed;
  EXPECT_TRUE(contains(failed.err, "\\u001b[2J")) << failed;
  expect_harmless(failed.err);
  expect_harmless(failed.out);
  expect_harmless(bytes_of(scratch.path() / "run" / "simulator.log"));
  for (const Arguments& command : {Arguments{"show", "run"}, Arguments{"show", "run", "--json"}}) {
    const ProgramResult shown = run_program(scratch.path(), command);
    EXPECT_EQ(shown.code, 0) << shown;
    expect_harmless(shown.out);
  }
}

TEST(HostileFiles, ASimulatorThatTalksWithoutEndDoesNotFillTheDisk) {
  const TemporaryDirectory scratch;
  put_bytes(scratch.path() / "problem.toml", problem("talk"));
  put_bytes(scratch.path() / "simulate.py",
            simulator("    if r['id'] == 3: os.write(2, (b'x' * 99 + b'\\n') * 250000)\n" +
                      std::string(kAnswer)));
  const ProgramResult result = run_program(scratch.path(), {"run", "problem.toml", "-o", "run"});
  ASSERT_EQ(result.code, 0) << result;
  EXPECT_LT(fs::file_size(scratch.path() / "run" / "simulator.log"), 17u << 20);
  EXPECT_TRUE(contains(result.out, "simulator.log may hold")) << result;
  EXPECT_TRUE(contains(result.out, "lines were left out")) << result;
}

TEST(Limits, AFileThatMayNotGrowIsAClearErrorAndTheRunCanBeResumed) {
  const TemporaryDirectory scratch;
  const Arguments limited{"sh", "-c", "ulimit -f 16; exec \"$0\" \"$@\""};
  const ProgramResult full =
      RunningProgram(scratch.path(), small_run("run"), RunningProgram::Output::files, 80, limited)
          .wait();
  EXPECT_EQ(full.signal, 0) << full;
  EXPECT_EQ(full.code, 1) << full;
  EXPECT_TRUE(contains(full.err, "File too large")) << full;
  EXPECT_TRUE(contains(full.err, "hone resume")) << full;
  EXPECT_EQ(run_program(scratch.path(), {"resume", "run"}).code, 0);
}

TEST(Limits, FourHundredParametersAreRehearsedSoonWithAWarning) {
  const TemporaryDirectory scratch;
  std::string text =
      "name = \"wide\"\n[simulator]\ncommand = [\"/usr/bin/python3\", \"simulate.py\"]\n"
      "[observation]\nvalues = [0.5]\n";
  for (int i = 0; i < 400; ++i) {
    text += "[[parameters]]\nname = \"p" + std::to_string(i) +
            "\"\nprior = { kind = \"uniform\", low = 0, high = 1 }\n";
  }
  put_bytes(scratch.path() / "problem.toml", text);
  put_bytes(scratch.path() / "simulate.py", simulator(kAnswer));
  const ProgramResult result =
      run_program(scratch.path(), {"run", "problem.toml", "--dry-run"}, 60);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_TRUE(contains(result.err, "80200 marginals, 79800 of them pairs")) << result.err;
  EXPECT_TRUE(contains(result.err, "--marginal 1d")) << result.err;
  // The warning comes first, whatever becomes of the simulations.
  put_bytes(scratch.path() / "simulate.py", "raise SystemExit('out of order')");
  const ProgramResult failed =
      run_program(scratch.path(), {"run", "problem.toml", "--dry-run"}, 60);
  EXPECT_EQ(failed.code, 1) << failed;
  EXPECT_TRUE(failed.err.starts_with("warning: 80200 marginals")) << failed.err;
}

TEST(Output, GoesThroughALink) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  fs::create_directory(scratch.path() / "elsewhere");
  fs::create_symlink("elsewhere/samples.csv", scratch.path() / "link.csv");
  const ProgramResult result = run_program(
      scratch.path(), {"sample", "run", "--marginal", "0", "-n", "10", "-o", "link.csv"});
  ASSERT_EQ(result.code, 0) << result;
  EXPECT_TRUE(fs::is_symlink(scratch.path() / "link.csv"));
  EXPECT_TRUE(fs::exists(scratch.path() / "elsewhere" / "samples.csv"));
}

TEST(Output, OfARunDoesNotFollowPlantedLinks) {
  const TemporaryDirectory scratch;
  fs::create_directory(scratch.path() / "run");
  put_bytes(scratch.path() / "victim", "precious");
  fs::create_symlink("../victim", scratch.path() / "run" / "lock");
  const ProgramResult result = run_program(scratch.path(), small_run("run"));
  EXPECT_NE(result.code, 0) << result;
  EXPECT_EQ(bytes_of(scratch.path() / "victim"), "precious");
}

}  // namespace
}  // namespace hone
