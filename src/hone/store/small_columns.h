#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/core/data_description.h"
#include "hone/core/matrix.h"
#include "hone/store/simulation_rows.h"

namespace hone {

// Finds columns of data that single precision cannot hold, in which simulations are kept and
// learned from: they would become zeros, and what they say about the parameters would be lost. One
// value that is as small loses nothing where others of its column are larger.
class SmallColumns {
 public:
  explicit SmallColumns(Index columns);

  void look_at(std::span<const double> x);  // a successful simulation, or what a store has of it
  // Whether every column has been seen to be large enough: more rows change nothing.
  bool settled() const { return open_.empty(); }
  // "x[3]: none of its values in 400 simulations is larger than 1e-50 ..."; empty: all is well.
  std::string complaint(const DataDescription& data) const;

 private:
  std::vector<Index> open_;      // columns without a value that is large enough
  std::vector<double> largest_;  // of each of these
  Index rows_ = 0;
};

// Error{input} with the complaint about these, if there is one.
void check_columns(const SimulationRows& rows, const DataDescription& data);

// As a store keeps it: what is not zero does not become zero, so that it can be told from it later.
float kept_value(double x);

}  // namespace hone
