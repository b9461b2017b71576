#include "hone/mpi/rank_executor.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "hone/mpi/back_off.h"
#include "hone/mpi/row_scheduler.h"
#include "hone/simulator/delivery.h"
#include "hone/simulator/part_of_request.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;  // paces; never part of a result

// Rows that a simulator may leave without an answer before it has ever given one.
constexpr Index kMostUnanswered = 20;
// How long to wait for results of ranks that were told to stop.
constexpr std::chrono::milliseconds kPatience(300);

// Neighbouring rows go together.
void deliver(Delivery& delivery, const ResultBatch& results) {
  const auto count = static_cast<Index>(results.rows.size());
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    const Index first = results.rows[static_cast<std::size_t>(begin)];
    while (end < count && results.rows[static_cast<std::size_t>(end)] == first + end - begin) ++end;
    FinishedBlock block{first,
                        Matrix<double>(end - begin, results.x.cols()),
                        {results.failures.begin() + begin, results.failures.begin() + end}};
    block.seconds =
        results.seconds * static_cast<double>(block.rows()) / static_cast<double>(count);
    std::copy_n(results.x.row(begin).data(), block.rows() * block.x.cols(), block.x.data());
    delivery.push(std::move(block));
  }
}

// What this rank's threads have done since somebody looked.
class LocalNews {
 public:
  struct News {
    Index rows = 0;
    double seconds = 0;
    std::vector<GaveUpMessage> gave_up;
    bool any() const { return rows > 0 || !gave_up.empty(); }
  };

