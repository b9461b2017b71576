#pragma once

#include "hone/estimate/estimator.h"

namespace hone {

// Several estimators from the same simulations, combined by evidence (evidence.h): ratio networks
// and, where options.estimators allows it, nobody has chosen an embedding, and no parameter is
// discrete, a likelihood made of networks, if data and simulations are few, and one that is a
// regression (regression_likelihood.h). Simulations come from the prior, if truncated, so that none
// of them needs a correction.
//
// Ratio networks alone are a RatioEstimator; with others they are a CombinedPosterior
// (hone/posterior/combined_posterior.h), whose training curves are those of the ratio networks.
const EstimatorKind& combined_estimation();

// Whether networks learn a likelihood of these data. It sees the data themselves, and all
// parameters as numbers on a line.
bool may_have_likelihood(const InferenceOptions& options, const Prior& prior, const DataSize& data);

// Whether a likelihood of a series' steps is trained for these data: they are a single series.
bool may_have_transitions(const InferenceOptions& options, const Prior& prior,
                          const DataSize& data);

// With more columns than this a likelihood, which learns them one by one, takes longer than all
// ratio networks, and seldom wins.
inline constexpr Index kMostCombinedColumns = 24;
// Of vectors with more columns, up to so many, those that depend on the parameters are looked for.
inline constexpr Index kMostScreenedColumns = 1000;
// From more simulations than this ratio networks learn as much, in half the time of a run.
inline constexpr Index kMostCombinedRows = 12000;

// Learning takes as long for a long series or a large set as for one of some hundred steps or
// elements, but every draw is asked about all of them: with so many values an observation takes
// 13 s of a core, and each held-out simulation 0.4 s.
inline constexpr Index kMostPieceValues = 1000;
inline constexpr Index kMostChannels = 12;  // a density for each of them

}  // namespace hone
