#include "hone/store/dataset_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/ranges.h>

#include "hone/core/error.h"
#include "hone/core/npy.h"
#include "hone/core/suggestion.h"
#include "hone/files/checksum.h"
#include "hone/files/hdf5_foreign.h"
#include "hone/files/zip_file.h"
#include "hone/store/dataset_csv.h"

namespace hone {
namespace {

Matrix<double> npz_member(const ZipFile& archive, const DatasetSource& source,
                          const std::string& name) {
  const std::string member = name + ".npy";
  if (!archive.contains(member)) {
    std::vector<std::string> names;
    for (const std::string& one : archive.names()) {
      names.push_back(one.ends_with(".npy") ? one.substr(0, one.size() - 4) : one);
    }
    fail(ErrorKind::input, "{}: there is no array '{}' in it; {}", source.file.string(), name,
         suggestion(name, names));
  }
  const std::string where = fmt::format("{}, array '{}'", source.file.string(), name);
  const std::string bytes = archive.read(member);
  return npy_matrix(parse_npy(bytes, where), where);
}

ExistingSimulations read_npz(const DatasetSource& source) {
  const ZipFile archive(source.file);
  return {npz_member(archive, source, source.theta), npz_member(archive, source, source.x)};
}

Matrix<double> hdf5_matrix(hdf5::Numbers numbers, const DatasetSource& source,
                           const std::string& name) {
  const NpyArray array{std::move(numbers.shape), std::move(numbers.values)};
  return npy_matrix(array, fmt::format("{}, data set '{}'", source.file.string(), name));
}

ExistingSimulations read_hdf5(const DatasetSource& source) {
  std::vector<hdf5::Numbers> arrays = hdf5::read_foreign(source.file, {source.theta, source.x});
  return {hdf5_matrix(std::move(arrays[0]), source, source.theta),
          hdf5_matrix(std::move(arrays[1]), source, source.x)};
}

ExistingSimulations read_any(const DatasetSource& source,
                             const std::vector<std::string>& parameters) {
  const std::string ending = source.file.extension().string();
  if (ending == ".csv") {
    return source.x_file.empty() ? read_dataset_csv(source.file, parameters)
                                 : read_dataset_csv(source.file, source.x_file, parameters);
  }
  if (!source.x_file.empty()) {
    fail(ErrorKind::input, "{}: only csv data sets may consist of two files", source.file.string());
  }
  if (ending == ".npz") return read_npz(source);
  if (ending == ".h5" || ending == ".hdf5") return read_hdf5(source);
  fail(ErrorKind::input, "{}: unknown format '{}'; a data set is .h5, .hdf5, .npz or .csv",
       source.file.string(), ending);
}

// Training reads x as float: a number beyond its range is as useless as an infinity.
std::optional<std::string> failure_of(std::span<const double> x,
                                      std::span<const char> may_be_missing) {
  constexpr double largest = std::numeric_limits<float>::max();
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (std::abs(x[j]) <= largest) continue;
    if (std::isnan(x[j]) && !may_be_missing.empty() && may_be_missing[j] != 0) continue;
    if (!std::isfinite(x[j])) return fmt::format("x[{}] is {}", j, x[j]);
    return fmt::format("x[{}] = {:.3g} is beyond the range of float", j, x[j]);
  }
  return std::nullopt;
}

void check_theta(std::span<const double> theta, Index row, const Prior& prior,
                 const DatasetSource& source) {
  for (int d = 0; d < prior.dimensions(); ++d) {
    const double value = theta[static_cast<std::size_t>(d)];
    const Distribution& distribution = prior[d];
    if (distribution.discrete() && value != std::floor(value)) {
      fail(ErrorKind::input,
           "{}: row {} (counted from 0), parameter '{}' = {}: must be a whole number",
           source.file.string(), row, prior.parameter(d).name, value);
    }
    if (std::isfinite(value) && value >= distribution.lower() && value <= distribution.upper()) {
      continue;
    }
    fail(ErrorKind::input,
         "{}: row {} (counted from 0), parameter '{}' = {}: must be a finite number inside the "
         "prior's support, {} to {}",
         source.file.string(), row, prior.parameter(d).name, value, distribution.lower(),
         distribution.upper());
  }
}

}  // namespace