  void finished(Index rows, double seconds) {
    const std::lock_guard lock(mutex_);
    news_.rows += rows;
    news_.seconds += seconds;
    changed_.notify_one();  // under the lock: who takes the last rows ends this object
  }
  void gave_up(const GaveUpMessage& message) {
    const std::lock_guard lock(mutex_);
    news_.gave_up.push_back(message);
    changed_.notify_one();
  }
  News take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }
  void wait(std::chrono::microseconds longest) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, longest, [this] { return news_.any(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  News news_;
};

// One request on its way through the ranks.
class RankRun {
 public:
  RankRun(OtherRanks& others, SimulatorThreads& simulators, const SimulationRequest& request,
          Delivery& delivery, double silence_seconds)
      : others_(others),
        simulators_(simulators),
        request_(request),
        delivery_(delivery),
        silence_seconds_(silence_seconds),
        answered_(request.has_worked()),
        scheduler_(request.rows(), others.size()),
        joined_(static_cast<std::size_t>(others.size())) {
    scheduler_.join(0, simulators_.count());
    joined_[0] = true;
  }

  void drive() {
    forget_last_request();
    while (scheduler_.unfinished() > 0 && !delivery_.stopping()) {
      welcome();
      const bool news = listen();
      judge_unanswered();
      for (int r = 0; r < others_.size(); ++r) next_rows(r);
      pause(news);
    }
    if (delivery_.stopping()) halt();
  }

 private:
  void forget_last_request() {
    for (BackOff back_off; others_.halting(); back_off.sleep()) others_.receive();
  }

  // Ranks begin when they are ready, not when all are.
  void welcome() {
    for (int r = 1; r < others_.size(); ++r) {
      const OtherRanks::Rank& rank = others_.rank(r);
      if (joined_[static_cast<std::size_t>(r)] || !rank.ready) continue;
      joined_[static_cast<std::size_t>(r)] = true;
      if (rank.about.error.empty()) {
        scheduler_.join(r, rank.about.threads);
      } else {
        give_up(r, {ErrorKind::input, rank.about.error, {}});
      }
    }
  }

  bool listen() {
    const LocalNews::News local = local_.take();
    bool news = local.any();
    if (local.rows > 0) note_finished(0, local.rows, local.seconds);
    for (const GaveUpMessage& message : local.gave_up) take_back(0, message);
    while (const auto message = others_.receive()) {
      news = true;
      if (message->tag == static_cast<int>(Tag::results)) {
        const ResultBatch results = unpack_results(message->bytes);
        note_finished(message->from, std::ssize(results.rows), results.seconds);
        deliver(delivery_, results);
      } else if (message->tag == static_cast<int>(Tag::gave_up)) {
        take_back(message->from, unpack_gave_up(message->bytes));
      }
    }
    return news;
  }

  void note_finished(int rank, Index rows, double seconds) {
    answered_ = true;
    scheduler_.finished(rank, rows, seconds);
  }

  // As a single executor of external programs: one that has never answered says nothing about the
  // simulations it was at. They wait until it answers for others, and are tried again then.
  void take_back(int rank, const GaveUpMessage& message) {
    if (message.answered) return give_up(rank, message);
    scheduler_.returned(rank, std::ssize(message.rows));
    unanswered_.insert(unanswered_.end(), message.rows.begin(), message.rows.end());
    last_word_ = {rank, message};
  }

  void judge_unanswered() {
    if (unanswered_.empty()) return;
    if (answered_) {
      scheduler_.schedule_again(std::exchange(unanswered_, {}));
    } else if (std::ssize(unanswered_) >= kMostUnanswered ||
               std::ssize(unanswered_) == scheduler_.unfinished()) {
      give_up(last_word_.first, last_word_.second);
    }
  }

  void next_rows(int rank) {
    const Index held = scheduler_.held(rank);
    const std::vector<Index> rows = scheduler_.next_rows(rank);
    if (rows.empty()) return;
    const RowBatch batch{rows, part_of(request_, rows), answered_};
    if (rank > 0) {
      if (held == 0) others_.forget_silence(rank);
      others_.send(rank, Tag::simulate, pack(batch));
      return;
    }
    simulators_.submit(batch, local_listener_);
  }

  std::shared_ptr<const SimulatorThreads::Listener> local_listener() {
    const auto finished = [this](const ResultBatch& results) {
      deliver(delivery_, results);
      local_.finished(std::ssize(results.rows), results.seconds);
    };
    const auto gave_up = [this](const GaveUpMessage& message) { local_.gave_up(message); };
    return std::make_shared<const SimulatorThreads::Listener>(
        SimulatorThreads::Listener{finished, gave_up});
  }

  void give_up(int rank, const GaveUpMessage& message) {
    const std::string where =
        rank == 0 ? "" : fmt::format("rank {} on {}: ", rank, others_.rank(rank).about.machine);
    const Error error(message.kind, where + message.text);
    delivery_.simulator_gave_up(std::make_exception_ptr(error));
  }

  void pause(bool news) {
    if (news) back_off_.reset();
    local_.wait(back_off_.next());
    const auto now = Clock::now();
    others_.note_time(std::chrono::duration<double>(now - last_look_).count());
    last_look_ = now;
    for (int r = 1; r < others_.size() && !others_.lost(); ++r) {
      if (scheduler_.held(r) > 0 && others_.rank(r).silence > silence_seconds_) lose(r);
    }
  }

  void lose(int rank) {
    others_.lose();
    const Error error(ErrorKind::simulator,
                      ErrorParts{.reason = fmt::format(
                                     "rank {} on {} hangs: it has {} simulations and has not been "
                                     "heard of for {:g} seconds. Everything finished is saved",
                                     rank, others_.rank(rank).about.machine, scheduler_.held(rank),
                                     silence_seconds_),
                                 .advice = {.before = "; to go on, with any number of ranks, ",
                                            .action = Action::resume}});
    delivery_.simulator_gave_up(std::make_exception_ptr(error));
  }

  // Everybody stops, and sends what is finished. Not for long: a launcher that ends the job, since
  // a rank has died or somebody wants it to, gives a second.
  void halt() {
    const auto begin = Clock::now();
    simulators_.halt();
    if (!others_.lost()) others_.halt();
    const auto patient = [&] { return Clock::now() - begin < kPatience; };
    while (!simulators_.idle() || (others_.halting() && !others_.lost() && patient()))
      pause(listen());
    listen();
  }

  OtherRanks& others_;
  SimulatorThreads& simulators_;
  const SimulationRequest& request_;
  Delivery& delivery_;
  double silence_seconds_;
  bool answered_;  // by the simulator, anywhere, ever
  std::vector<Index> unanswered_;
  std::pair<int, GaveUpMessage> last_word_;
  RowScheduler scheduler_;
  LocalNews local_;
  std::shared_ptr<const SimulatorThreads::Listener> local_listener_ = local_listener();
  std::vector<bool> joined_;
  BackOff back_off_;
  Clock::time_point last_look_ = Clock::now();
};

class RankExecutor final : public Executor {
 public:
  RankExecutor(OtherRanks& others, SimulatorThreads& simulators, RankExecutorOptions options)
      : others_(others), simulators_(simulators), options_(std::move(options)) {
    options_.executor.validate();
  }

  ExecutionSummary run(const SimulationRequest& request, const SimulationSink& sink,
                       Observer& observer) override {
    Delivery delivery(request, options_.data_size, options_.executor, sink, observer);
    RankRun(others_, simulators_, request, delivery, options_.silence_seconds).drive();
    return delivery.finish();
  }

  const NoiseModel* noise() const override { return simulators_.noise(); }

 private:
  OtherRanks& others_;
  SimulatorThreads& simulators_;
  RankExecutorOptions options_;
};

}  // namespace

std::unique_ptr<Executor> make_rank_executor(OtherRanks& others, SimulatorThreads& simulators,
                                             RankExecutorOptions options) {
  return std::make_unique<RankExecutor>(others, simulators, std::move(options));
}

}  // namespace hone
