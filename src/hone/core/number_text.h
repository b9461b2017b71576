#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// Numbers of a text, separated by commas, semicolons or blanks, in any number of lines. A first
// line that holds no number is taken as a header; text after '#' is ignored. Fortran's exponents
// (1.5D-3) and leading plus signs are understood, nan and inf are numbers. Error{input} with name,
// line and word for anything else, or if there are none.
std::vector<double> parse_numbers(std::string_view text, const std::string& name);

// The same; nan and inf are errors too.
std::vector<double> parse_finite_numbers(std::string_view text, const std::string& name);

}  // namespace hone
