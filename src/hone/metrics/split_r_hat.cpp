#include "hone/metrics/split_r_hat.h"

#include <cmath>
#include <limits>
#include <vector>

#include "hone/core/error.h"

namespace hone {
namespace {

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments(MatrixView<const double> chains, Index chain, Index begin, Index count) {
  Moments result;
  for (Index i = begin; i < begin + count; ++i) result.mean += chains(i, chain);
  result.mean /= static_cast<double>(count);
  for (Index i = begin; i < begin + count; ++i) {
    result.variance += std::pow(chains(i, chain) - result.mean, 2);
  }
  result.variance /= static_cast<double>(count - 1);
  return result;
}

}  // namespace

double split_r_hat(MatrixView<const double> chains) {
  const Index half = chains.rows() / 2;
  HONE_ASSERT(half >= 2 && chains.cols() >= 1);
  std::vector<Moments> halves;
  for (Index k = 0; k < chains.cols(); ++k) {
    halves.push_back(moments(chains, k, 0, half));
    halves.push_back(moments(chains, k, chains.rows() - half, half));
  }
  const double count = static_cast<double>(halves.size()), steps = static_cast<double>(half);
  double mean = 0, within = 0, between = 0;
  for (const Moments& one : halves) {
    mean += one.mean / count;
    within += one.variance / count;
  }
  for (const Moments& one : halves) between += std::pow(one.mean - mean, 2) / (count - 1);
  if (within == 0) return between == 0 ? 1 : std::numeric_limits<double>::infinity();
  return std::sqrt((steps - 1) / steps + between / within);
}

}  // namespace hone
