#include <algorithm>
#include <numeric>

#include "hone/estimate/encoder_choice.h"
#include "hone/estimate/joined_rows.h"
#include "hone/estimate/model_odds.h"
#include "hone/estimate/options.h"
#include "hone/estimate/ratio_estimator.h"

namespace hone {
namespace {

// Networks of different replicas differ by more than chance where the odds are extrapolated: enough
// of them to see it.
constexpr int kFewestNetworks = 4;
// Models drawn per simulation and step, of which some are the right one: with more, gradients
// depend less on the draw.
constexpr int kNegatives = 2;

// The simulations of all models as training data whose one parameter is the model, as a column of
// 0 and 1 for each of them.
struct LabelledModels {
  explicit LabelledModels(std::span<const Dataset* const> models) : x(sources(models)) {
    labels = Matrix<float>(x.rows(), std::ssize(models));
    for (std::size_t m = 0; m < models.size(); ++m) {
      const Index begin = x.begin(m);
      for (Index i = 0; i < models[m]->rows(); ++i) labels(begin + i, static_cast<Index>(m)) = 1;
      for (const Index row : models[m]->training) training.push_back(begin + row);
      for (const Index row : models[m]->validation) validation.push_back(begin + row);
    }
  }
  static std::vector<const RowSource*> sources(std::span<const Dataset* const> models) {
    std::vector<const RowSource*> result;
    for (const Dataset* one : models) result.push_back(one->x.get());
    return result;
  }

  JoinedRows x;
  Matrix<float> labels;
  std::vector<Index> training, validation;
};

struct Classifiers {
  TrainingResult trained;
  std::vector<double> weights;
};

Classifiers train_classifiers(const LabelledModels& data, const DataDescription& description,
                              const Rng& rng, Observer& observer) {
  const DataSize size{data.x.rows(), std::ssize(data.training), data.x.cols(), data.labels.cols(),
                      description};
  InferenceOptions options = fitted({}, size);
  options.training.loss.negatives = kNegatives;
  std::vector<int> columns(static_cast<std::size_t>(data.labels.cols()));
  std::iota(columns.begin(), columns.end(), 0);
  std::vector<MemberSpec> members;
  for (int e = 0; e < std::max(kFewestNetworks, options.ensemble); ++e) {
    members.push_back({columns, static_cast<std::uint64_t>(e)});
  }
  TrainingResult trained = train_best_form(options.embedding, [&](const EmbeddingOptions& form) {
    return train({data.x, data.labels, data.training, data.validation}, members, options.network,
                 form, options.training, rng, observer);
  });
  std::vector<double> weights = ensemble_weights(trained.histories, data.validation.size());
  return {std::move(trained), std::move(weights)};
}

// Per network: (n, models).
std::vector<Matrix<double>> ask(const RatioStack& networks, MatrixView<const float> x) {
  const Index models = networks.theta_scores().cols();
  Matrix<float> labels(models, models);
  for (Index m = 0; m < models; ++m) labels(m, m) = 1;
  const Matrix<float> features = networks.features(x);
  std::vector<Matrix<double>> result;
  for (Index k = 0; k < networks.size(); ++k) {
    Matrix<float> log_ratios(x.rows(), models);
    networks.log_ratios(log_ratios, k, features, labels);
    Matrix<double>& out = result.emplace_back(x.rows(), models);
    std::copy_n(log_ratios.data(), x.rows() * models, out.data());
  }
  return result;
}

Matrix<double> weighted_mean(const std::vector<Matrix<double>>& values,
                             std::span<const double> weights) {
  Matrix<double> mean(values.at(0).rows(), values.at(0).cols());
  for (std::size_t k = 0; k < values.size(); ++k) {
    for (Index i = 0; i < mean.rows() * mean.cols(); ++i) {
      mean.data()[i] += weights[k] * values[k].data()[i];
    }
  }
  return mean;
}

// Of differences between two columns of one row per network.
Matrix<double> difference_scatter(const std::vector<Matrix<double>>& networks,
                                  std::span<const double> weights) {
  const Index models = networks.at(0).cols();
  Matrix<double> scatter(models, models);
  std::vector<double> differences(networks.size());
  for (Index a = 0; a < models; ++a) {
    for (Index b = 0; b < models; ++b) {
      std::ranges::transform(networks, differences.begin(),
                             [&](const Matrix<double>& one) { return one(0, a) - one(0, b); });
      scatter(a, b) = ensemble_scatter(differences, weights);
    }
  }
  return scatter;
}

Matrix<float> as_row(std::span<const double> x) {
  Matrix<float> row(1, std::ssize(x));
  std::ranges::transform(x, row.data(), [](double value) { return static_cast<float>(value); });
  return row;
}

}  // namespace

ModelOdds classify_models(std::span<const Dataset* const> models, const HeldOutModels& held_out,
                          std::span<const double> observation, const Rng& rng, Observer& observer) {
  const LabelledModels data(models);
  const Classifiers classifiers = train_classifiers(data, models[0]->description, rng, observer);
  const std::span<const double> weights = classifiers.weights;
  const auto observed = ask(classifiers.trained.stack, as_row(observation));
  const Matrix<double> mean = weighted_mean(observed, weights);
  return {"classification",
          weighted_mean(ask(classifiers.trained.stack, held_out.x), weights),
          {mean.row(0).begin(), mean.row(0).end()},
          difference_scatter(observed, weights)};
}

}  // namespace hone
