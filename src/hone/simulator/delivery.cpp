#include "hone/simulator/delivery.h"

#include <algorithm>
#include <utility>

namespace hone {
namespace {

// How often the observer hears of progress and is asked whether to stop: fast for a person,
// nothing for the machine.
constexpr std::chrono::milliseconds kObserverPeriod(50);

}  // namespace

Index rows_per_batch(const ExecutorOptions& options, Index data_size) {
  const Index row_bytes = data_size * static_cast<Index>(sizeof(double));
  return std::clamp<Index>(options.batch_bytes / row_bytes, 1, options.batch_rows);
}

Delivery::Delivery(const SimulationRequest& request, Index data_size,
                   const ExecutorOptions& options, const SimulationSink& sink, Observer& observer)
    : total_(request.rows()),
      data_size_(data_size),
      options_(options),
      batch_rows_(rows_per_batch(options, data_size)),
      sink_(sink),
      observer_(observer),
      tally_(options, request) {
  observer_.stage_started("simulate", total_);
  thread_ = std::thread([this] { deliver_until_closed(); });
}

Delivery::~Delivery() {
  close();
}

void Delivery::close() {
  {
    const Lock lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Delivery::push(FinishedBlock block) {
  Lock lock(mutex_);
  // Two batches: one being written, one being filled.
  changed_.wait(lock, [this] { return waiting_rows_ < 2 * batch_rows_ || delivery_error_; });
  for (const Failure& failure : block.failures) tally_.add(failure);
  if (tally_.hopeless()) stopping_ = true;
  if (delivery_error_) return;
  const bool costly = block.seconds > options_.costly_seconds * static_cast<double>(block.rows());
  const Index costly_rows = costly ? block.rows() : 0;
  waiting_rows_ += block.rows();
  costly_rows_ += costly_rows;
  waiting_.push_back({std::move(block), Clock::now(), costly_rows});
  if (waiting_rows_ >= batch_rows_ || costly) changed_.notify_all();
}

void Delivery::simulator_gave_up(std::exception_ptr error) {
  const Lock lock(mutex_);
  if (!simulator_error_) simulator_error_ = std::move(error);
  stopping_ = true;
}

bool Delivery::batch_due() const {
  if (waiting_.empty()) return false;
  const std::chrono::duration<double> age = Clock::now() - waiting_.front().since;
  // Once somebody wants to stop there may be little time left.
  return closed_ || stopping_ || waiting_rows_ >= batch_rows_ || costly_rows_ > 0 ||
         age.count() >= options_.flush_seconds;
}

std::vector<FinishedBlock> Delivery::take_batch() {
  std::vector<FinishedBlock> batch;
  Index rows = 0;
  while (!waiting_.empty()) {
    const Index more = waiting_.front().block.rows();
    if (!batch.empty() && rows + more > batch_rows_) break;
    batch.push_back(std::move(waiting_.front().block));
    costly_rows_ -= waiting_.front().costly_rows;
    waiting_.pop_front();
    rows += more;
  }
  waiting_rows_ -= rows;
  return batch;
}

void Delivery::deliver_until_closed() {
  Lock lock(mutex_);
  while (!(closed_ && waiting_.empty())) {
    changed_.wait_for(lock, kObserverPeriod, [this] {
      return closed_ || waiting_rows_ >= batch_rows_ || costly_rows_ > 0;
    });
    const std::vector<FinishedBlock> batch =
        batch_due() ? take_batch() : std::vector<FinishedBlock>();
    // Costly rows count once the sink has them.
    const Index finished = tally_.summary().finished - costly_rows_;
    lock.unlock();
    try {
      if (!batch.empty()) hand_to_sink(batch);
      talk_to_observer(finished);
    } catch (...) {
      give_up(std::current_exception());
    }
    lock.lock();
    if (!batch.empty()) changed_.notify_all();
  }
}

void Delivery::hand_to_sink(const std::vector<FinishedBlock>& blocks) {
  std::vector<Index> rows;
  std::vector<Failure> failures;
  for (const FinishedBlock& block : blocks) {
    for (Index i = 0; i < block.rows(); ++i) rows.push_back(block.begin + i);
    failures.insert(failures.end(), block.failures.begin(), block.failures.end());
  }
  Matrix<double> x(static_cast<Index>(rows.size()), data_size_);
  double* next = x.data();
  for (const FinishedBlock& block : blocks) {
    next = std::copy_n(block.x.data(), block.rows() * data_size_, next);
  }
  sink_({rows, x, failures});
}

void Delivery::talk_to_observer(Index finished) {
  observer_.stage_advanced("simulate", finished, total_);
  if (observer_.stop_requested()) {
    const Lock lock(mutex_);
    interrupted_ = true;
    stopping_ = true;
  }
}

void Delivery::give_up(std::exception_ptr error) {
  const Lock lock(mutex_);
  if (!delivery_error_) delivery_error_ = std::move(error);
  stopping_ = true;
  waiting_.clear();
  waiting_rows_ = costly_rows_ = 0;
}

ExecutionSummary Delivery::finish() {
  close();
  if (delivery_error_) std::rethrow_exception(delivery_error_);
  observer_.stage_finished("simulate");
  if (simulator_error_) std::rethrow_exception(simulator_error_);
  const ExecutionSummary summary = tally_.summary();
  if (summary.finished == total_ ? tally_.too_many() : tally_.hopeless()) throw tally_.error();
  if (interrupted_ && summary.finished < total_) {
    fail(ErrorKind::interrupted, "stopped on request; {} of {} simulations are finished",
         summary.finished, total_);
  }
  return summary;
}

}  // namespace hone
