#pragma once

// What is too much, for the warnings of a run and for the checks that say the same at more length:
// said once, so that they never disagree.

namespace hone {

// Density at an edge of the region over the peak. A Gaussian cut at 0.01 of its peak has lost 0.2 %
// of its mass, at 0.2 it has lost 4 %.
constexpr double kEdgeCaution = 0.01, kEdgeFail = 0.2;

// Scatter of the means of an ensemble's networks, in standard deviations of the posterior.
constexpr double kEnsembleCaution = 0.3, kEnsembleFail = 1;

}  // namespace hone
