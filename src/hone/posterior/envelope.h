#pragma once

#include <vector>

#include "hone/posterior/marginal_posterior.h"
#include "hone/posterior/weighted_pick.h"

namespace hone {

// (rows, dimensions), uniform on the unit cube.
Matrix<float> uniform_points(Index rows, Index dimensions, Rng rng);

// A step function over the unit cube of local coordinates that follows a posterior density from
// above: what rejection proposes from. Cells of a grid in one and two dimensions; in more, where a
// grid would be too coarse to know the density, one cell.
//
// It is above the density on a finer grid, not everywhere: whoever meets a higher density raises it
// and starts again.
class Envelope {
 public:
  Envelope(const MarginalPosterior& posterior, const Rng& rng);

  // Points (rows, dimensions) that follow the envelope, and its log at each.
  struct Proposals {
    Matrix<float> points;
    std::vector<double> log_bound;
  };
  Proposals propose(Index rows, Rng rng) const;

  // By a factor of exp(excess) everywhere.
  void raise(double excess) { raised_ += excess; }

  // Of the proposals, those that rejection keeps: 1 over the integral of the envelope.
  double acceptance() const;

 private:
  Envelope(Index cells, Index dimensions, std::vector<double> log_height);

  Index cells_, dimensions_;        // cells per axis
  std::vector<double> log_height_;  // (cells^dimensions), last axis fastest
  WeightedPick pick_;
  double raised_ = 0;
};

}  // namespace hone
