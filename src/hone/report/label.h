#pragma once

#include <string>
#include <vector>

#include "hone/report/canvas.h"

namespace hone {

// A piece of a label in one size at one height.
struct LabelPiece {
  std::string text;
  double scale = 1;      // of the font size
  double rise = 0;       // of the baseline, in font sizes
  bool stacked = false;  // begins where the piece before it begins: x with both scripts
};
using Label = std::vector<LabelPiece>;

// A small part of TeX: \Omega_b h^2, H_0 [km s^{-1} Mpc^{-1}], \log_{10} M_\odot. Greek letters and
// common symbols by name, _ and ^ with a character, a command or a group; $ is left out, and what
// is not understood is shown as it is written.
Label parse_label(const std::string& markup);

// The label of a parameter, or its name: as it is, but for theta_1 and the like, which become Greek
// letters with subscripts.
Label parameter_label(const std::string& name, const std::string& label);

// Without sizes, for places that know none: "Ω_b h^2".
std::string plain_text(const Label& label);

double label_width(Canvas& canvas, const Label& label, const TextStyle& style);
void draw_label(Canvas& canvas, const Label& label, Point at, const TextStyle& style);

}  // namespace hone
