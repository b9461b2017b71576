#include "hone/store/shard.h"

#include <limits>

#include "hone/core/error.h"
#include "hone/files/hdf5.h"
#include "hone/files/sealed_file.h"
#include "hone/store/failure_columns.h"
#include "hone/store/small_columns.h"

namespace hone {
namespace {

template <typename T>
std::span<const T> part(const std::vector<T>& values, Index begin, Index count) {
  return std::span(values).subspan(static_cast<std::size_t>(begin),
                                   static_cast<std::size_t>(count));
}

std::span<const double> part(const Matrix<double>& values, Index begin, Index count) {
  return {values.data() + begin * values.cols(), static_cast<std::size_t>(count * values.cols())};
}

float stored(float, double x) {
  return kept_value(x);
}
double stored(double, double x) {
  return x;
}

// x in the precision of the store, NaN in failed rows.
template <typename T>
std::vector<T> stored_x(const SimulationRows& rows, Index begin, Index count) {
  std::vector<T> x;
  x.reserve(static_cast<std::size_t>(count * rows.x.cols()));
  for (Index i = begin; i < begin + count; ++i) {
    const bool failed = rows.failures[static_cast<std::size_t>(i)].has_value();
    for (const double value : rows.x.row(i)) {
      x.push_back(failed ? std::numeric_limits<T>::quiet_NaN() : stored(T(), value));
    }
  }
  return x;
}

template <typename T>
void add_x(hdf5::Builder& builder, const SimulationRows& rows, Index begin, Index count) {
  const std::vector<T> x = stored_x<T>(rows, begin, count);
  builder.add("x", {count, rows.x.cols()}, std::span<const T>(x));
}

hdf5::Element element_of(Precision precision) {
  return precision == Precision::float32 ? hdf5::Element::float32 : hdf5::Element::float64;
}

void check_x(const ShardRows& shard, const SealedFile& file, const StoreSchema& schema,
             const std::string& path) {
  const hdf5::Dataset& x = file.find("x");
  hdf5::require(x, element_of(schema.precision), {shard.rows(), schema.data_size}, path);
  const Index bytes = shard.rows() * schema.data_size * x.element_bytes;
  if (shard.seal.data.offset != x.offset || shard.seal.data.bytes != bytes) {
    fail(ErrorKind::io, "{}: damaged: x is not where the seal says", path);
  }
}

}  // namespace

std::vector<std::byte> encode_shard(const FileMark& mark, const StoreSchema& schema,
                                    const SimulationRows& rows, Index begin, Index count) {
  const Index parameters = schema.parameter_count();
  hdf5::Builder builder(mark.name);
  builder.add("id", {count}, part(rows.ids, begin, count));
  builder.add("u", {count, parameters}, part(rows.u, begin, count));
  builder.add("theta", {count, parameters}, part(rows.theta, begin, count));
  builder.add("seed", {count}, part(rows.seeds, begin, count));
  builder.add("round", {count}, part(rows.rounds, begin, count));
  add_failures(builder, part(rows.ids, begin, count), part(rows.failures, begin, count));
  if (schema.precision == Precision::float32) {
    add_x<float>(builder, rows, begin, count);
  } else {
    add_x<double>(builder, rows, begin, count);
  }
  return finish_sealed(builder, "x", mark);
}

ShardRows read_shard(const std::filesystem::path& file, const FileMark& expected,
                     const StoreSchema& schema) {
  const std::string path = file.string();
  ShardRows shard;
  const SealedFile contents(file, expected);
  shard.seal = contents.seal();
  const hdf5::Dataset& id = contents.find("id");
  if (id.shape.size() != 1 || id.shape[0] < 1) fail(ErrorKind::io, "{}: damaged: no rows", path);
  const Index rows = id.shape[0];
  const Index parameters = schema.parameter_count();
  shard.ids = contents.read<std::int64_t>("id", {rows});
  shard.u = contents.read<double>("u", {rows, parameters});
  shard.theta = contents.read<double>("theta", {rows, parameters});
  shard.seeds = contents.read<std::uint64_t>("seed", {rows});
  shard.rounds = contents.read<std::int32_t>("round", {rows});
  FailureColumns failures = read_failures(contents, shard.ids, path);
  shard.status = std::move(failures.status);
  shard.reasons = std::move(failures.reasons);
  check_x(shard, contents, schema, path);
  return shard;
}

}  // namespace hone
