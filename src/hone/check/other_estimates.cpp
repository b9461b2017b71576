#include "hone/check/other_estimates.h"

#include <algorithm>

#include "hone/check/second_opinion.h"
#include "hone/check/sharpness.h"

namespace hone {

std::vector<ComparedPosterior> compared_posteriors(const std::vector<MarginalRanks>& ranks,
                                                   const AmortizedPosterior& estimator,
                                                   const Correction& correction,
                                                   std::span<const double> observation,
                                                   const std::vector<std::string>& names) {
  const Matrix<float> features = estimator.features(observation);
  Matrix<double> middle(1, estimator.prior().dimensions());
  for (double& value : middle.row(0)) value = 0.5;
  RankOptions options;
  options.most_dimensions = 1;
  options.correction = correction;
  const auto observed = rank_draws(block_posteriors(estimator), {features, middle}, Rng(0),
                                   silent_observer(), options);
  std::vector<ComparedPosterior> result;
  for (const MarginalRanks& at : observed) {
    const auto one = std::ranges::find(ranks, at.marginal, &MarginalRanks::marginal);
    ComparedPosterior& compared = result.emplace_back(
        ComparedPosterior{.posterior = {marginal_name(at.marginal, names), one->cdf, one->mean,
                                        one->deviation, at.mean[0], at.deviation[0]}});
    for (Index k = 0; k < at.part_mean.rows(); ++k) {
      const auto means = one->part_mean.row(k);
      compared.rivals.push_back({.kind = RivalKind::part,
                                 .draws = {means.begin(), means.end()},
                                 .observed = at.part_mean(k, 0)});
    }
  }
  return result;
}

void check_against_others(Checks& checks, std::vector<ComparedPosterior> posteriors,
                          const RunDraws& draws, const RunSpec& spec, const Rng& rng) {
  RivalData data{.reference = draws.reference_x,
                 .reference_local = draws.reference_local,
                 .draws = draws.x,
                 .observation = spec.observation,
                 .data = spec.data};
  for (ComparedPosterior& one : posteriors) {
    const int d = parse_marginal(one.posterior.marginal, spec.prior.quantity_names())[0];
    data.parameters.push_back(d);
    for (Index i = 0; i < draws.local.rows(); ++i) one.truths.push_back(draws.local(i, d));
  }
  auto regressions = regression_rivals(data);
  for (std::size_t k = 0; k < posteriors.size(); ++k) {
    std::ranges::move(regressions[k], std::back_inserter(posteriors[k].rivals));
  }
  const std::vector<Opinion> opinions = second_opinions(posteriors);
  if (!opinions.empty()) checks.checks.push_back(second_opinion_result(opinions));
  const std::vector<Sharpness> found = sharpness(posteriors, rng);
  if (!found.empty()) checks.checks.push_back(sharpness_result(found, spec.data.declared()));
}

}  // namespace hone
