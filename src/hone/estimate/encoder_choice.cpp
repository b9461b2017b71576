#include "hone/estimate/encoder_choice.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "hone/core/error.h"
#include "hone/engine/ridge.h"

namespace hone {
namespace {

// Series and images of fewer places are taken as vectors.
constexpr Index kShortLine = 9;
// Convolutions end when no more places than this are left, after two of them at the earliest: one
// alone sees only sums of functions of sums.
constexpr Index kFewPlaces = 25;
constexpr std::size_t kFewestLayers = 2, kMostLayers = 8;
// Vectors of fewer numbers in all have no estimates: networks see the columns well enough.
constexpr Index kManyColumns = 128;

std::vector<int> convolution_channels(const DataBlock& block, int kernel, int stride) {
  const bool image = block.kind == DataKind::image;
  Index height = image ? block.shape[0] : 1, width = block.shape[image ? 1 : 0];
  std::vector<int> channels;
  const auto next = [&](Index length) { return (length - kernel) / stride + 1; };
  while ((height * width > kFewPlaces || channels.size() < kFewestLayers) && width >= kernel &&
         (!image || height >= kernel) && channels.size() < kMostLayers) {
    channels.push_back(channels.empty() ? 16 : 32);
    width = next(width);
    if (image) height = next(height);
  }
  return channels;
}

Index size_of(const EncoderOptions& block) {
  return DataBlock{.name = "", .kind = block.kind, .shape = block.shape}.size();
}

bool has_places(DataKind kind) {
  return kind == DataKind::series || kind == DataKind::image;
}

EncoderOptions encoder_of(const DataBlock& block, const EmbeddingOptions& wanted) {
  EncoderOptions encoder{.kind = block.kind, .shape = block.shape, .channels = wanted.hidden};
  encoder.missing = block.missing != Missing::never;
  encoder.features = wanted.features;
  if (block.kind == DataKind::set) {
    if (encoder.channels.empty()) encoder.channels = {64, 64};
    return encoder;
  }
  encoder.kernel = wanted.kernel;
  encoder.stride = wanted.stride;
  if (has_places(block.kind) && encoder.channels.empty()) {
    encoder.channels = convolution_channels(block, encoder.kernel, encoder.stride);
  }
  if (!has_places(block.kind) || encoder.channels.empty() || block.size() < kShortLine) {
    return {.kind = DataKind::vector,
            .shape = {block.size()},
            .channels = {},
            .features = 0,
            .missing = encoder.missing};
  }
  return encoder;
}

}  // namespace

EmbeddingOptions chosen_embedding(const InferenceOptions& options, const DataSize& data) {
  const EmbeddingOptions& wanted = options.embedding;
  if (wanted.kind != EmbeddingKind::automatic) return wanted;
  const DataDescription whole({{.name = "x", .kind = DataKind::vector, .shape = {data.columns}}});
  EmbeddingOptions chosen = wanted;
  chosen.kind = EmbeddingKind::blocks;
  Index flat = 0;
  bool encodes = false, gaps = false;
  for (const DataBlock& block : (data.data.declared() ? data.data : whole).blocks()) {
    chosen.blocks.push_back(encoder_of(block, wanted));
    if (block.kind != DataKind::set) flat += block.size();
    encodes |= chosen.blocks.back().features > 0;
    gaps |= chosen.blocks.back().missing;
  }
  const bool regression = options.training.embedding_start == EmbeddingStart::regression;
  if (regression && (flat >= kManyColumns || (encodes && flat > 0))) {
    chosen.estimates = static_cast<int>(target_count(data.parameters));
    chosen.traits = std::ranges::any_of(chosen.blocks, has_places, &EncoderOptions::kind);
  }
  if (!encodes && !gaps && chosen.estimates == 0)
    return {.kind = EmbeddingKind::none, .hidden = {}};
  return chosen;
}

namespace {

// Without what is seen of series, images and long vectors beside the estimates.
EmbeddingOptions estimates_alone(const EmbeddingOptions& chosen) {
  EmbeddingOptions only = chosen;
  only.traits = false;
  for (EncoderOptions& block : only.blocks) {
    const bool is_short = block.kind == DataKind::vector && block.shape[0] < kManyColumns;
    if (block.kind == DataKind::set || is_short) continue;
    const bool places = has_places(block.kind);
    block = {.kind = places ? block.kind : DataKind::series,
             .shape = places ? block.shape : std::vector{size_of(block)},
             .channels = {},
             .features = 0,
             .missing = block.missing};
  }
  return only;
}

}  // namespace

std::vector<EmbeddingOptions> embedding_forms(const EmbeddingOptions& chosen) {
  if (chosen.estimates == 0) return {chosen};
  const EmbeddingOptions only = estimates_alone(chosen);
  std::vector<EmbeddingOptions> forms{only};
  if (chosen.traits) {
    forms.push_back(only);
    forms.back().traits = true;
  }
  forms.push_back(chosen);
  forms.back().traits = false;
  if (forms.back() == only) forms.pop_back();
  return forms;
}

double sum_of_losses(std::span<const MemberHistory> histories) {
  double sum = 0;
  for (const MemberHistory& history : histories) sum += history.best_loss;
  return sum;
}

void fit_training_to_encoders(TrainingOptions& training, const DataSize& data) {
  // With the default of 60 epochs: 1,500 steps, in 200 epochs at most.
  constexpr Index kStepsPerEpoch = 25;
  const Index per_epoch = std::max<Index>(1, data.training_rows / training.batch_size);
  const Index asked = training.max_epochs, epochs = kStepsPerEpoch * asked / per_epoch;
  training.max_epochs = static_cast<int>(std::clamp(epochs, asked, asked * 10 / 3));
  training.patience = std::max(training.patience, training.max_epochs / 6);
}

namespace {

std::string words_for_forms(const EmbeddingOptions& embedding) {
  const std::size_t forms = embedding_forms(embedding).size();
  if (forms == 1) return "";
  return fmt::format(
      ". {} inputs are tried in each training: the estimates alone,{} with all of the above; the "
      "one with the lowest validation loss is used",
      forms == 2 ? "Two" : "Three", embedding.traits ? " with landmarks of the data," : "");
}

}  // namespace

std::string describe(const EmbeddingOptions& embedding, const DataDescription& data) {
  if (embedding.kind != EmbeddingKind::blocks) {
    return fmt::format("embedding of {} features, as asked for", embedding.features);
  }
  constexpr const char* with_gaps = ", and which values are missing";
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < embedding.blocks.size(); ++i) {
    const EncoderOptions& block = embedding.blocks[i];
    const std::string name = data.declared() ? data.blocks()[i].name : "x";
    const auto list = fmt::format("{}", fmt::join(block.channels, ", "));
    if (block.features == 0) {
      parts.push_back(fmt::format("{}: as it is{}", name, block.missing ? with_gaps : ""));
    } else if (block.kind == DataKind::set) {
      parts.push_back(fmt::format("{}: a network of {} units for every element{}, {} features",
                                  name, list, block.missing ? " that is there" : "",
                                  block.features));
    } else {
      parts.push_back(fmt::format("{}: convolutions of {} channels{}, {} features", name, list,
                                  block.missing ? with_gaps : "", block.features));
    }
  }
  if (embedding.estimates > 0) {
    parts.push_back(fmt::format("{} linear estimates of the parameters{}", embedding.estimates,
                                words_for_forms(embedding)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace hone
