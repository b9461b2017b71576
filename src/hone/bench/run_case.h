#pragma once

#include <filesystem>

#include "hone/bench/reference.h"
#include "hone/bench/row.h"
#include "hone/core/observer.h"

namespace hone {

// Infers all 1-d and 2-d marginals as `hone run` would, and scores samples of each against the
// reference. The run stands in `directory` meanwhile: one that was interrupted there goes on.
// Stages: those of an inference, then "sample" and "c2st".
BenchScores run_case(const BenchCase& run, const BenchReference& reference,
                     const std::filesystem::path& directory, Observer& observer);

}  // namespace hone
