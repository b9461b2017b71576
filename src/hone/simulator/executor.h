#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/observer.h"
#include "hone/simulator/simulator.h"

namespace hone {

struct ExecutorOptions {
  double max_failed_fraction = 0.5;     // end with an error above this; in [0, 1]
  Index minimum_finished = 100;         // judge the fraction only from this many on; >= 1
  Index first_failures = 20;            // end at once when the first so many all fail; >= 1
  Index batch_rows = 65536;             // rows handed to the sink at once, at most; >= 1
  Index batch_bytes = Index{64} << 20;  // the same in bytes of x (one row is always allowed); >= 1
  double flush_seconds = 1;             // a finished row waits at most about this long; > 0
  // A row that took longer than this is handed to the sink at once, and is not counted as finished
  // before the sink has it; > 0
  double costly_seconds = 2e-3;
  std::vector<char> may_be_missing = {};  // 1 for columns of x that may be NaN; empty: none
  void validate() const;  // throws "simulator.max_failed_fraction = 2: must lie in [0, 1]"
};

// Simulations to be run. Seeds come from the caller: rng.child("simulate", id).bits64().
struct SimulationRequest {
  std::vector<std::int64_t> ids;     // (n)
  Matrix<double> theta;              // (n, parameters)
  std::vector<std::uint64_t> seeds;  // (n)

  // What an interrupted run had done before. Counted with this request's failures, so that a
  // resumed run fails exactly when the undisturbed one does.
  Index finished_before = 0;
  Index failed_before = 0;
  // The simulator is known to work: a request whose rows all fail is not the simulator's failure as
  // a whole. For parts of a larger request, whose owner judges it.
  bool known_to_work = false;

  bool has_worked() const { return known_to_work || finished_before > failed_before; }
  Index rows() const { return static_cast<Index>(ids.size()); }
};

// Some rows of a request, finished, in arbitrary order. The views end with the call of the sink.
struct FinishedSimulations {
  std::span<const Index> rows;        // (k) rows of the request
  MatrixView<const double> x;         // (k, data_size); all finite where there is no failure
  std::span<const Failure> failures;  // (k)
};

// Called by one thread at a time, not necessarily the caller's. An exception ends the execution
// and is rethrown by run().
using SimulationSink = std::function<void(const FinishedSimulations&)>;

struct ExecutionSummary {
  Index finished = 0;  // of this request, failures included
  Index failed = 0;
  std::string main_reason;  // the most frequent reason of failure; empty if nothing failed
};

// Runs simulations somewhere: threads here; external workers or MPI ranks elsewhere.
//
// Every finished row reaches the sink, also when run() throws:
//   Error{interrupted}  the observer asked to stop
//   Error{simulator}    too many failures, or the simulator cannot go on at all
//   what the sink threw (then, and only then, undelivered rows are lost)
// Values do not depend on threads, batches or timing; the order of delivery does.
// The observer sees the stage "simulate"; its calls come from one thread at a time.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual ExecutionSummary run(const SimulationRequest& request, const SimulationSink& sink,
                               Observer& observer = silent_observer()) = 0;

  // The simulator's own noise, still to be added to what the sink gets; null: there is none. Lives
  // as long as the executor's simulator.
  virtual const NoiseModel* noise() const { return nullptr; }
};

// Uses the threads of the current arena (hone/core/parallel.h), or one if the simulator is not
// concurrent. The simulator must outlive the executor.
std::unique_ptr<Executor> make_thread_executor(Simulator& simulator, ExecutorOptions options = {});

// For work that finds all its simulations in the store: asked for one, it throws Error{input}.
Executor& no_executor();

}  // namespace hone
