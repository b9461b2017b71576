#include "hone/report/label.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string plain(const std::string& markup) {
  return plain_text(parse_label(markup));
}

TEST(Label, GreekLettersAndScripts) {
  EXPECT_EQ(plain("\\Omega_b h^2"), "Ω_b h^2");
  EXPECT_EQ(plain("$\\log_{10} M_\\odot$"), "log_10 M_☉");
  EXPECT_EQ(plain("H_0 [km s^{-1} Mpc^{-1}]"), "H_0 [km s^−1 Mpc^−1]");
  EXPECT_EQ(plain("\\mathrm{SFR}\\,\\dot{M}"), "SFR\u2009M\u0307");
}

TEST(Label, NamesOfFunctionsStandApartFromWhatFollows) {
  EXPECT_EQ(plain("\\log r"), "log\u2009r");
  EXPECT_EQ(plain("\\ln\\sigma"), "ln\u2009σ");
  EXPECT_EQ(plain("\\log(r)"), "log(r)");
  EXPECT_EQ(plain("\\log"), "log");
  EXPECT_EQ(plain("\\alpha r"), "αr") << "a letter is no function";
}

TEST(Label, ScriptsAreSmallerAndMoved) {
  const Label label = parse_label("x_a^b");
  ASSERT_EQ(label.size(), 3U);
  EXPECT_LT(label[1].rise, 0);
  EXPECT_GT(label[2].rise, 0);
  EXPECT_LT(label[1].scale, 1);
  EXPECT_FALSE(label[1].stacked);
  EXPECT_TRUE(label[2].stacked);
  const Label nested = parse_label("x^{a_b}");
  ASSERT_EQ(nested.size(), 3U);
  EXPECT_LT(nested[2].scale, nested[1].scale);
}

TEST(Label, WhatIsNotUnderstoodIsShown) {
  EXPECT_EQ(plain("\\frobnicate x"), "\\frobnicate x");
  for (const char* odd :
       {"{", "}", "_", "^", "\\", "x_{", "x^", "a__b", "$", "_^_^", "{{}", "\\dot"}) {
    EXPECT_NO_THROW(parse_label(odd)) << odd;
  }
  EXPECT_EQ(plain("a<script>b"), "a<script>b");
}

TEST(Label, NamesStayAsTheyAreButForNumberedGreek) {
  EXPECT_EQ(plain_text(parameter_label("theta_0", "")), "θ_0");
  EXPECT_EQ(plain_text(parameter_label("sigma", "")), "σ");
  EXPECT_EQ(plain_text(parameter_label("log_mass", "")), "log_mass");
  EXPECT_EQ(plain_text(parameter_label("mass_1", "")), "mass_1");
  EXPECT_EQ(plain_text(parameter_label("m", "M^2")), "M^2");
}

}  // namespace
}  // namespace hone
