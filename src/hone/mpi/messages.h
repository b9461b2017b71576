#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "hone/check/calibrator.h"
#include "hone/core/error.h"
#include "hone/engine/trainer.h"
#include "hone/run/run_directory.h"
#include "hone/simulator/executor.h"

// What rank 0 and the other ranks say to each other.
//
//   rank 0                                others
//   job: the run                 ->
//                                <-       ready: how many simulations at once, or an error
//   simulate: some rows          ->
//                                <-       results: some rows; alive; log: a line of a simulator
//                                <-       gave_up: the simulator cannot go on with some rows
//   halt                         ->                       then results of what was finished, and
//                                <-       halted
//   train: region, members       ->
//                                <-       prepared: it sees the same data, or an error
//   start: who takes part        ->
//   [stop_work                   ->]
//                                <-       trained: its members, or nothing if stopped or an error
//   calibrate: some test draws   ->
//   [stop_work                   ->]
//                                <-       calibrated: their ranks, or an error
//   dismiss: end of the job      ->
//   say: between runs           <-->      (collective_calls.h)
//   quit: end of the program    <-->

namespace hone {

enum class Tag {
  job,
  ready,
  simulate,
  results,
  alive,
  log,
  gave_up,
  halt,
  halted,
  train,
  prepared,
  start,
  stop_work,
  trained,
  calibrate,
  calibrated,
  dismiss,
  say,
  quit,
};

struct JobMessage {
  std::string directory;  // of the run, absolute
  RunSpec spec;           // but for the covariance of its noise
  int threads = 0;        // 0: what a rank has
  bool simulates = true;  // false: nobody opens the simulator
};

struct ReadyMessage {
  int threads = 0;      // simulations at once
  std::string machine;  // its name
  std::string kernels;  // the training engine's: bits depend on them
  std::string error;    // why it cannot simulate; empty: it can
};

// Rows of a request on their way to where they are simulated.
struct RowBatch {
  std::vector<Index> rows;    // (k) of rank 0's request
  SimulationRequest request;  // ids, theta and seeds of those
  bool answered = false;      // the simulator has answered before, somewhere
};

// And back.
struct ResultBatch {
  std::vector<Index> rows;        // (k)
  Matrix<double> x;               // (k, data size)
  std::vector<Failure> failures;  // (k)
  double seconds = 0;             // they took, one after the other
};

struct TrainMessage {
  std::string estimator;  // its kind
  Region region;
  Index issued = 0;
  std::vector<Marginal> marginals;
  int ensemble = 1;
  Rng rng;
  std::uint64_t fingerprint = 0;  // of the data set
  Index first = 0;                // Dataset::first
};

// Changes with the simulations of a data set.
std::uint64_t fingerprint(const Dataset& data);
// Changes with the training of networks.
std::uint64_t fingerprint(const std::vector<TrainedPosterior>& trained);

// The members of one rank.
struct TrainedMembers {
  std::vector<Index> members;
  std::vector<std::vector<float>> parameters;
  std::vector<MemberHistory> histories;
  std::string error;  // why there are none; empty: they are here, or it was stopped
  bool stopped = false;
};

// Test draws of a check; `x` and `local` as CalibrationDraws.
struct CalibrateMessage {
  std::uint64_t fingerprint = 0;  // of the networks
  Matrix<float> x;
  Matrix<double> local;
  Index first = 0;
  RankOptions options;  // but for the numbers of points, which are the default
  Rng rng;

  CalibrationDraws draws() const { return {x, local, first}; }
};

struct CalibratedMessage {
  std::string error;  // why there are no ranks; empty: they are here
  std::vector<MarginalRanks> ranks;
};

// A simulator that cannot go on, or has never answered. If it has answered elsewhere, its rows may
// be to blame: they are tried once more.
struct GaveUpMessage {
  ErrorKind kind = ErrorKind::simulator;
  std::string text;
  std::vector<Index> rows = {};  // that are not finished
  bool answered = false;         // as their batch
};
GaveUpMessage gave_up_message(const std::exception_ptr& error, std::vector<Index> rows,
                              bool answered);

std::vector<std::byte> pack(const JobMessage& message);
std::vector<std::byte> pack(const ReadyMessage& message);
std::vector<std::byte> pack(const RowBatch& batch);
std::vector<std::byte> pack(const ResultBatch& batch);
std::vector<std::byte> pack(const TrainMessage& message);
std::vector<std::byte> pack(const std::string& text);
std::vector<std::byte> pack(const TrainedMembers& members);
std::vector<std::byte> pack(const GaveUpMessage& message);
std::vector<std::byte> pack_calibrate(std::uint64_t fingerprint, const CalibrationDraws& draws,
                                      const RankOptions& options, const Rng& rng);
std::vector<std::byte> pack(const CalibratedMessage& message);

JobMessage unpack_job(std::span<const std::byte> bytes);
ReadyMessage unpack_ready(std::span<const std::byte> bytes);
RowBatch unpack_rows(std::span<const std::byte> bytes);
ResultBatch unpack_results(std::span<const std::byte> bytes);
TrainMessage unpack_train(std::span<const std::byte> bytes, int dimensions);
std::string unpack_text(std::span<const std::byte> bytes);
TrainedMembers unpack_trained(std::span<const std::byte> bytes);
GaveUpMessage unpack_gave_up(std::span<const std::byte> bytes);
CalibrateMessage unpack_calibrate(std::span<const std::byte> bytes);
CalibratedMessage unpack_calibrated(std::span<const std::byte> bytes);

}  // namespace hone
