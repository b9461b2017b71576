#include "hone/run/chunk_files.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "hone/core/error.h"
#include "hone/files/checksum.h"
#include "hone/files/files.h"
#include "hone/files/json_text.h"
#include "hone/files/sealed_file.h"
#include "hone/run/run_files.h"
#include "hone/store/failure_columns.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr int kFormat = 1;

OrderedJson to_json(const ChunkLabel& label) {
  return {{"format", kFormat},
          {"run", label.run},
          {"name", label.name},
          {"round", label.round},
          {"number", label.number}};
}

ChunkLabel label_from_json(const Json& json) {
  if (json.at("format") != kFormat) {
    fail(ErrorKind::io, "it has format {}, this hone reads format {}; use the version that made it",
         json.at("format").dump(), kFormat);
  }
  return {json.at("name"), json.at("run"), json.at("round"), json.at("number")};
}

// What the file says about itself, made sense of by `read`.
template <typename F>
auto read_about(const SealedFile& file, const fs::path& path, F&& read) {
  const std::string text = file.read_text("about", 1)[0];
  try {
    return read(parse_json(text));
  } catch (const Json::exception& error) {
    fail(ErrorKind::io, "{}: not a chunk of hone: {}", path.string(), error.what());
  } catch (const Error& error) {
    fail(ErrorKind::io, "{}: {}", path.string(), error.what());
  }
}

void add_request(hdf5::Builder& builder, const OrderedJson& about,
                 const SimulationRequest& request) {
  const std::string text = about.dump();
  builder.add_text("about", std::span(&text, 1));
  builder.add("id", {request.rows()}, std::span<const std::int64_t>(request.ids));
  builder.add("seed", {request.rows()}, std::span<const std::uint64_t>(request.seeds));
  builder.add("theta", {request.rows(), request.theta.cols()},
              std::span(request.theta.data(),
                        static_cast<std::size_t>(request.rows() * request.theta.cols())));
}

SimulationRequest read_request(const SealedFile& file, const fs::path& path) {
  const hdf5::Shape shape = file.find("theta").shape;
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) {
    fail(ErrorKind::io, "{}: damaged: it has no rows", path.string());
  }
  SimulationRequest request;
  request.ids = file.read<std::int64_t>("id", {shape[0]});
  request.seeds = file.read<std::uint64_t>("seed", {shape[0]});
  const std::vector<double> theta = file.read<double>("theta", shape);
  request.theta = Matrix<double>(shape[0], shape[1]);
  std::ranges::copy(theta, request.theta.data());
  if (std::set(request.ids.begin(), request.ids.end()).size() != request.ids.size()) {
    fail(ErrorKind::io, "{}: damaged: an id is there twice", path.string());
  }
  return request;
}

