#include "hone/files/array_file.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "files/test_files.h"
#include "hone/files/files.h"
#include "hone/files/hdf5.h"
#include "hone/files/sealed_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::vector<NamedArray> some_arrays() {
  return {{"bias", {3}, std::vector<float>{1, 2, 3}},
          {"density", {2, 2}, std::vector<double>{0.1, 0.2, 0.3, 0.4}},
          {"empty", {0, 5}, std::vector<float>{}},
          {"log evidence", {}, std::vector<double>{-3.5}},
          {"weight", {2, 1, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}}};
}

TEST(ArrayFile, GivesBackWhatWasWritten) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "network.h5";
  write_arrays(path, some_arrays());
  EXPECT_EQ(read_arrays(path), some_arrays());
  EXPECT_EQ(find_array(some_arrays(), "bias").shape, std::vector<Index>{3});
  EXPECT_TRUE(contains(error_text([&] { find_array(some_arrays(), "gain"); }), "gain"));
}

TEST(ArrayFile, HasTheSameBytesForTheSameContent) {
  const TemporaryDirectory directory;
  std::vector<NamedArray> arrays = some_arrays();
  for (int i = 0; i < 300; ++i) {
    arrays.push_back({"head." + std::to_string(i), {1}, std::vector<float>{float(i)}});
  }
  write_arrays(directory.path() / "a.h5", arrays);
  ::sleep(1);  // a stored time would differ
  std::ranges::reverse(arrays);
  write_arrays(directory.path() / "a longer name.h5", arrays);
  EXPECT_EQ(bytes_of(directory.path() / "a.h5"), bytes_of(directory.path() / "a longer name.h5"));
  EXPECT_EQ(read_arrays(directory.path() / "a.h5").size(), arrays.size());

  arrays[0].name = "other";
  write_arrays(directory.path() / "b.h5", arrays);
  EXPECT_NE(bytes_of(directory.path() / "a.h5"), bytes_of(directory.path() / "b.h5"));
}

TEST(ArrayFile, MayBeEmpty) {
  const TemporaryDirectory directory;
  write_arrays(directory.path() / "a.h5", {});
  EXPECT_TRUE(read_arrays(directory.path() / "a.h5").empty());
}

TEST(ArrayFile, KeepsSlashesAndPercentSignsInNames) {
  const TemporaryDirectory directory;
  const std::vector<NamedArray> arrays{{"50 %", {1}, std::vector<float>{1}},
                                       {"a%2Fb", {1}, std::vector<float>{2}},
                                       {"a/b", {1}, std::vector<float>{3}},
                                       {"a0b", {1}, std::vector<float>{4}}};
  write_arrays(directory.path() / "a.h5", arrays);
  EXPECT_EQ(read_arrays(directory.path() / "a.h5"), arrays);
}

TEST(ArrayFile, RefusesBadNamesAsBugs) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.h5";
  for (const char* name : {"", "."}) {
    const NamedArray array{name, {1}, std::vector<float>{1}};
    EXPECT_THROW(write_arrays(path, std::span(&array, 1)), std::logic_error) << name;
  }
  const std::vector<NamedArray> twice(2, {"a", {1}, std::vector<float>{1}});
  EXPECT_THROW(write_arrays(path, twice), std::logic_error);
  const NamedArray wrong_shape{"a", {2}, std::vector<float>{1}};
  EXPECT_THROW(write_arrays(path, std::span(&wrong_shape, 1)), std::logic_error);
}

TEST(ArrayFile, CutAnywhereIsAnError) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.h5";
  write_arrays(path, some_arrays());
  const std::string bytes = bytes_of(path);
  for (std::size_t length = 0; length < bytes.size(); length += 13) {
    put_bytes(path, bytes.substr(0, length));
    EXPECT_TRUE(contains(error_text([&] { read_arrays(path); }), "a.h5: damaged")) << length;
  }
  put_bytes(path, bytes + "x");
  EXPECT_TRUE(contains(error_text([&] { read_arrays(path); }), "a.h5: damaged"));
}

TEST(ArrayFile, WithAnyBitFlippedIsAnError) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.h5";
  write_arrays(path, some_arrays());
  const std::string bytes = bytes_of(path);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    put_bytes(path, changed);
    EXPECT_TRUE(contains(error_text([&] { read_arrays(path); }), "a.h5: damaged")) << i;
  }
}

TEST(ArrayFile, ThatIsSomethingElseIsAnError) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.h5";
  for (const std::string& bytes : {std::string(), std::string("hello"), std::string(2000, 'x')}) {
    put_bytes(path, bytes);
    EXPECT_TRUE(contains(error_text([&] { read_arrays(path); }), "a.h5: damaged"));
  }
  error_text([&] { read_arrays(directory.path()); });
  error_text([&] { read_arrays(directory.path() / "none.h5"); });
}

