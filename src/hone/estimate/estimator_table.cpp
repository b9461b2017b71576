#include "hone/estimate/estimator_table.h"

#include <algorithm>
#include <vector>

#include "hone/estimate/combined_estimation.h"
#include "hone/estimate/density_estimator.h"
#include "hone/estimate/gap_regression.h"
#include "hone/estimate/joint_estimation.h"
#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/ratio_estimator.h"
#include "hone/estimate/read_only_estimation.h"
#include "hone/estimate/regression_likelihood.h"

namespace hone {

std::span<const EstimatorEntry> estimator_table() {
  static const std::vector<EstimatorEntry> table{
      {ratio_estimation, "a ratio of all parameters", 0},
      {likelihood_estimation, "the run's likelihood times the prior", 1},
      {element_likelihood_estimation, "the run's likelihood of elements times the prior", 1},
      {transition_likelihood_estimation, "the run's likelihood of steps times the prior", 1},
      {column_likelihood_estimation,
       "the run's likelihood of the columns that depend on parameters times the prior", 1},
      {regression_estimation, "the run's likelihood by regression times the prior", 2},
      {gap_regression_estimation, "the run's likelihood by regression times the prior", 3},
      {combined_estimation, "the mixture of estimators of this run"},
      {density_estimation, "a density of all parameters"},
      {joint_ratio_estimation, "a ratio of all parameters"},
      {joint_density_estimation, "a density of all parameters"},
      {joint_likelihood_estimation, "the run's likelihood times the prior"},
      {ratio_parts_estimation, "a ratio of all parameters"},
      {sample_estimation, "the samples of the run"},
  };
  return table;
}

const EstimatorEntry* find_estimator_entry(const std::string& name) {
  const auto found = std::ranges::find(estimator_table(), name,
                                       [](const EstimatorEntry& one) { return one.kind().name; });
  return found == estimator_table().end() ? nullptr : &*found;
}

const EstimatorKind* reader_of_part(double number) {
  for (const EstimatorEntry& one : estimator_table()) {
    if (one.part && *one.part == number) return &one.kind();
  }
  return nullptr;
}

}  // namespace hone
