#include "hone/mpi/rank_calibrator.h"

#include <algorithm>
#include <map>

#include "hone/core/error.h"
#include "hone/mpi/back_off.h"

namespace hone {
namespace {

// Consecutive rows of all draws; they begin with a whole batch.
struct Share {
  Index first = 0, count = 0;
};

CalibrationDraws rows_of(const CalibrationDraws& draws, const Share& share) {
  return {draws.x.rows(share.first, share.count), draws.local.rows(share.first, share.count),
          draws.first + share.first};
}

// One share per rank, as equal as whole batches allow; the first is this rank's. No empty ones.
std::vector<Share> divide(Index rows, Index batch, Index ranks) {
  const Index batches = (rows + batch - 1) / batch;
  std::vector<Share> shares;
  for (Index r = 0; r < ranks; ++r) {
    const Index begin = batches * r / ranks * batch;
    const Index end = std::min(rows, batches * (r + 1) / ranks * batch);
    if (end > begin) shares.push_back({begin, end - begin});
  }
  return shares;
}

// Puts the ranks of some draws where they belong among those of all.
void place(std::vector<MarginalRanks>& all, const Share& share,
           const std::vector<MarginalRanks>& some) {
  HONE_ASSERT(all.size() == some.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    MarginalRanks& to = all[k];
    const MarginalRanks& from = some[k];
    HONE_ASSERT(to.marginal == from.marginal);
    for (const auto rows : {&MarginalRanks::credibility, &MarginalRanks::part_mean}) {
      for (Index p = 0; p < (to.*rows).rows(); ++p) {
        std::ranges::copy((from.*rows).row(p), (to.*rows).row(p).begin() + share.first);
      }
    }
    for (const auto part : {&MarginalRanks::cdf, &MarginalRanks::nearer, &MarginalRanks::mean,
                            &MarginalRanks::deviation}) {
      std::ranges::copy(from.*part, (to.*part).begin() + ((to.*part).empty() ? 0 : share.first));
    }
  }
}

// The same marginals, with room for more draws.
std::vector<MarginalRanks> widened(const std::vector<MarginalRanks>& some, Index draws) {
  std::vector<MarginalRanks> all;
  for (const MarginalRanks& one : some) {
    const auto room = [&](const std::vector<double>& values) {
      return std::vector<double>(values.empty() ? 0 : static_cast<std::size_t>(draws));
    };
    all.push_back({one.marginal, Matrix<double>(one.credibility.rows(), draws), room(one.cdf),
                   room(one.nearer), room(one.mean), room(one.deviation),
                   Matrix<double>(one.part_mean.rows(), draws)});
  }
  return all;
}

class RankCalibrator final : public Calibrator {
 public:
  explicit RankCalibrator(OtherRanks& others) : others_(others) {}

  std::vector<MarginalRanks> rank(const std::vector<TrainedPosterior>& trained,
                                  const CalibrationDraws& draws, const RankOptions& options,
                                  const Rng& rng, Observer& observer) override {
    const std::vector<Share> shares = divide(draws.local.rows(), options.batch, others_.size());
    const auto here = [&](const Share& share) {
      return Calibrator::rank(trained, rows_of(draws, share), options, rng, observer);
    };
    try {
      std::map<int, Share> waiting;
      for (std::size_t i = 1; i < shares.size(); ++i) {
        others_.send(static_cast<int>(i), Tag::calibrate,
                     pack_calibrate(fingerprint(trained), rows_of(draws, shares[i]), options, rng));
        waiting[static_cast<int>(i)] = shares[i];
      }
      others_.transport().flush();
      const std::vector<MarginalRanks> own = here(shares.at(0));
      std::vector<MarginalRanks> all = widened(own, draws.local.rows());
      place(all, shares[0], own);
      for (const Share& undone : collect(all, std::move(waiting), observer)) {
        place(all, undone, here(undone));
      }
      return all;
    } catch (...) {
      others_.send_all(Tag::stop_work);
      throw;
    }
  }

 private:
  // Waits for the ranks of the others. Returns what they could not do.
  std::vector<Share> collect(std::vector<MarginalRanks>& all, std::map<int, Share> waiting,
                             Observer& observer) {
    std::vector<Share> undone;
    BackOff back_off;
    while (!waiting.empty()) {
      stop_if_requested(observer);
      while (const auto message = others_.receive()) {
        const auto sender = waiting.find(message->from);
        if (message->tag != static_cast<int>(Tag::calibrated) || sender == waiting.end()) continue;
        const CalibratedMessage theirs = unpack_calibrated(message->bytes);
        const std::string trouble = why_not(theirs, message->from);
        if (trouble.empty()) {
          place(all, sender->second, theirs.ranks);
        } else {
          undone.push_back(sender->second);
          observer.log(LogLevel::warning,
                       fmt::format("rank {} on {} does not check: {}", message->from,
                                   others_.rank(message->from).about.machine, trouble));
        }
        waiting.erase(sender);
        back_off.reset();
      }
      if (!waiting.empty()) back_off.sleep();
    }
    return undone;
  }

  // Other kernels compute other bits.
  std::string why_not(const CalibratedMessage& theirs, int rank) const {
    const std::string& kernels = others_.rank(rank).about.kernels;
    if (theirs.error.empty() && kernels != training_kernels()) {
      return fmt::format("its machine computes with {}, this one with {}", kernels,
                         training_kernels());
    }
    return theirs.error;
  }

  OtherRanks& others_;
};

}  // namespace

std::unique_ptr<Calibrator> make_rank_calibrator(OtherRanks& others) {
  return std::make_unique<RankCalibrator>(others);
}

}  // namespace hone
