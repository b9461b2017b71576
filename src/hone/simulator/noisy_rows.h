#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hone/core/rng.h"
#include "hone/engine/row_source.h"
#include "hone/simulator/noise.h"

namespace hone {

// Data for training: rows of noiseless parts, with other noise in every realisation. The noise of a
// row comes from a stream named by its simulation's id and the realisation: it does not depend on
// threads, on the order of reading or on what else there is.
class NoisyRows final : public RowSource {
 public:
  // ids: (rows of noiseless) their simulations. The noise must outlive this.
  NoisyRows(std::unique_ptr<RowSource> noiseless, const NoiseModel& noise,
            std::vector<std::int64_t> ids, const Rng& rng);

  Index rows() const override { return noiseless_->rows(); }
  Index cols() const override { return noise_.data_size(); }
  bool random() const override { return true; }
  void read(MatrixView<float> out, std::span<const Index> rows) const override {
    read_realisation(out, rows, 0);
  }
  // Error{simulator} names the simulation whose noise is not finite.
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override;

 private:
  std::unique_ptr<RowSource> noiseless_;
  const NoiseModel& noise_;
  std::vector<std::int64_t> ids_;
  Rng rng_;
};

}  // namespace hone
