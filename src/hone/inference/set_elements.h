#pragma once

#include "hone/core/data_description.h"
#include "hone/engine/row_source.h"

namespace hone {

// Data that are one set can be taken apart: every element is a row of its own.

// How many elements the data have if they are a single set, and nothing else; 1 for other data.
Index element_count(const DataDescription& data);

// The first `used` elements of each row of x, which has `elements`: row r of this table is element
// r % used of row r / used. x must outlive it.
class ElementRows final : public RowSource {
 public:
  ElementRows(const RowSource& x, Index elements, Index used);
  Index rows() const override { return x_.rows() * used_; }
  Index cols() const override { return x_.cols() / elements_; }
  bool random() const override { return x_.random(); }
  void read(MatrixView<float> out, std::span<const Index> rows) const override;
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override;

 private:
  const RowSource& x_;
  Index elements_, used_;
};

// What a set says whatever the order of its elements: the mean over them of each of their values
// and of each product of two, (n, moment_count(c)) for elements of c values.
Index moment_count(Index columns);
Matrix<float> element_moments(MatrixView<const float> x, Index elements);

// The moments of the rows of x, which must outlive it.
class ElementMoments final : public RowSource {
 public:
  ElementMoments(const RowSource& x, Index elements) : x_(x), elements_(elements) {}
  Index rows() const override { return x_.rows(); }
  Index cols() const override;
  bool random() const override { return x_.random(); }
  void read(MatrixView<float> out, std::span<const Index> rows) const override;
  void read_realisation(MatrixView<float> out, std::span<const Index> rows,
                        std::uint64_t realisation) const override;

 private:
  const RowSource& x_;
  Index elements_;
};

}  // namespace hone
