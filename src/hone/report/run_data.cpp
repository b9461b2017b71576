#include "hone/report/run_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace hone {
namespace {

constexpr Index kMostColumns = 1000, kMostSimulations = 1000;

SimulationCounts count(const SimulationStore& store) {
  SimulationCounts counts{store.rows(), store.failed_rows(), {}, {}, {}};
  store.select([&](const SimulationInfo& info) {
    const auto round = static_cast<std::size_t>(std::max(0, info.round));
    if (counts.made_in_round.size() <= round) {
      counts.made_in_round.resize(round + 1);
      counts.failed_in_round.resize(round + 1);
    }
    ++counts.made_in_round[round];
    counts.failed_in_round[round] += info.failed;
    return false;
  });
  std::map<std::string, Index> reasons;
  for (const auto& [id, reason] : store.failure_reasons()) ++reasons[reason];
  counts.reasons.assign(reasons.begin(), reasons.end());
  std::ranges::stable_sort(counts.reasons, std::greater{}, [](const auto& r) { return r.second; });
  return counts;
}

// Every k-th, so that at most `most` are left.
template <typename T>
std::vector<T> spread(const std::vector<T>& all, Index most) {
  const std::size_t step = (all.size() + std::size_t(most) - 1) / std::size_t(most);
  std::vector<T> result;
  for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(1, step)) {
    result.push_back(all[i]);
  }
  return result;
}

void add_bands(ObservationBands& bands, const SimulationStore& store, const Prior& prior,
               const Region& region) {
  const auto inside = store.rows_inside(
      [&](std::span<const double> theta) { return region.contains(prior, theta); });
  const std::vector<std::int64_t> ids = spread(inside, kMostSimulations);
  if (ids.empty()) return;
  const auto source = store.x_rows(ids);
  Matrix<float> x(source->rows(), source->cols());
  std::vector<Index> all(ids.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  source->read(x, all);
  bands.simulations = x.rows();
  for (const Index column : bands.columns) {
    std::vector<double> values;
    for (Index i = 0; i < x.rows(); ++i) {
      if (!std::isnan(x(i, column))) values.push_back(static_cast<double>(x(i, column)));
    }
    std::ranges::sort(values);
    const auto at = [&](double probability) {
      if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
      return values[static_cast<std::size_t>(probability * static_cast<double>(values.size() - 1))];
    };
    bands.low.push_back(at(0.025));
    bands.median.push_back(at(0.5));
    bands.high.push_back(at(0.975));
  }
}

// Where each block stands among the columns.
std::string block_list(const DataDescription& data) {
  std::string text;
  Index first = 0;
  for (const DataBlock& block : data.blocks()) {
    const std::string unit = block.unit.empty() ? "" : fmt::format(" [{}]", block.unit);
    text += fmt::format("{}{}{} {} to {}", text.empty() ? "" : ", ",
                        block.label.empty() ? block.name : block.label, unit, first,
                        first + block.size() - 1);
    first += block.size();
  }
  return text;
}

}  // namespace

ReportData read_report_data(const RunDirectory& run) {
  const RunSpec& spec = run.spec();
  ReportData data;
  data.rounds = run.rounds();
  data.region = run.final_region();
  for (const Round& round : data.rounds) {
    data.training.push_back(training_bands(fmt::format("Round {}", round.number), round.training));
  }
  if (const auto histories = run.final_training(); !histories.empty()) {
    data.training.push_back(training_bands("Final region", histories));
  }
  std::vector<Index> columns(spec.observation.size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<Index>(i);
  data.observation.columns = spread(columns, kMostColumns);
  for (const Index column : data.observation.columns) {
    data.observation.observed.push_back(spec.observation[static_cast<std::size_t>(column)]);
    if (spec.data.declared()) data.observation.names.push_back(spec.data.name_of(column));
  }
  data.observation.blocks = block_list(spec.data);
  const std::optional<SimulationStore> store = run.store();
  if (!store) return data;
  data.simulations = count(*store);
  if (data.region) {
    const auto last = static_cast<std::int32_t>(data.rounds.size());
    data.final_kept = std::ssize(store->select([&](const SimulationInfo& info) {
      return !info.failed && info.round <= last && data.region->contains(spec.prior, info.theta);
    }));
  }
  const Region region = data.region ? *data.region
                                    : (data.rounds.empty() ? Region::whole(spec.prior.dimensions())
                                                           : data.rounds.back().region);
  // With a noise model the store may hold other values than the observation has.
  if (store->schema().data_size == std::ssize(spec.observation)) {
    add_bands(data.observation, *store, spec.prior, region);
  }
  return data;
}

}  // namespace hone