ExistingSimulations read_dataset(const DatasetSource& source,
                                 const std::vector<std::string>& parameters) {
  ExistingSimulations simulations = [&] {
    try {
      return read_any(source, parameters);
    } catch (const Error& error) {  // of whatever kind: the user chose the file
      throw Error(ErrorKind::input, error.what());
    } catch (const std::bad_alloc&) {
      fail(ErrorKind::input, "{}: larger than the memory of this machine", source.file.string());
    }
  }();
  const std::string file = source.file.string();
  if (simulations.theta.rows() == 0) fail(ErrorKind::input, "{}: it has no rows", file);
  if (simulations.x.cols() == 0) fail(ErrorKind::input, "{}: there is no column of x", file);
  if (simulations.theta.rows() != simulations.x.rows()) {
    fail(ErrorKind::input, "{}: theta has {} rows, x has {}; they must belong together", file,
         simulations.theta.rows(), simulations.x.rows());
  }
  if (simulations.theta.cols() != std::ssize(parameters)) {
    fail(ErrorKind::input, "{}: theta has {} columns, the problem has {} parameters ({})", file,
         simulations.theta.cols(), parameters.size(), fmt::join(parameters, ", "));
  }
  return simulations;
}

std::string dataset_checksum(const ExistingSimulations& simulations) {
  std::uint64_t state = 0;
  for (const Matrix<double>* one : {&simulations.theta, &simulations.x}) {
    const std::array shape{one->rows(), one->cols()};
    state = checksum(state, std::as_bytes(std::span(shape)));
    state = checksum(state, std::as_bytes(std::span(
                                one->data(), static_cast<std::size_t>(one->rows() * one->cols()))));
  }
  return fmt::format("{:016x}", state);
}

SimulationRows dataset_rows(const ExistingSimulations& simulations, const Prior& prior,
                            const DatasetSource& source, std::span<const char> may_be_missing) {
  HONE_ASSERT(may_be_missing.empty() || std::ssize(may_be_missing) == simulations.x.cols());
  const StoreSchema schema{prior.names(), simulations.x.cols(), Precision::float32};
  SimulationRows rows(simulations.rows(), schema);
  for (Index i = 0; i < rows.rows(); ++i) {
    check_theta(simulations.theta.row(i), i, prior, source);
    rows.failures[static_cast<std::size_t>(i)] = failure_of(simulations.x.row(i), may_be_missing);
    std::ranges::copy(simulations.theta.row(i), rows.theta.row(i).begin());
    std::ranges::copy(simulations.x.row(i), rows.x.row(i).begin());
  }
  std::iota(rows.ids.begin(), rows.ids.end(), 0);
  prior.to_unit(rows.u, rows.theta);
  return rows;
}

void append_missing(SimulationStore& store, const SimulationRows& rows) {
  std::vector<Index> missing;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (!store.contains(rows.ids[static_cast<std::size_t>(i)])) missing.push_back(i);
  }
  if (missing.empty()) return;
  SimulationRows part(std::ssize(missing), store.schema());
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const Index to = static_cast<Index>(i), row = missing[i];
    const auto from = static_cast<std::size_t>(row);
    part.ids[i] = rows.ids[from];
    part.seeds[i] = rows.seeds[from];
    part.rounds[i] = rows.rounds[from];
    part.failures[i] = rows.failures[from];
    std::ranges::copy(rows.u.row(row), part.u.row(to).begin());
    std::ranges::copy(rows.theta.row(row), part.theta.row(to).begin());
    std::ranges::copy(rows.x.row(row), part.x.row(to).begin());
  }
  store.append(part);
}

std::vector<std::string> prior_mismatches(const SimulationRows& rows, const Prior& prior) {
  constexpr double level = 1e-6;
  const auto n = static_cast<double>(rows.rows());
  const double limit = std::sqrt(-std::log(level / 2) / (2 * n));
  std::vector<std::string> found;
  std::vector<double> u(static_cast<std::size_t>(rows.rows()));
  for (int d = 0; d < prior.dimensions() && rows.rows() > 0; ++d) {
    for (Index i = 0; i < rows.rows(); ++i) u[static_cast<std::size_t>(i)] = rows.u(i, d);
    std::ranges::sort(u);
    double distance = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      // Equal values of whole numbers stand at the middle of what they own together.
      const auto equal = std::equal_range(u.begin(), u.end(), u[i]);
      const auto begin = static_cast<double>(equal.first - u.begin());
      const auto after = static_cast<double>(equal.second - u.begin());
      distance = prior[d].discrete()
                     ? std::max(distance, std::abs((begin + after) / (2 * n) - u[i]))
                     : std::max({distance, static_cast<double>(i + 1) / n - u[i],
                                 u[i] - static_cast<double>(i) / n});
    }
    if (distance <= limit) continue;
    found.push_back(fmt::format(
        "the values of '{}' were not drawn from its prior (their distribution differs by {:.2g}, "
        "chance explains {:.2g}); state the prior they were drawn from",
        prior.parameter(d).name, distance, limit));
  }
  return found;
}

}  // namespace hone
