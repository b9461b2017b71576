// What a confined process says of the HDF5 file of somebody else.
#include "hone/files/hdf5_answer.h"

#include <cstring>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/files/files.h"

namespace hone::hdf5 {
namespace {

const std::vector<Numbers> kArrays{{{2, 3}, {1, 2, 3, 4, 5, 6}}, {{2}, {7, 8}}};

// Files stand for the pipe: they end too.
class Hdf5Answer : public testing::Test {
 protected:
  template <typename Write>
  std::string said(Write&& write) const {
    {
      const FileDescriptor pipe(::open(file().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644));
      write(pipe.get());
    }
    return bytes_of(file());
  }
  std::optional<std::vector<Numbers>> heard(const std::string& bytes, Index most = 100) const {
    put_bytes(file(), bytes);
    const FileDescriptor pipe(::open(file().c_str(), O_RDONLY));
    return read_answer(pipe.get(), kArrays.size(), most);
  }
  std::filesystem::path file() const { return scratch_.path() / "pipe"; }

  TemporaryDirectory scratch_;
};

TEST_F(Hdf5Answer, IsHeardAsItWasSaid) {
  const auto arrays = heard(said([](int pipe) { write_numbers(pipe, kArrays); }));
  ASSERT_TRUE(arrays);
  for (std::size_t i = 0; i < kArrays.size(); ++i) {
    EXPECT_EQ((*arrays)[i].shape, kArrays[i].shape);
    EXPECT_EQ((*arrays)[i].values, kArrays[i].values);
  }
}

TEST_F(Hdf5Answer, WithoutItsEndIsNoAnswer) {
  const std::string whole = said([](int pipe) { write_numbers(pipe, kArrays); });
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(heard(whole.substr(0, length))) << length;
  }
}

TEST_F(Hdf5Answer, ThatContradictsItselfIsNoAnswer) {
  const std::string whole = said([](int pipe) { write_numbers(pipe, kArrays); });
  EXPECT_TRUE(heard(whole, 6));
  EXPECT_FALSE(heard(whole, 5)) << "more values than such a file can hold";
  const auto with = [&](std::size_t place, Index value) {
    std::string changed = whole;
    std::memcpy(changed.data() + place * sizeof value, &value, sizeof value);
    return changed;
  };
  EXPECT_FALSE(heard(with(0, 0))) << "neither numbers nor an error";
  EXPECT_FALSE(heard(with(1, 33))) << "more dimensions than HDF5 has";
  EXPECT_FALSE(heard(with(2, 1))) << "(1, 3), but 6 values";
  EXPECT_FALSE(heard(with(4, -1))) << "-1 values";
  EXPECT_THROW(heard(with(2, -2)), Error) << "an impossible shape";
}

TEST_F(Hdf5Answer, MayBeAnErrorOfLimitedLength) {
  const std::string long_text(20000, 'x');
  try {
    heard(said([&](int pipe) { write_error(pipe, "a.h5: no such data set" + long_text); }));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(std::string(error.what()).find("a.h5: no such data set"), 0U);
    EXPECT_EQ(std::strlen(error.what()), 10000U);
  }
}

}  // namespace
}  // namespace hone::hdf5
