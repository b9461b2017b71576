#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/estimate/options.h"

namespace hone {

// What stands between the data and the networks. embedding = auto looks at what the data are:
//
//   sets                every element through a small network, then means and largest values
//   series, images      convolutions; short ones as they are
//   vectors             as they are
//   all but sets        together, where they are many numbers: linear estimates of the parameters
//                       and of products of two (engine/ridge.h) beside all this, and landmarks of
//                       series and images (engine/traits.h)
//
// Data that are nothing but a short vector have no embedding. What is named by the options instead,
// or chosen already, stays. docs/benchmarks/shapes.md has the measurements behind the numbers.
EmbeddingOptions chosen_embedding(const InferenceOptions& options, const DataSize& data);

// Which of its forms to train, where there are estimates: these without what else is seen of
// series, images and long vectors; these with landmarks; and with the encoders. Few simulations
// near the posterior are compressed best by the estimates alone; far from it, where the data are
// not nearly linear in the parameters, landmarks tell where a source is; encoders learn what
// neither knows, from more simulations. Validation decides.
std::vector<EmbeddingOptions> embedding_forms(const EmbeddingOptions& chosen);

double sum_of_losses(std::span<const MemberHistory> histories);  // of the best epochs

// The form of the embedding with the smaller validation loss. train(embedding) returns a result
// with histories.
template <typename Train>
auto train_best_form(const EmbeddingOptions& chosen, Train&& train) {
  const std::vector<EmbeddingOptions> forms = embedding_forms(chosen);
  auto best = train(forms.front());
  for (std::size_t i = 1; i < forms.size(); ++i) {
    auto next = train(forms[i]);
    if (sum_of_losses(next.histories) < sum_of_losses(best.histories)) best = std::move(next);
  }
  return best;
}
// The options of training with encoders: they need more steps than networks that see the data
// themselves, so that few simulations get up to 10 / 3 times the epochs that are asked for.
void fit_training_to_encoders(TrainingOptions& training, const DataSize& data);

// One line for people: "map: convolutions of 16, 32 channels, 10 features; 14 linear estimates of
// the parameters". `embedding` must not be none.
std::string describe(const EmbeddingOptions& embedding, const DataDescription& data);

}  // namespace hone
