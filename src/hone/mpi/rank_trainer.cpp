#include "hone/mpi/rank_trainer.h"

#include <algorithm>
#include <set>

#include "hone/core/error.h"
#include "hone/mpi/back_off.h"
#include "hone/mpi/packing.h"
#include "hone/mpi/rank_group.h"

namespace hone {
namespace {

bool was_stopped(const std::exception_ptr& what) {
  try {
    std::rethrow_exception(what);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::interrupted;
  } catch (...) {
    return false;
  }
}

class RankTrainer final : public NetworkTrainer {
 public:
  explicit RankTrainer(OtherRanks& others) : others_(others) {}

  TrainedPosterior train(const EstimatorKind& kind, const EstimationRequest& request) override {
    const Dataset& data = request.data;
    Observer& observer = request.observer;
    const TrainMessage order{kind.name,         data.prior.region(), data.issued,
                             request.marginals, request.ensemble,    request.rng,
                             fingerprint(data), data.first};
    const auto members = request.marginals.size() * static_cast<std::size_t>(request.ensemble);
    const bool together = shares_embedding(kind, request.options, data);
    const std::vector<int> group = members == 1 ? std::vector{0} : gather_team(order, observer);
    const bool alone = group.size() == 1 || (together && std::ssize(group) < others_.size());
    if (alone) others_.send_all(Tag::start, Packer().put_all(std::vector<int>()).take());
    if (alone) return estimate(kind, request);
    others_.send_all(Tag::start, Packer().put_all(group).take());

    RankGroup ranks(others_.transport(), group, together);
    std::unique_ptr<TrainedNetworks> networks = [&] {
      try {
        return kind.train(request, ranks);
      } catch (...) {
        // Ranks that wait for this one's numbers cannot be told.
        if (ranks.exchanging() && !was_stopped(std::current_exception())) others_.lose();
        if (!others_.lost()) collect(nullptr, group, true, observer);
        throw;
      }
    }();
    collect(networks.get(), group, false, observer);
    return kind.assemble(request, std::move(networks));
  }

 private:
  // Ranks that are ready to train on the same data.
  std::vector<int> gather_team(const TrainMessage& order, Observer& observer) {
    std::set<int> asked;
    std::vector<int> group{0};
    const auto bytes = pack(order);
    for (int r = 1; r < others_.size(); ++r) {
      if (unable_.contains(r)) continue;
      others_.send(r, Tag::train, bytes);
      asked.insert(r);
    }
    wait_for(asked, Tag::prepared, [&](const Message& message) {
      const std::string error = unpack_text(message.bytes);
      const OtherRanks::Rank& rank = others_.rank(message.from);
      if (error.empty() && rank.about.kernels == training_kernels()) {
        group.push_back(message.from);
      } else {
        exclude(message.from,
                error.empty() ? fmt::format("its machine computes with {}, this one with {}",
                                            rank.about.kernels, training_kernels())
                              : error,
                observer);
      }
    });
    std::ranges::sort(group);
    return group;
  }

  // It is not asked again.
  void exclude(int rank, const std::string& reason, Observer& observer) {
    unable_.insert(rank);
    observer.log(LogLevel::warning, fmt::format("rank {} on {} does not train: {}", rank,
                                                others_.rank(rank).about.machine, reason));
  }

  // Waits for the members of the others. Without a result nobody needs them any more.
  void collect(TrainedNetworks* result, const std::vector<int>& group, bool stop,
               Observer& observer) {
    std::set<int> others(group.begin() + 1, group.end());
    std::string trouble;
    bool stopped = stop;
    if (stop) tell_to_stop(others);
    const auto stop_on_request = [&] {
      if (stopped || !observer.stop_requested()) return;
      stopped = true;
      tell_to_stop(others);
    };
    wait_for(
        others, Tag::trained,
        [&](const Message& message) {
          const TrainedMembers theirs = unpack_trained(message.bytes);
          if (!theirs.error.empty()) {
            trouble = fmt::format("rank {} on {}: {}", message.from,
                                  others_.rank(message.from).about.machine, theirs.error);
          }
          if (result != nullptr && !theirs.stopped) take_over(*result, theirs);
        },
        stop_on_request);
    if (stop) return;
    if (!trouble.empty()) throw Error(ErrorKind::io, trouble);
    if (stopped) fail_stopped();
  }

  void tell_to_stop(const std::set<int>& ranks) const {
    for (const int r : ranks) others_.send(r, Tag::stop_work);
  }

  static void take_over(TrainedNetworks& result, const TrainedMembers& theirs) {
    for (std::size_t i = 0; i < theirs.members.size(); ++i) {
      const Index k = theirs.members[i];
      const std::span<float> place = result.parameters(k);
      HONE_ASSERT(place.size() == theirs.parameters[i].size());
      std::ranges::copy(theirs.parameters[i], place.begin());
      result.histories[static_cast<std::size_t>(k)] = theirs.histories[i];
    }
  }

  // One message with this tag from each of the ranks.
  template <typename Take>
  void wait_for(std::set<int> ranks, Tag tag, Take&& take,
                const std::function<void()>& meanwhile = {}) {
    BackOff back_off;
    while (!ranks.empty()) {
      while (const auto message = others_.receive()) {
        if (message->tag != static_cast<int>(tag)) continue;  // older ones, of no use any more
        take(*message);
        ranks.erase(message->from);
        back_off.reset();
      }
      if (meanwhile) meanwhile();
      if (!ranks.empty()) back_off.sleep();
    }
  }

  OtherRanks& others_;
  std::set<int> unable_;
};

}  // namespace

std::unique_ptr<NetworkTrainer> make_rank_trainer(OtherRanks& others) {
  return std::make_unique<RankTrainer>(others);
}

}  // namespace hone
