#include "hone/check/model_comparison.h"
#include "hone/check/model_evidence.h"

namespace hone {
namespace {

nlohmann::ordered_json to_json(const Matrix<double>& matrix) {
  auto rows = nlohmann::ordered_json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    rows.push_back(std::vector<double>(matrix.row(i).begin(), matrix.row(i).end()));
  }
  return rows;
}

nlohmann::ordered_json to_json(const ModelReliability& one, const std::string& name) {
  auto bins = nlohmann::ordered_json::array();
  for (const ReliabilityBin& bin : one.bins) {
    bins.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"draws", bin.draws},
                    {"predicted", bin.predicted},
                    {"real", bin.real}});
  }
  return {{"model", name},
          {"bias", one.bias},
          {"bias_error", one.bias_error},
          {"slope", one.slope},
          {"slope_error", one.slope_error},
          {"probability", one.probability},
          {"bins", bins}};
}

}  // namespace

nlohmann::ordered_json to_json(const ModelComparison& found) {
  auto models = nlohmann::ordered_json::array();
  for (const ComparedModel& one : found.models) {
    models.push_back({{"name", one.name},
                      {"prior", one.prior},
                      {"probability", one.probability},
                      {"log_bayes_factor", one.log_bayes_factor},
                      {"error", one.error},
                      {"region", to_json(one.region)},
                      {"held_out", one.held_out},
                      {"beyond", one.beyond}});
  }
  auto ways = nlohmann::ordered_json::array();
  for (const ModelWay& way : found.ways) {
    ways.push_back({{"name", way.name},
                    {"share", way.share},
                    {"score", way.score},
                    {"log_bayes_factor", way.log_bayes_factor}});
  }
  auto reliability = nlohmann::ordered_json::array();
  for (const ModelReliability& one : found.calibration.models) {
    reliability.push_back(to_json(one, found.models[static_cast<std::size_t>(one.model)].name));
  }
  return {{"models", models},
          {"best", found.models[found.best].name},
          {"log_bayes_factors", to_json(found.log_bayes_factors)},
          {"errors", to_json(found.errors)},
          {"known", found.known},
          {"ways", ways},
          {"calibration",
           {{"draws", found.calibration.draws},
            {"in_doubt", found.calibration.in_doubt},
            {"status", to_string(found.calibration.status)},
            {"reason", found.calibration.reason},
            {"models", reliability}}},
          {"typicality",
           {{"status", to_string(found.typicality.status)}, {"reason", found.typicality.reason}}},
          {"status", to_string(found.status)},
          {"reason", found.reason}};
}

}  // namespace hone
