#include "hone/mpi/rank_executor.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "hone/mpi/back_off.h"
#include "hone/mpi/dealer.h"
#include "hone/simulator/delivery.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;  // paces; never part of a result

RowBatch rows_of(const SimulationRequest& request, Dealer::Share share) {
  RowBatch batch;
  batch.request.theta = Matrix<double>(share.count, request.theta.cols());
  for (Index i = 0; i < share.count; ++i) {
    const Index row = share.begin + i;
    batch.rows.push_back(row);
    batch.request.ids.push_back(request.ids[static_cast<std::size_t>(row)]);
    batch.request.seeds.push_back(request.seeds[static_cast<std::size_t>(row)]);
    std::ranges::copy(request.theta.row(row), batch.request.theta.row(i).begin());
  }
  return batch;
}

// Neighbouring rows go together.
void deliver(Delivery& delivery, const ResultBatch& results) {
  const auto count = static_cast<Index>(results.rows.size());
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    const Index first = results.rows[static_cast<std::size_t>(begin)];
    while (end < count && results.rows[static_cast<std::size_t>(end)] == first + end - begin) ++end;
    FinishedBlock block{first, Matrix<double>(end - begin, results.x.cols()),
                        {results.failures.begin() + begin, results.failures.begin() + end}};
    std::copy_n(results.x.row(begin).data(), block.rows() * block.x.cols(), block.x.data());
    delivery.push(std::move(block));
  }
}

// What this rank's lanes have finished since somebody looked.
class LocalNews {
 public:
  void add(Index rows, double seconds) {
    const std::lock_guard lock(mutex_);
    rows_ += rows;
    seconds_ += seconds;
    changed_.notify_one();  // under the lock: who takes the last rows ends this object
  }
  std::pair<Index, double> take() {
    const std::lock_guard lock(mutex_);
    return {std::exchange(rows_, 0), std::exchange(seconds_, 0)};
  }
  void wait(std::chrono::microseconds longest) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, longest, [this] { return rows_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Index rows_ = 0;
  double seconds_ = 0;
};

// One request on its way through the ranks.
class RankRun {
 public:
  RankRun(Leader& leader, Lanes& lanes, const SimulationRequest& request, Delivery& delivery,
          double silence_seconds)
      : leader_(leader),
        lanes_(lanes),
        request_(request),
        delivery_(delivery),
        silence_seconds_(silence_seconds),
        dealer_(request.rows(), leader.size()),
        joined_(static_cast<std::size_t>(leader.size())),
        halted_(static_cast<std::size_t>(leader.size())) {
    dealer_.join(0, lanes_.count());
    joined_[0] = true;
  }

  void drive() {
    while (dealer_.unfinished() > 0 && !delivery_.stopping()) {
      welcome();
      const bool news = listen();
      for (int r = 0; r < leader_.size(); ++r) deal(r);
      pause(news);
    }
    if (delivery_.stopping()) halt();
  }

 private:
  // Ranks begin when they are ready, not when all are.
  void welcome() {
    for (int r = 1; r < leader_.size(); ++r) {
      const Leader::Rank& rank = leader_.rank(r);
      if (joined_[static_cast<std::size_t>(r)] || !rank.ready) continue;
      joined_[static_cast<std::size_t>(r)] = true;
      if (rank.about.error.empty()) {
        dealer_.join(r, rank.about.lanes);
      } else {
        give_up(r, {ErrorKind::input, rank.about.error});
      }
    }
  }

  bool listen() {
    bool news = false;
    if (const auto [rows, seconds] = local_.take(); rows > 0) {
      dealer_.finished(0, rows, seconds);
      news = true;
    }
    while (const auto message = leader_.receive()) {
      news = true;
      if (message->tag == static_cast<int>(Tag::results)) {
        const ResultBatch results = unpack_results(message->bytes);
        dealer_.finished(message->from, std::ssize(results.rows), results.seconds);
        deliver(delivery_, results);
      } else if (message->tag == static_cast<int>(Tag::gave_up)) {
        give_up(message->from, unpack_gave_up(message->bytes));
      } else if (message->tag == static_cast<int>(Tag::halted)) {
        halted_[static_cast<std::size_t>(message->from)] = true;
      }
    }
    return news;
  }

