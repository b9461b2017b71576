#include "hone/estimate/piece_training.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "hone/estimate/factors.h"
#include "hone/estimate/network_coordinates.h"

namespace hone {
namespace {

// Columns in an order of its own for every member of the ensemble, behind those that are given.
std::vector<MemberSpec> likelihood_members(const DataPieces& pieces, Index transforms, int ensemble,
                                           const Rng& rng) {
  std::vector<MemberSpec> members;
  for (int e = 0; e < ensemble; ++e) {
    const auto replica = static_cast<std::uint64_t>(e);
    const auto order = rng.child("order", replica).permutation(pieces.step());
    for (const std::vector<int>& factor : factors_of({order.begin(), order.end()}, transforms)) {
      std::vector<int> columns(static_cast<std::size_t>(pieces.given));
      std::iota(columns.begin(), columns.end(), 0);
      for (const int column : factor) {
        columns.push_back(static_cast<int>(pieces.given) + column);
      }
      members.push_back({std::move(columns), replica});
    }
  }
  return members;
}

// Of more rows the density of an element learns little more. That of a step says how values follow
// each other all along a series, and small errors add up.
constexpr Index kMostElementRows = 100'000, kMostStepRows = 200'000;

Index used_pieces(const DataPieces& pieces, Index simulations) {
  const Index most = pieces.given > 0 ? kMostStepRows : kMostElementRows;
  return std::clamp(most / simulations, Index{1}, pieces.count);
}

// What the densities of pieces learn from: rows of x, taken apart, and the parameters of each.
struct PieceTable {
  PieceTable(const Dataset& data, const RowSource& source, const DataPieces& pieces)
      : used(used_pieces(pieces, data.rows())),
        x(source, pieces, used),
        contexts(x.rows(), 2 * data.prior.dimensions()),
        training(rows_of(data.training, pieces.may_be_absent)),
        validation(rows_of(data.validation, pieces.may_be_absent)) {
    const Matrix<float> parameters = parameter_features(data.prior, data.theta);
    for (Index r = 0; r < x.rows(); ++r) {
      std::ranges::copy(parameters.row(r / used), contexts.row(r).begin());
    }
  }
  std::vector<Index> rows_of(const std::vector<Index>& simulations, bool may_be_absent) const {
    std::vector<Index> rows;
    Matrix<float> values(used, x.cols());
    for (const Index i : simulations) {
      std::vector<Index> own(static_cast<std::size_t>(used));
      std::iota(own.begin(), own.end(), i * used);
      if (may_be_absent) x.read(values, own);
      for (Index p = 0; p < used; ++p) {
        if (!may_be_absent || !has_gap(values.row(p))) rows.push_back(i * used + p);
      }
    }
    return rows;
  }

  Index used;  // of the pieces
  PieceRows x;
  Matrix<float> contexts;
  std::vector<Index> training, validation;
};

// The densities of the pieces of rows of x, which belong to the simulations of the request.
DensityResult train(const EstimationRequest& request, const RowSource& x, const DataPieces& pieces,
                    const Rng& rng, ProcessGroup& group) {
  const PieceTable table(request.data, x, pieces);
  const SpreadRows rows(table.x, table.training, pieces.given, rng);
  const InferenceOptions options =
      fitted_densities(request.options, size_of_pieces(data_size(request.data), pieces));
  TrainingOptions training = options.training;
  training.column_shrinkage = 0;  // columns of the data are not the context here
  const Index transforms = options.density.transforms;
  const std::vector endless(static_cast<std::size_t>(pieces.columns),
                            std::numeric_limits<float>::infinity());
  const std::vector from(endless.size(), -endless.front());
  return train_densities({rows, table.contexts, table.training, table.validation},
                         likelihood_members(pieces, transforms, request.ensemble, rng),
                         {.what = DensityOf::data,
                          .form = options.density.form,
                          .components = options.density.components,
                          .bounds = {from, endless},
                          .transforms = transforms},
                         options.network, {}, training, rng, request.observer, group);
}

}  // namespace

DataSize size_of_pieces(DataSize size, const DataPieces& pieces) {
  const Index used = used_pieces(pieces, size.rows);
  size.rows *= used;
  size.training_rows *= used;
  size.columns = pieces.columns;
  return size;
}

DensityResult train_pieces(const EstimationRequest& request, const DataPieces& pieces,
                           ProcessGroup& group) {
  return train(request, *request.data.x, pieces, request.rng, group);
}

DensityResult train_first_values(const EstimationRequest& request, Index channels,
                                 ProcessGroup& group) {
  const FunctionRows first(*request.data.x, channels, [channels](MatrixView<const float> x) {
    Matrix<float> values(x.rows(), channels);
    for (Index i = 0; i < x.rows(); ++i) {
      std::copy_n(x.row(i).begin(), channels, values.row(i).begin());
    }
    return values;
  });
  return train(request, first, {.columns = channels}, request.rng.child("first"), group);
}

}  // namespace hone
