// What is refused before any training starts.
#include "hone/engine/training_input.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {

std::string to_string(StopReason reason) {
  switch (reason) {
    case StopReason::converged: return "converged";
    case StopReason::max_epochs: return "max_epochs";
    case StopReason::diverged: return "diverged";
  }
  return "unknown";
}

void TrainingOptions::validate() const {
  loss.validate();
  optimizer.validate();
  schedule.validate();
  const auto at_least = [](const char* name, int value, int limit) {
    if (value < limit) {
      fail_value(fmt::format("training.{}", name), value,
                 fmt::format("must be {} or greater", limit));
    }
  };
  at_least("batch_size", batch_size, 2);
  at_least("max_epochs", max_epochs, 1);
  at_least("patience", patience, 1);
  at_least("validation_negatives", validation_negatives, 1);
  if (batch_size > 65536) {
    fail_value("training.batch_size", batch_size, "must be at most 65536");
  }
  if (!(embedding_full_rate_inputs >= 0) || !std::isfinite(embedding_full_rate_inputs)) {
    fail_value("training.embedding_full_rate_inputs", embedding_full_rate_inputs,
               "must be 0 or greater");
  }
  if (!(column_shrinkage >= 0 && std::isfinite(column_shrinkage))) {
    fail_value("training.column_shrinkage", column_shrinkage, "must be 0 or greater, and finite");
  }
  if (!(weight_average >= 0 && weight_average < 1)) {
    fail_value("training.weight_average", weight_average, "must lie in [0, 1)");
  }
}

namespace {

void check_rows(std::span<const Index> rows, Index limit, const char* what) {
  const auto bad = std::ranges::find_if(rows, [&](Index row) { return row < 0 || row >= limit; });
  if (bad != rows.end()) {
    fail(ErrorKind::input, "{} row {} does not exist: the data have {} rows", what, *bad, limit);
  }
}

void check_member(const MemberSpec& member, Index parameters) {
  if (member.columns.empty()) {
    fail(ErrorKind::input, "a member has no columns of theta: give at least one");
  }
  if (member.replica > std::uint64_t{kLargestReplica}) {
    fail(ErrorKind::input, "member {}: its replica must be at most {}", member.name(),
         kLargestReplica);
  }
  for (const int column : member.columns) {
    if (column < 0 || column >= parameters) {
      fail(ErrorKind::input, "member {}: column {} does not exist: theta has {} columns",
           member.name(), column, parameters);
    }
  }
}

}  // namespace

void check_training_input(const TrainingData& data, std::span<const MemberSpec> members,
                          const NetworkOptions& network, const EmbeddingOptions& embedding,
                          const TrainingOptions& options) {
  network.validate();
  options.validate();
  if (data.x.cols() < 1) fail(ErrorKind::input, "x has no columns: there is nothing to learn from");
  if (embedding.kind != EmbeddingKind::none) embedding.validate(data.x.cols());
  const bool extra = !data.training_negatives.empty() || !data.validation_negatives.empty();
  if (data.theta.rows() < data.x.rows() || (data.theta.rows() > data.x.rows() && !extra)) {
    fail(ErrorKind::input, "x has {} rows and theta {}: they must be the same simulations",
         data.x.rows(), data.theta.rows());
  }
  if (members.empty()) fail(ErrorKind::input, "there are no members to train: give at least one");
  for (const MemberSpec& member : members) check_member(member, data.theta.cols());
  check_rows(data.training, data.x.rows(), "training");
  check_rows(data.validation, data.x.rows(), "validation");
  check_rows(data.training_negatives, data.theta.rows(), "training negatives");
  check_rows(data.validation_negatives, data.theta.rows(), "validation negatives");
  const Index training = static_cast<Index>(data.training.size());
  if (training < options.batch_size) {
    fail(ErrorKind::input,
         "{} training rows are fewer than one batch of {}: simulate more or use a smaller "
         "batch_size",
         training, options.batch_size);
  }
  if (data.validation.size() < 2) {
    fail(ErrorKind::input,
         "{} validation rows: at least 2 are needed to know when to stop; simulate more or use a "
         "larger validation fraction",
         data.validation.size());
  }
  if (data.training_negatives.size() == 1 || data.validation_negatives.size() == 1) {
    fail(ErrorKind::input, "one row cannot serve as all negatives: give at least 2");
  }
}

}  // namespace hone