  void deal(int rank) {
    const Index held = dealer_.held(rank);
    const Dealer::Share share = dealer_.deal(rank);
    if (share.count == 0) return;
    const RowBatch batch = rows_of(request_, share);
    if (rank > 0) {
      if (held == 0) leader_.forget_silence(rank);
      leader_.send(rank, Tag::simulate, pack(batch));
      return;
    }
    lanes_.submit(batch, local_listener_);
  }

  std::shared_ptr<const Lanes::Listener> local_listener() {
    const auto finished = [this](const ResultBatch& results) {
      deliver(delivery_, results);
      local_.add(std::ssize(results.rows), results.seconds);
    };
    const auto gave_up = [this](std::exception_ptr error) {
      delivery_.simulator_gave_up(std::move(error));
    };
    return std::make_shared<const Lanes::Listener>(Lanes::Listener{finished, gave_up});
  }

  void give_up(int rank, const GaveUpMessage& message) {
    const Error error(message.kind, fmt::format("rank {} on {}: {}", rank,
                                                leader_.rank(rank).about.machine, message.text));
    delivery_.simulator_gave_up(std::make_exception_ptr(error));
  }

  void pause(bool news) {
    if (news) back_off_.reset();
    local_.wait(back_off_.next());
    const auto now = Clock::now();
    leader_.note_time(std::chrono::duration<double>(now - last_look_).count());
    last_look_ = now;
    for (int r = 1; r < leader_.size() && !leader_.lost(); ++r) {
      if (dealer_.held(r) > 0 && leader_.rank(r).silence > silence_seconds_) lose(r);
    }
  }

  void lose(int rank) {
    leader_.lose();
    const Error error(
        ErrorKind::simulator,
        fmt::format("rank {} on {} hangs: it has {} simulations and has not been heard of for {:g} "
                    "seconds. Everything finished is saved; `hone resume` goes on, with any number "
                    "of ranks",
                    rank, leader_.rank(rank).about.machine, dealer_.held(rank), silence_seconds_));
    delivery_.simulator_gave_up(std::make_exception_ptr(error));
  }

  // Everybody stops, and sends what is finished.
  void halt() {
    lanes_.halt();
    if (!leader_.lost()) leader_.send_all(Tag::halt);
    halted_[0] = true;
    const auto all_halted = [&] {
      return leader_.lost() || std::ranges::all_of(halted_, [](bool one) { return one; });
    };
    while (!all_halted() || !lanes_.idle()) pause(listen());
    listen();
  }

  Leader& leader_;
  Lanes& lanes_;
  const SimulationRequest& request_;
  Delivery& delivery_;
  double silence_seconds_;
  Dealer dealer_;
  LocalNews local_;
  std::shared_ptr<const Lanes::Listener> local_listener_ = local_listener();
  std::vector<bool> joined_, halted_;
  BackOff back_off_;
  Clock::time_point last_look_ = Clock::now();
};

class RankExecutor final : public Executor {
 public:
  RankExecutor(Leader& leader, Lanes& lanes, RankExecutorOptions options)
      : leader_(leader), lanes_(lanes), options_(options) {
    options_.executor.validate();
  }

  ExecutionSummary run(const SimulationRequest& request, const SimulationSink& sink,
                       Observer& observer) override {
    Delivery delivery(request, options_.data_size, options_.executor, sink, observer);
    RankRun(leader_, lanes_, request, delivery, options_.silence_seconds).drive();
    return delivery.finish();
  }

  const NoiseModel* noise() const override { return lanes_.noise(); }

 private:
  Leader& leader_;
  Lanes& lanes_;
  RankExecutorOptions options_;
};

}  // namespace

std::unique_ptr<Executor> make_rank_executor(Leader& leader, Lanes& lanes,
                                             RankExecutorOptions options) {
  return std::make_unique<RankExecutor>(leader, lanes, options);
}

}  // namespace hone
