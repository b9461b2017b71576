#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hone/core/data_description.h"
#include "hone/core/rng.h"
#include "hone/engine/row_source.h"

namespace hone {

// Data for training with values taken away: in blocks with Missing::random, each by itself, of sets
// whole elements. What is taken from a row is another in every realisation, and comes from a stream
// named by its simulation's id and the realisation.
//
// Half of all rows get the gaps of the observation: these are the gaps that the answer is about.
// The other half lose each value with a probability that is drawn for the row and the block, so
// that the networks know data with few gaps, with many, and with none at all.
class MaskedRows final : public RowSource {
 public:
  // ids: (rows of whole) their simulations. observed_gaps: 1 for each column that the observation
  // lacks; empty if there is none, or it lacks nothing.
  MaskedRows(std::unique_ptr<RowSource> whole, const DataDescription& data,
             std::vector<char> observed_gaps, std::vector<std::int64_t> ids, const Rng& rng);

  Index rows() const override { return whole_->rows(); }
  Index cols() const override { return whole_->cols(); }
  bool random() const override { return true; }
  void read(MatrixView<float> out, std::span<const Index> rows) const override {
    read_realisation(out, rows, 0);
  }
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override;

  // Some block of these data has Missing::random.
  static bool has_work(const DataDescription& data);

 private:
  struct Part {
    Index column = 0, units = 0, values = 0;  // so many values of a unit come and go together
  };
  void mask(std::span<float> x, Rng rng) const;

  std::unique_ptr<RowSource> whole_;
  std::vector<Part> parts_;
  std::vector<char> observed_gaps_;
  std::vector<std::int64_t> ids_;
  Rng rng_;
};

}  // namespace hone