// A correct seal around content that hone does not write.
TEST(ArrayFile, OfAForeignTypeIsAnError) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.h5";
  hdf5::Builder builder("foreign");
  const std::vector<std::int32_t> values = {1, 2};
  builder.add("a", {2}, std::span<const std::int32_t>(values));
  write_file_atomically(path, finish_sealed(builder));
  EXPECT_TRUE(contains(error_text([&] { read_arrays(path); }), "array 'a' is int32"));
}

// With the checksum made anew, the damage gets past the seal.
TEST(ArrayFile, DamagedBeforeItWasSealedNeverCrashes) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.h5";
  write_arrays(path, some_arrays());
  const std::string bytes = bytes_of(path);
  const Section contents = verify_body(ReadableFile(path)).contents;
  std::mt19937 random(1);
  int refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string changed = bytes;
    const auto place = static_cast<std::size_t>(contents.offset) +
                       random() % static_cast<std::size_t>(contents.bytes);
    changed[place] = static_cast<char>(trial % 2 == 0 ? random() : '0' + random() % 10);
    seal_image(std::as_writable_bytes(std::span(changed)), contents);
    put_bytes(path, changed);
    try {
      read_arrays(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
      ++refused;
    }
  }
  EXPECT_GT(refused, 200);
}

TEST(ArrayFile, WithAnImpossibleTableOfContentsIsAnError) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.h5";
  const auto entry = [](const std::string& shape, const std::string& rest) {
    return R"([{"name": "a", "type": "float32", "shape": )" + shape + ", " + rest + "}]";
  };
  const std::string good = R"("element_bytes": 4, "offset": 512)";
  for (const std::string& text :
       {std::string("{}x"), std::string("[1]"), std::string(100000, '['), std::string("[{}]"),
        entry("[-1]", good), entry("[1.5]", good), entry("7", good), entry("[[1]]", good),
        entry("[4611686018427387904, 4]", good), entry("[18446744073709551615]", good),
        entry("[1]", R"("element_bytes": 8, "offset": 512)"),
        entry("[1]", R"("element_bytes": 0, "offset": 512)"),
        entry("[1]", R"("element_bytes": 4, "offset": -1)"),
        entry("[1]", R"("element_bytes": 4, "offset": 9223372036854775807)"),
        entry("[1000000000]", good)}) {
    std::string file(512, ' ');
    file += text;
    seal_image(std::as_writable_bytes(std::span(file)), {512, static_cast<Index>(text.size())});
    put_bytes(path, file);
    const std::string error = error_text([&] { read_arrays(path); });
    EXPECT_TRUE(contains(error, "a.h5: damaged: ")) << error << text.substr(0, 100);
  }
}

TEST(ArrayFile, IsThatSameFileToOtherReadersOfHdf5) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.h5";
  write_arrays(path, some_arrays());
  const hdf5::File file(path);
  EXPECT_EQ(file.names(), (std::vector<std::string>{"bias", "density", "empty", kContentsName,
                                                    "log evidence", "weight"}));
  EXPECT_EQ(file.read<double>("density", {2, 2}), (std::vector<double>{0.1, 0.2, 0.3, 0.4}));
  EXPECT_EQ(file.read<double>("log evidence", {}), std::vector<double>{-3.5});
  const SealedFile sealed(path);
  for (const hdf5::Dataset& dataset : sealed.datasets()) {
    const hdf5::Dataset same = file.describe(dataset.name);
    EXPECT_EQ(same.offset, dataset.offset) << dataset.name;
    EXPECT_EQ(same.element, dataset.element);
    EXPECT_EQ(same.element_bytes, dataset.element_bytes);
    EXPECT_EQ(same.shape, dataset.shape);
  }
}

TEST(Hdf5, ChecksTypeAndShapeBeforeReading) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.h5";
  hdf5::Builder builder("test");
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const std::vector<std::string> words = {"one", "", "three"};
  builder.add("values", {2, 3}, std::span<const double>(values));
  builder.add_text("words", words);
  builder.add_text("no words", {});
  write_file_atomically(path, builder.finish());

  const hdf5::File file(path);
  EXPECT_EQ(file.names(), (std::vector<std::string>{"no words", "values", "words"}));
  EXPECT_EQ(file.read<double>("values", {2, 3}), values);
  EXPECT_EQ(file.read_text("words", 3), words);
  EXPECT_TRUE(file.read_text("no words", 0).empty());
  EXPECT_TRUE(contains(error_text([&] {
                         file.read<float>("values", {2, 3});
                       }),
                       "'values' is float64 (2, 3); float32 (2, 3) was expected"));
  error_text([&] { file.read<double>("values", {3, 2}); });
  error_text([&] { file.read<double>("values", {6}); });
  error_text([&] { file.read<double>("words", {3}); });
  error_text([&] { file.read_text("values", 6); });
  EXPECT_TRUE(contains(error_text([&] { file.read<double>("none", {1}); }), "is missing"));
  EXPECT_THROW(hdf5::element_count({Index{1} << 40, Index{1} << 40}, "x"), Error);
}

}  // namespace
}  // namespace hone
