#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/prior/prior.h"
#include "hone/store/simulation_store.h"

namespace hone {

// Where simulations that exist already are to be found. The ending of the file names its format:
//   .h5 .hdf5  data sets `theta` and `x` of these names (or paths, "group/theta")
//   .npz       members of these names
//   .csv       a header; columns named like the parameters are theta, all others are x. Or two
//              files, one with theta and one with x, row by row, whose headers may be left out
struct DatasetSource {
  std::filesystem::path file;
  std::filesystem::path x_file = {};  // csv only: x, when `file` has theta alone
  std::string theta = "theta";
  std::string x = "x";

  bool operator==(const DatasetSource&) const = default;
};

// As they are in the file. An x of more than two dimensions is flattened, row by row.
struct ExistingSimulations {
  Matrix<double> theta;  // (n, parameters)
  Matrix<double> x;      // (n, data size)
  Index rows() const { return theta.rows(); }
};

// Reads and checks the shapes: as many rows in both, a column for every parameter (in csv files
// with a header found by its name, elsewhere in the order of the names). The file may hold
// anything: what is wrong with it is an Error{input} with file, row and column.
ExistingSimulations read_dataset(const DatasetSource& source,
                                 const std::vector<std::string>& parameters);

// Of the numbers in a data set, whatever file they are in: 16 hexadecimal digits.
std::string dataset_checksum(const ExistingSimulations& simulations);

// As rows for a store: the id is the row's number, round 0, seed 0. A row whose x has a NaN, an
// infinity or a number beyond float is a failed simulation, but for NaN in columns marked in
// may_be_missing, which may be empty. A theta that is not finite or lies
// outside the prior's support is an Error{input} that names file, row and parameter.
SimulationRows dataset_rows(const ExistingSimulations& simulations, const Prior& prior,
                            const DatasetSource& source, std::span<const char> may_be_missing = {});

// Puts those rows into the store that are not in it yet: may be interrupted, and repeated.
void append_missing(SimulationStore& store, const SimulationRows& rows);

// Were they drawn from the prior? One sentence for each parameter of which that is incredible (a
// Kolmogorov-Smirnov test at 1e-6): a posterior from such data would be wrong.
std::vector<std::string> prior_mismatches(const SimulationRows& rows, const Prior& prior);

}  // namespace hone
