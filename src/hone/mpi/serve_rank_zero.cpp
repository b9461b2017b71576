#include "hone/mpi/serve_rank_zero.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>

#include "hone/core/parallel.h"
#include "hone/core/visible_text.h"
#include "hone/mpi/back_off.h"
#include "hone/mpi/launch.h"
#include "hone/mpi/other_ranks.h"
#include "hone/mpi/packing.h"
#include "hone/mpi/rank_group.h"
#include "hone/run/finished_run.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

// A sign of life from a rank whose simulations take long. Only then: nobody listens at other times.
constexpr std::chrono::seconds kHeartbeat(1);
// How long a rank looks for simulations that rank 0 has written: network file systems may show them
// to others only later.
constexpr std::chrono::seconds kPatienceWithFiles(10);

// Messages that other threads want to be sent.
class Outbox {
 public:
  void put(Tag tag, std::vector<std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    messages_.emplace_back(tag, std::move(bytes));
  }
  std::vector<std::pair<Tag, std::vector<std::byte>>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<Tag, std::vector<std::byte>>> messages_;
};

// Asked by the work on this rank: has rank 0 sent for it to stop?
class WorkObserver final : public Observer {
 public:
  // `end`: that rank 0 has no more work at all, if it says so meanwhile.
  WorkObserver(Transport& transport, std::optional<Tag>& end) : transport_(transport), end_(end) {}
  bool stop_requested() override {
    while (!stop_) {  // what comes after it is for others to read
      const auto message = transport_.receive();
      if (!message) break;
      const Tag tag = static_cast<Tag>(message->tag);
      if (tag == Tag::dismiss || tag == Tag::quit) end_ = tag;
      stop_ = end_ || tag == Tag::stop_work;
    }
    return stop_;
  }

 private:
  Transport& transport_;
  std::optional<Tag>& end_;
  bool stop_ = false;
};

TrainedMembers own_members(TrainedNetworks& networks, const RankGroup& group) {
  TrainedMembers mine;
  for (Index k = 0; k < networks.size(); ++k) {
    if (!group.mine(k)) continue;
    const auto parameters = networks.parameters(k);
    mine.members.push_back(k);
    mine.parameters.emplace_back(parameters.begin(), parameters.end());
    mine.histories.push_back(networks.histories[static_cast<std::size_t>(k)]);
  }
  return mine;
}

// One run on a rank that is not 0.
class ServedRun {
 public:
  ServedRun(Transport& transport, JobMessage job, const OpenExecutors& open)
      : transport_(transport), job_(std::move(job)) {
    ReadyMessage ready{
        .threads = 0, .machine = transport_.machine(), .kernels = training_kernels(), .error = {}};
    try {
      const LogSink log = [this](int worker, std::string_view line) {
        outbox_.put(Tag::log, Packer().put(worker).put_text(line).take());
      };
      simulators_.emplace(job_.simulates ? open(job_.spec, log) : ThreadExecutors{});
      ready.threads = simulators_->count();
    } catch (const std::exception& error) {
      ready.error = error.what();
    }
    send(Tag::ready, pack(ready));
  }

  // Until rank 0 dismisses or quits.
  Tag work() {
    BackOff back_off;
    for (;;) {
      bool news = send_outbox();
      while (const auto message = transport_.receive()) {
        const Tag tag = static_cast<Tag>(message->tag);
        if (tag == Tag::dismiss || tag == Tag::quit) return tag;
        take(tag, *message);
        if (end_) return *end_;
        news = true;
      }
      finish_halt();
      show_life();
      if (news) back_off.reset();
      if (!news) back_off.sleep();
    }
  }

 private:
  void send(Tag tag, std::vector<std::byte> bytes = {}) {
    transport_.send(0, static_cast<int>(tag), std::move(bytes));
    last_sent_ = Clock::now();
  }

  bool send_outbox() {
    auto messages = outbox_.take();
    for (auto& [tag, bytes] : messages) send(tag, std::move(bytes));
    return !messages.empty();
  }

  void take(Tag tag, const Message& message) {
    if (tag == Tag::simulate) simulators_->submit(unpack_rows(message.bytes), listener_);
    if (tag == Tag::halt) halting_ = true;
    if (tag == Tag::halt && simulators_) simulators_->halt();
    if (tag == Tag::train) prepare(unpack_train(message.bytes, job_.spec.prior.dimensions()));
    if (tag == Tag::start) train(Unpacker(message.bytes).get_all<int>());
    if (tag == Tag::calibrate) calibrate(unpack_calibrate(message.bytes));
  }

  void finish_halt() {
    if (!halting_ || (simulators_ && !simulators_->idle())) return;
    send_outbox();
    send(Tag::halted);
    halting_ = false;
  }

  void show_life() {
    const bool due = Clock::now() - last_sent_ > kHeartbeat;
    if (due && simulators_ && !simulators_->idle()) send(Tag::alive);
  }

