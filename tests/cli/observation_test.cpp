#include "cli/program.h"

namespace hone {
namespace {

struct WrongFile {
  const char* name;
  const char* content;
  std::vector<std::string> message;
};

const std::vector<WrongFile> kWrongFiles{
    {"short.txt", "0.5 0.5\n", {"short.txt", "2", "3"}},
    {"long.txt", "1 2 3 4\n", {"long.txt", "4", "3"}},
    {"nan.txt", "0.5\nnan\n0.5\n", {"nan.txt, line 2", "'nan' is not a finite number"}},
    {"infinite.txt", "0.5 0.5\n0.5 -inf\n", {"infinite.txt, line 2", "'-inf'"}},
    {"words.txt", "x\n0.5 0.5\nhello\n", {"words.txt, line 3", "'hello'"}},
    {"rubbish.txt", "\x01\xff\xfe rubbish", {"rubbish.txt", "no numbers"}},
    {"empty.txt", "", {"empty.txt", "no numbers"}}};

TEST(Observation, AWrongFileIsRefusedBeforeAnythingIsWritten) {
  const TemporaryDirectory scratch, files;
  for (const WrongFile& file : kWrongFiles) {
    put_bytes(files.path() / file.name, file.content);
    const std::string path = (files.path() / file.name).string();
    expect_refused(run_program(scratch.path(), {"run", "torus", "--observation", path}), 2,
                   file.message);
  }
  expect_refused(run_program(scratch.path(), {"run", "torus", "--observation", "missing.txt"}), 2,
                 {"missing.txt", "does not exist"});
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Observation, AWrongFileIsRefusedByTheSampler) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  const Arguments sample{"sample", "run", "--marginal", "0", "-n", "5", "--observation"};
  for (const WrongFile& file : kWrongFiles) {
    put_bytes(scratch.path() / file.name, file.content);
    expect_refused(run_program(scratch.path(), sample + Arguments{file.name}), 2, file.message);
  }
}

TEST(Observation, AFileInPlaceOfTheTasksOwnDataIsUsed) {
  const TemporaryDirectory scratch;
  put_bytes(scratch.path() / "data.csv", "a,b,c\n0.57,0.8,1.0\n");
  const ProgramResult result =
      run_program(scratch.path(), small_run("run") + Arguments{"--observation", "data.csv"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_TRUE(contains(bytes_of(scratch.path() / "run" / "run.json"), "0.57"));
}

}  // namespace
}  // namespace hone
