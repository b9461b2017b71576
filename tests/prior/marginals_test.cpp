#include "hone/prior/marginals.h"

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/core/error.h"

namespace hone {
namespace {

const std::vector<std::string> kNames = {"mass", "radius", "age"};

std::string refusal(std::string_view text) {
  return error_text([&] { parse_marginal(text, kNames); }, ErrorKind::input);
}

TEST(Marginals, CountAllPairs) {
  EXPECT_EQ(one_dimensional(10).size(), 10u);
  EXPECT_EQ(two_dimensional(10).size(), 45u);
  EXPECT_EQ(two_dimensional(3), (std::vector<Marginal>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(joint(3), (Marginal{0, 1, 2}));
  EXPECT_TRUE(two_dimensional(1).empty());
}

TEST(Marginals, AreReadByNameOrIndex) {
  EXPECT_EQ(parse_marginal("mass,radius", kNames), (Marginal{0, 1}));
  EXPECT_EQ(parse_marginal("age, mass", kNames), (Marginal{0, 2}));
  EXPECT_EQ(parse_marginal("2,0", kNames), (Marginal{0, 2}));
  EXPECT_EQ(parse_marginal("1", kNames), (Marginal{1}));
  EXPECT_EQ(marginal_name({0, 2}, kNames), "mass,age");
}

TEST(Marginals, RefusalsSayWhatIsWrong) {
  EXPECT_EQ(refusal("mass,raduis"),
            "marginal 'mass,raduis': no parameter is called 'raduis'; did you mean 'radius'? "
            "allowed: mass, radius, age");
  EXPECT_EQ(refusal("3"), "marginal '3': index 3 must be between 0 and 2");
  EXPECT_EQ(refusal("-1"), "marginal '-1': index -1 must be between 0 and 2");
  EXPECT_EQ(refusal("99999999999999999999"),
            "marginal '99999999999999999999': index 99999999999999999999 must be between 0 and 2");
  EXPECT_EQ(refusal("mass,0"), "marginal 'mass,0': parameter 'mass' is named twice");
  EXPECT_EQ(refusal("mass,"),
            "marginal 'mass,': a parameter is missing; write names or indices as 'a,b'");
  EXPECT_EQ(refusal(""), "marginal '': a parameter is missing; write names or indices as 'a,b'");
}

}  // namespace
}  // namespace hone