// Those named <prefix><digits>.h5; up to 99999 their names sort by number.
std::vector<fs::path> files_named(const fs::path& directory, std::string_view prefix) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator entry(directory, code), end; !code && entry != end;
       entry.increment(code)) {
    const std::string stem = entry->path().stem().string();
    if (entry->path().extension() != ".h5" || !stem.starts_with(prefix)) continue;
    const std::string number = stem.substr(prefix.size());
    if (number.size() < 5 || number.size() > 9) continue;
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    files.push_back(entry->path());
  }
  if (code && code != std::errc::no_such_file_or_directory) {
    fail_io(directory, "look into it", code.value());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::uint64_t chunk_run_number(const RunSpec& spec) {
  const std::string text = OrderedJson{
      {"simulator", to_json(spec.simulator)},
      {"seed", spec.seed},
      {"parameters",
       to_json(spec.prior)}}.dump();
  return checksum(0, std::as_bytes(std::span(text)));
}

void write_chunk(const fs::path& file, const Chunk& chunk) {
  OrderedJson about = to_json(chunk.label);
  about["simulator"] = to_json(chunk.simulator);
  about["parameters"] = chunk.parameters;
  about["data_size"] = chunk.data_size;
  hdf5::Builder builder(file.string());
  add_request(builder, about, chunk.request);
  write_file_atomically(file, finish_sealed(builder));
}

Chunk read_chunk(const fs::path& file) {
  const SealedFile contents(file);
  Chunk chunk = read_about(contents, file, [](const Json& json) {
    return Chunk{.label = label_from_json(json),
                 .simulator = simulator_spec_from_json(json.at("simulator")),
                 .parameters = json.at("parameters"),
                 .data_size = json.at("data_size"),
                 .request = {}};
  });
  chunk.request = read_request(contents, file);
  if (chunk.request.theta.cols() != std::ssize(chunk.parameters) || chunk.data_size < 1) {
    fail(ErrorKind::io, "{}: damaged: {} parameters, {} names, {} values", file.string(),
         chunk.request.theta.cols(), chunk.parameters.size(), chunk.data_size);
  }
  return chunk;
}

void write_chunk_result(const fs::path& file, const Chunk& chunk, MatrixView<const double> x,
                        std::span<const Failure> failures) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(x.rows() * x.cols()));
  for (Index i = 0; i < x.rows(); ++i) {
    const bool failed = failures[static_cast<std::size_t>(i)].has_value();
    for (const double value : x.row(i)) {
      values.push_back(failed ? std::numeric_limits<double>::quiet_NaN() : value);
    }
  }
  hdf5::Builder builder(file.string());
  add_request(builder, to_json(chunk.label), chunk.request);
  add_failures(builder, chunk.request.ids, failures);
  builder.add("x", {x.rows(), x.cols()}, std::span<const double>(values));
  write_file_atomically(file, finish_sealed(builder, "x"));
}

ChunkResult read_chunk_result(const fs::path& file) {
  const SealedFile contents(file);
  ChunkResult result;
  result.label = read_about(contents, file, label_from_json);
  result.request = read_request(contents, file);
  result.seal = contents.seal();
  FailureColumns failures = read_failures(contents, result.request.ids, file.string());
  for (std::size_t i = 0; i < failures.status.size(); ++i) {
    const bool failed = failures.status[i] != 0;
    result.failures.push_back(failed ? Failure(failures.reasons[result.request.ids[i]])
                                     : std::nullopt);
  }
  const hdf5::Dataset& x = contents.find("x");
  result.data_size = x.shape.size() == 2 ? x.shape[1] : 0;
  hdf5::require(x, hdf5::Element::float64, {result.request.rows(), result.data_size},
                file.string());
  const Index bytes = result.request.rows() * result.data_size * x.element_bytes;
  if (bytes == 0 || result.seal.data.offset != x.offset || result.seal.data.bytes != bytes) {
    fail(ErrorKind::io, "{}: damaged: x is not where the seal says", file.string());
  }
  return result;
}

Matrix<double> read_chunk_data(const fs::path& file, const ChunkResult& result) {
  const ReadableFile contents(file);
  if (contents.length() != result.seal.length) {
    fail(ErrorKind::io, "{}: its length has changed", file.string());
  }
  verify_data(contents, result.seal);
  Matrix<double> x(result.request.rows(), result.data_size);
  contents.read(
      std::as_writable_bytes(std::span(x.data(), static_cast<std::size_t>(x.rows() * x.cols()))),
      result.seal.data.offset);
  return x;
}

fs::path chunk_directory(const RunDirectory& run, int round) {
  return run.chunks() / fmt::format("round-{:02}", round);
}

fs::path chunk_file(const fs::path& directory, Index number) {
  return directory / fmt::format("chunk-{:05}.h5", number);
}

fs::path result_file(const fs::path& directory, Index number) {
  return directory / fmt::format("result-{:05}.h5", number);
}

std::vector<fs::path> chunk_files(const fs::path& directory) {
  return files_named(directory, "chunk-");
}

std::vector<fs::path> result_files(const fs::path& directory) {
  return files_named(directory, "result-");
}

}  // namespace hone
