#pragma once

#include "hone/engine/trainer.h"

namespace hone {

// Throws Error{input} for options out of range, shapes that do not fit, too few rows.
void check_training_input(const TrainingData& data, std::span<const MemberSpec> members,
                          const NetworkOptions& network, const EmbeddingOptions& embedding,
                          const TrainingOptions& options);

}  // namespace hone
