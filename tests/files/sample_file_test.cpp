#include "hone/files/sample_file.h"

#include <cmath>

#include <bzlib.h>

#include "files/test_files.h"
#include "hone/core/npy.h"
#include "hone/files/bz2_file.h"

namespace hone {
namespace {

std::string packed(const std::string& text) {
  std::string out(text.size() * 2 + 1000, '\0');
  unsigned size = static_cast<unsigned>(out.size());
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()),
                                     static_cast<unsigned>(text.size()), 9, 0, 0),
            BZ_OK);
  out.resize(size);
  return out;
}

class SampleFile : public testing::Test {
 protected:
  std::filesystem::path put(const std::string& name, const std::string& bytes) {
    put_bytes(scratch.path() / name, bytes);
    return scratch.path() / name;
  }
  std::string refused(const std::string& name, const std::string& bytes) {
    const auto file = put(name, bytes);
    const std::string text = error_text([&] { read_samples(file); }, ErrorKind::input);
    EXPECT_TRUE(contains(text, name)) << text;
    return text;
  }
  TemporaryDirectory scratch;
};

const std::string kTable = "parameter_1,parameter_2\n1.5,2\n-3e-1,nan\n";

TEST_F(SampleFile, ReadsTheLayoutOfSbibm) {
  for (const auto& file : {put("a.csv", kTable), put("a.csv.bz2", packed(kTable))}) {
    const SampleTable table = read_samples(file);
    EXPECT_EQ(table.names, (std::vector<std::string>{"parameter_1", "parameter_2"}));
    ASSERT_EQ(table.values.rows(), 2);
    EXPECT_EQ(table.values(0, 0), 1.5);
    EXPECT_EQ(table.values(1, 0), -0.3);
    EXPECT_TRUE(std::isnan(table.values(1, 1)));
  }
}

TEST_F(SampleFile, ReadsNumbersWithoutNames) {
  Matrix<double> values(3, 2);
  for (Index i = 0; i < 6; ++i) values.data()[i] = static_cast<double>(i);
  for (const auto& file : {put("a.csv", "0,1\n2,3\n4,5\n"), put("a.npy", npy_bytes(values))}) {
    const SampleTable table = read_samples(file);
    EXPECT_TRUE(table.names.empty());
    ASSERT_EQ(table.values.rows(), 3);
    EXPECT_EQ(table.values(2, 1), 5);
  }
}

TEST_F(SampleFile, RefusesWhatIsNotASample) {
  EXPECT_TRUE(contains(refused("a.txt", "1"), "unknown format"));
  EXPECT_TRUE(contains(refused("a.csv", ""), "no draws"));
  EXPECT_TRUE(contains(refused("a.csv", "x,y\n"), "no draws"));
  EXPECT_TRUE(contains(refused("a.csv", "x,y\n1,2\n1\n"), "line 3"));
  EXPECT_TRUE(contains(refused("a.csv", "x,y\n1,two\n"), "column 2: 'two' is not a number"));
  refused("a.npy", "not numpy");
  refused("a.npz", "not zip");
  EXPECT_TRUE(
      contains(error_text([&] { read_samples(scratch.path() / "none.csv"); }, ErrorKind::input),
               "none.csv"));
}

TEST_F(SampleFile, RefusesABzip2FileThatIsCutAtAnyByte) {
  const std::string bytes = packed(kTable);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::string text = refused("a.csv.bz2", bytes.substr(0, length));
    EXPECT_TRUE(contains(text, length < 3 ? "does not begin" : "ends too early")) << text;
  }
}

TEST_F(SampleFile, NeverReadsWrongNumbersFromADamagedBzip2File) {
  const std::string bytes = packed(kTable);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const auto file = put("a.csv.bz2", damaged);
    // A few bits mean nothing; the checksum vouches for what is read.
    try {
      EXPECT_EQ(read_bz2_file(file), kTable) << at;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_TRUE(contains(error.what(), "a.csv.bz2")) << error.what();
    }
  }
  EXPECT_TRUE(contains(refused("a.csv.bz2", bytes + "more"), "what follows"));
  EXPECT_TRUE(contains(refused("a.csv.bz2", bytes + bytes.substr(0, 20)), "ends too early"));
}

TEST_F(SampleFile, ReadsSeveralBzip2StreamsAndLargeOnes) {
  std::string large;
  for (int i = 0; i < 200000; ++i) large += std::to_string(i) + "\n";
  const auto file = put("a.csv.bz2", packed(large) + packed("-1\n"));
  EXPECT_EQ(read_bz2_file(file), large + "-1\n");
  EXPECT_EQ(read_samples(file).values.rows(), 200001);
}

}  // namespace
}  // namespace hone
