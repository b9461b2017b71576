#include "hone/mpi/rank_trainer.h"

#include <algorithm>
#include <set>

#include "hone/core/error.h"
#include "hone/mpi/back_off.h"
#include "hone/mpi/packing.h"
#include "hone/mpi/rank_team.h"

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

class RankTrainer final : public MarginalTrainer {
 public:
  explicit RankTrainer(Leader& leader) : leader_(leader) {}

  TrainedEstimator train(const Dataset& data, const std::vector<Marginal>& marginals, int ensemble,
                         const InferenceOptions& options, const Rng& rng,
                         Observer& observer) override {
    const TrainMessage order{data.prior.region(), data.issued, marginals, ensemble, rng,
                             fingerprint(data)};
    const auto members = marginals.size() * static_cast<std::size_t>(ensemble);
    const bool together = options.embedding.kind != EmbeddingKind::none;
    const std::vector<int> team = members == 1 ? std::vector{0} : gather_team(order, observer);
    const bool alone = team.size() == 1 || (together && std::ssize(team) < leader_.size());
    if (alone) leader_.send_all(Tag::start, Packer().put_all(std::vector<int>()).take());
    if (alone) return train_marginals(data, marginals, ensemble, options, rng, observer);
    leader_.send_all(Tag::start, Packer().put_all(team).take());

    RankTeam ranks(leader_.transport(), team, together);
    TrainingResult result = [&] {
      try {
        return train_stack(data, marginals, ensemble, options, rng, observer, ranks);
      } catch (...) {
        // Ranks that wait for this one's numbers cannot be told.
        if (ranks.exchanging() && !was_stopped(std::current_exception())) leader_.lose();
        if (!leader_.lost()) collect(nullptr, team, true, observer);
        throw;
      }
    }();
    collect(&result, team, false, observer);
    return assemble(data, marginals, ensemble, std::move(result));
  }

 private:
  // Ranks that are ready to train on the same data.
  std::vector<int> gather_team(const TrainMessage& order, Observer& observer) {
    std::set<int> asked;
    std::vector<int> team{0};
    const auto bytes = pack(order);
    for (int r = 1; r < leader_.size(); ++r) {
      if (unable_.contains(r)) continue;
      leader_.send(r, Tag::train, bytes);
      asked.insert(r);
    }
    wait_for(asked, Tag::prepared, [&](const Message& message) {
      const std::string error = unpack_text(message.bytes);
      const Leader::Rank& rank = leader_.rank(message.from);
      if (error.empty() && rank.about.kernels == training_kernels()) {
        team.push_back(message.from);
      } else {
        exclude(message.from,
                error.empty() ? fmt::format("its machine computes with {}, this one with {}",
                                            rank.about.kernels, training_kernels())
                              : error,
                observer);
      }
    });
    std::ranges::sort(team);
    return team;
  }

  // It is not asked again.
  void exclude(int rank, const std::string& reason, Observer& observer) {
    unable_.insert(rank);
    observer.log(LogLevel::warning, fmt::format("rank {} on {} does not train: {}", rank,
                                                leader_.rank(rank).about.machine, reason));
  }

  // Waits for the members of the others. Without a result nobody needs them any more.
  void collect(TrainingResult* result, const std::vector<int>& team, bool stop,
               Observer& observer) {
    std::set<int> others(team.begin() + 1, team.end());
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
                                  leader_.rank(message.from).about.machine, theirs.error);
          }
          if (result != nullptr && !theirs.stopped) take_over(*result, theirs);
        },
        stop_on_request);
    if (stop) return;
    if (!trouble.empty()) throw Error(ErrorKind::io, trouble);
    if (stopped) fail_stopped();
  }

  void tell_to_stop(const std::set<int>& ranks) const {
    for (const int r : ranks) leader_.send(r, Tag::stop_work);
  }

  static void take_over(TrainingResult& result, const TrainedMembers& theirs) {
    for (std::size_t i = 0; i < theirs.members.size(); ++i) {
      const Index k = theirs.members[i];
      const std::span<float> place = result.stack.parameters(k);
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
      while (const auto message = leader_.receive()) {
        if (message->tag != static_cast<int>(tag)) continue;  // older ones, of no use any more
        take(*message);
        ranks.erase(message->from);
        back_off.reset();
      }
      if (meanwhile) meanwhile();
      if (!ranks.empty()) back_off.sleep();
    }
  }

  Leader& leader_;
  std::set<int> unable_;
};

}  // namespace

std::unique_ptr<MarginalTrainer> make_rank_trainer(Leader& leader) {
  return std::make_unique<RankTrainer>(leader);
}

}  // namespace hone
