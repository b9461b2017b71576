#include "hone/mpi/messages.h"

#include <algorithm>
#include <bit>

#include "hone/files/json_text.h"
#include "hone/mpi/packing.h"
#include "hone/run/run_files.h"

namespace hone {
namespace {

template <typename T>
void put(Packer& packer, MatrixView<const T> matrix) {
  packer.put(matrix.rows()).put(matrix.cols());
  packer.put_all(std::span(matrix.data(), static_cast<std::size_t>(matrix.rows() * matrix.cols())));
}

template <typename T = double>
Matrix<T> get_matrix(Unpacker& in) {
  const auto rows = in.get<Index>();
  Matrix<T> matrix(rows, in.get<Index>());
  in.fill(std::span(matrix.data(), static_cast<std::size_t>(matrix.rows() * matrix.cols())));
  return matrix;
}

struct Fingerprint {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a, number by number
  void add(std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3ULL; }
};

// Few fail: only those are named.
void put(Packer& packer, const std::vector<Failure>& failures) {
  packer.put(failures.size());
  packer.put(std::ranges::count_if(failures, [](const Failure& f) { return f.has_value(); }));
  for (std::size_t i = 0; i < failures.size(); ++i) {
    if (failures[i]) packer.put(i).put_text(*failures[i]);
  }
}

std::vector<Failure> get_failures(Unpacker& in) {
  std::vector<Failure> failures(in.get<std::size_t>());
  for (auto left = in.get<std::ptrdiff_t>(); left > 0; --left) {
    const auto i = in.get<std::size_t>();
    failures.at(i) = in.get_text();
  }
  return failures;
}

void put(Packer& packer, const MemberHistory& h) {
  packer.put_all(h.training_loss).put_all(h.validation_loss).put_all(h.learning_rate);
  packer.put(h.best_epoch).put(h.best_loss).put(h.stop);
}

MemberHistory get_history(Unpacker& in) {
  MemberHistory h;
  h.training_loss = in.get_all<float>();
  h.validation_loss = in.get_all<float>();
  h.learning_rate = in.get_all<float>();
  h.best_epoch = in.get<int>();
  h.best_loss = in.get<double>();
  h.stop = in.get<StopReason>();
  return h;
}

}  // namespace

std::uint64_t fingerprint(const Dataset& data) {
  Fingerprint print;
  for (const std::int64_t id : data.ids) print.add(static_cast<std::uint64_t>(id));
  print.add(static_cast<std::uint64_t>(data.theta.rows()));
  print.add(static_cast<std::uint64_t>(data.x->cols()));
  return print.hash;
}

std::uint64_t fingerprint(const std::vector<TrainedPosterior>& trained) {
  Fingerprint print;
  for (const TrainedPosterior& one : trained) {
    for (const MemberHistory& h : one.histories) {
      print.add(std::bit_cast<std::uint64_t>(h.best_loss));
    }
  }
  return print.hash;
}

std::vector<std::byte> pack(const JobMessage& message) {
  return Packer()
      .put_text(message.directory)
      .put_text(to_json(message.spec).dump())
      .put(message.threads)
      .put(message.simulates)
      .take();
}

JobMessage unpack_job(std::span<const std::byte> bytes) {
  Unpacker in(bytes);
  const std::string directory = in.get_text();
  RunSpec spec = run_spec_from_json(parse_json(in.get_text()));
  const int threads = in.get<int>();
  return {directory, std::move(spec), threads, in.get<bool>()};
}

std::vector<std::byte> pack(const ReadyMessage& message) {
  return Packer()
      .put(message.threads)
      .put_text(message.machine)
      .put_text(message.kernels)
      .put_text(message.error)
      .take();
}

ReadyMessage unpack_ready(std::span<const std::byte> bytes) {
  Unpacker in(bytes);
  ReadyMessage message;
  message.threads = in.get<int>();
  message.machine = in.get_text();
  message.kernels = in.get_text();
  message.error = in.get_text();
  return message;
}

std::vector<std::byte> pack(const RowBatch& batch) {
  Packer packer;
  packer.put_all(batch.rows).put_all(batch.request.ids).put_all(batch.request.seeds);
  put<double>(packer, batch.request.theta);
  return packer.put(batch.answered).take();
}

RowBatch unpack_rows(std::span<const std::byte> bytes) {
  Unpacker in(bytes);
  RowBatch batch;
  batch.rows = in.get_all<Index>();
  batch.request.ids = in.get_all<std::int64_t>();
  batch.request.seeds = in.get_all<std::uint64_t>();
  batch.request.theta = get_matrix(in);
  batch.answered = in.get<bool>();
  return batch;
}

std::vector<std::byte> pack(const ResultBatch& batch) {
  Packer packer;
  packer.put_all(batch.rows).put(batch.seconds);
  put<double>(packer, batch.x);
  put(packer, batch.failures);
  return packer.take();
}

ResultBatch unpack_results(std::span<const std::byte> bytes) {
  Unpacker in(bytes);
  ResultBatch batch;
  batch.rows = in.get_all<Index>();
  batch.seconds = in.get<double>();
  batch.x = get_matrix(in);
  batch.failures = get_failures(in);
  return batch;
}

std::vector<std::byte> pack(const TrainMessage& message) {
  Packer packer;
  packer.put_text(message.estimator);
  packer.put_text(to_json(message.region).dump());
  packer.put(message.issued).put(message.ensemble).put(message.rng).put(message.fingerprint);
  packer.put(message.first);
  packer.put(message.marginals.size());
  for (const Marginal& marginal : message.marginals) packer.put_all(marginal);
  return packer.take();
}

TrainMessage unpack_train(std::span<const std::byte> bytes, int dimensions) {
  Unpacker in(bytes);
  std::string estimator = in.get_text();
  Region region = region_from_json(parse_json(in.get_text()), dimensions);
  TrainMessage message{
      std::move(estimator), std::move(region), in.get<Index>(), {}, in.get<int>(), Rng(0), 0};
  message.rng = in.get_into(message.rng);
  message.fingerprint = in.get<std::uint64_t>();
  message.first = in.get<Index>();
  message.marginals.resize(in.get<std::size_t>());
  for (Marginal& marginal : message.marginals) marginal = in.get_all<int>();
  return message;
}

std::vector<std::byte> pack(const std::string& text) {
  return Packer().put_text(text).take();
}

std::string unpack_text(std::span<const std::byte> bytes) {
  return Unpacker(bytes).get_text();
}

std::vector<std::byte> pack(const TrainedMembers& members) {
  Packer packer;
  packer.put_text(members.error).put(members.stopped).put_all(members.members);
  for (std::size_t i = 0; i < members.members.size(); ++i) {
    packer.put_all(members.parameters[i]);
    put(packer, members.histories[i]);
  }
  return packer.take();
}

TrainedMembers unpack_trained(std::span<const std::byte> bytes) {
  Unpacker in(bytes);
  TrainedMembers members;
  members.error = in.get_text();
  members.stopped = in.get<bool>();
  members.members = in.get_all<Index>();
  for (std::size_t i = 0; i < members.members.size(); ++i) {
    members.parameters.push_back(in.get_all<float>());
    members.histories.push_back(get_history(in));
  }
  return members;
}

std::vector<std::byte> pack(const GaveUpMessage& message) {
  return Packer()
      .put(message.kind)
      .put_text(message.text)
      .put_all(message.rows)
      .put(message.answered)
      .take();
}

GaveUpMessage unpack_gave_up(std::span<const std::byte> bytes) {
  Unpacker in(bytes);
  GaveUpMessage message;
  message.kind = in.get<ErrorKind>();
  message.text = in.get_text();
  message.rows = in.get_all<Index>();
  message.answered = in.get<bool>();
  return message;
}

std::vector<std::byte> pack_calibrate(std::uint64_t fingerprint, const CalibrationDraws& draws,
                                      const RankOptions& options, const Rng& rng) {
  Packer packer;
  packer.put(fingerprint).put(draws.first).put(rng);
  put(packer, draws.x);
  put(packer, draws.local);
  packer.put_all(options.powers);
  return packer.put_text(to_json(options.correction).dump()).take();
}

CalibrateMessage unpack_calibrate(std::span<const std::byte> bytes) {
  Unpacker in(bytes);
  CalibrateMessage message{in.get<std::uint64_t>(), {}, {}, in.get<Index>(), {}, Rng(0)};
  message.rng = in.get_into(message.rng);
  message.x = get_matrix<float>(in);
  message.local = get_matrix(in);
  message.options.powers = in.get_all<double>();
  message.options.correction = correction_from_json(parse_json(in.get_text()));
  return message;
}

std::vector<std::byte> pack(const CalibratedMessage& message) {
  Packer packer;
  packer.put_text(message.error).put(message.ranks.size());
  for (const MarginalRanks& one : message.ranks) {
    packer.put_all(one.marginal);
    put<double>(packer, one.credibility);
    packer.put_all(one.cdf).put_all(one.nearer).put_all(one.mean).put_all(one.deviation);
    put<double>(packer, one.part_mean);
  }
  return packer.take();
}

CalibratedMessage unpack_calibrated(std::span<const std::byte> bytes) {
  Unpacker in(bytes);
  CalibratedMessage message{in.get_text(), {}};
  message.ranks.resize(in.get<std::size_t>());
  for (MarginalRanks& one : message.ranks) {
    one.marginal = in.get_all<int>();
    one.credibility = get_matrix(in);
    for (const auto part : {&MarginalRanks::cdf, &MarginalRanks::nearer, &MarginalRanks::mean,
                            &MarginalRanks::deviation}) {
      one.*part = in.get_all<double>();
    }
    one.part_mean = get_matrix(in);
  }
  return message;
}

GaveUpMessage gave_up_message(const std::exception_ptr& what, std::vector<Index> rows,
                              bool answered) {
  GaveUpMessage message{ErrorKind::simulator, "an unknown error", std::move(rows), answered};
  try {
    std::rethrow_exception(what);
  } catch (const Error& error) {
    message.kind = error.kind();
    message.text = error.what();
  } catch (const std::exception& error) {
    message.text = error.what();
  } catch (...) {  // NOLINT: nothing is known about it
  }
  return message;
}

}  // namespace hone