  std::shared_ptr<const SimulatorThreads::Listener> make_listener() {
    const auto finished = [this](const ResultBatch& results) {
      outbox_.put(Tag::results, pack(results));
    };
    const auto gave_up = [this](const GaveUpMessage& message) {
      outbox_.put(Tag::gave_up, pack(message));
    };
    return std::make_shared<const SimulatorThreads::Listener>(
        SimulatorThreads::Listener{finished, gave_up});
  }

  // Reads the run until it shows what rank 0 has written. Says what is wrong; nothing if all is
  // there. `read` does the same for one look.
  template <typename F>
  std::string read_patiently(F&& read) {
    const auto end = Clock::now() + kPatienceWithFiles;
    for (;;) {
      std::string error;
      try {
        error = read(RunDirectory::open(job_.directory));
      } catch (const std::exception& e) {
        error = e.what();
      }
      if (error.empty() || Clock::now() > end) return error;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  // Reads what is to be trained on; rank 0 says then who takes part.
  void prepare(TrainMessage order) {
    data_.reset();
    const std::string error = read_patiently([&](const RunDirectory& run) {
      const NoiseModel* noise = simulators_ ? simulators_->noise() : nullptr;
      data_ = training_data(run, order.region, noise, order.issued, order.first);
      options_ = run.spec().options;
      const bool same = fingerprint(data_->rows) == order.fingerprint;
      return same ? "" : "its simulations in " + job_.directory + " are not those of rank 0";
    });
    order_ = std::move(order);
    send(Tag::prepared, pack(error));
  }

  void calibrate(const CalibrateMessage& order) {
    CalibratedMessage answer;
    std::vector<TrainedPosterior> trained;
    answer.error = read_patiently([&](const RunDirectory& run) {
      trained = run.posteriors();
      const bool same = fingerprint(trained) == order.fingerprint;
      return same ? "" : "its networks in " + job_.directory + " are not those of rank 0";
    });
    try {
      WorkObserver observer(transport_, end_);
      if (answer.error.empty()) {
        answer.ranks =
            local_calibrator().rank(trained, order.draws(), order.options, order.rng, observer);
      }
    } catch (const std::exception& error) {  // rank 0 does not wait if it stopped this rank
      answer.error = error.what();
    }
    send(Tag::calibrated, pack(answer));
  }

  void train(const std::vector<int>& ranks) {
    const std::optional<RunData> data = std::exchange(data_, std::nullopt);
    if (std::ranges::find(ranks, transport_.rank()) == ranks.end()) return;
    const EstimatorKind& kind = find_estimator(order_->estimator);
    RankGroup group(transport_, ranks, shares_embedding(kind, *options_, data->rows));
    WorkObserver observer(transport_, end_);
    TrainedMembers trained;
    try {
      const EstimationRequest request{data->rows, order_->marginals, order_->ensemble,
                                      *options_,  order_->rng,       observer};
      trained = own_members(*kind.train(request, group), group);
    } catch (const Error& error) {
      trained.stopped = error.kind() == ErrorKind::interrupted;
      if (!trained.stopped) trained.error = error.what();
    } catch (const std::exception& error) {
      trained.error = error.what();
    }
    if (!trained.error.empty() && group.exchanging()) leave_for_good(trained.error);
    send(Tag::trained, pack(trained));
  }

  // The others wait for this rank's numbers and cannot be told.
  void leave_for_good(const std::string& error) {
    std::fprintf(stderr, "hone: rank %d on %s: %s\nfinished work is saved: resume the run\n",
                 transport_.rank(), transport_.machine().c_str(), visible_text(error).c_str());
    transport_.abort(1);
  }

  Transport& transport_;
  JobMessage job_;
  Outbox outbox_;
  std::shared_ptr<const SimulatorThreads::Listener> listener_ = make_listener();
  bool halting_ = false;
  Clock::time_point last_sent_ = Clock::now();
  std::optional<Tag> end_;
  std::optional<TrainMessage> order_;
  std::optional<InferenceOptions> options_;
  std::optional<RunData> data_;
  std::optional<SimulatorThreads>
      simulators_;  // the last to come, the first to go: it speaks to the outbox
};

Message wait_for_message(Transport& transport) {
  BackOff back_off(std::chrono::milliseconds(5));
  for (;;) {
    if (auto message = transport.receive()) return *message;
    back_off.sleep();
  }
}

}  // namespace

Message serve_runs(Transport& transport, const OpenExecutors& open) {
  for (;;) {
    Message message = wait_for_message(transport);
    if (message.tag != static_cast<int>(Tag::job)) return message;
    const JobMessage job = unpack_job(message.bytes);
    Tag end = Tag::quit;
    with_threads(job.threads > 0 ? job.threads : threads_of_rank(transport),
                 [&] { end = ServedRun(transport, job, open).work(); });
    if (end == Tag::quit) return {0, static_cast<int>(end), {}};
  }
}

void serve_rank_zero(Transport& transport, const OpenExecutors& open) {
  while (serve_runs(transport, open).tag != static_cast<int>(Tag::quit)) {
  }
}

void end_other_ranks(Transport& transport) {
  for (int r = 1; r < transport.size(); ++r) transport.send(r, static_cast<int>(Tag::quit), {});
}

}  // namespace hone
