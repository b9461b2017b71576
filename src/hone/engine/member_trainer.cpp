#include "hone/engine/member_trainer.h"

#include <algorithm>
#include <cmath>

namespace hone {

MemberTrainer::MemberTrainer(NetworkStack& stack, Index first, Index count,
                             const TrainingOptions& options, const Rng& rng)
    : options_(options) {
  networks_.reserve(static_cast<std::size_t>(count));
  for (Index k = first; k < first + count; ++k) networks_.emplace_back(stack, k, options, rng);
}

void MemberTrainer::start_epoch(int epoch) {
  for (NetworkInTraining& network : networks_) network.start_epoch(epoch);
  loss_sum_ = 0;
  steps_ = 0;
}

bool MemberTrainer::count_loss(double loss) {
  loss_sum_ += loss;
  ++steps_;
  return std::isfinite(loss);
}

void MemberTrainer::keep_as_best() {
  for (NetworkInTraining& network : networks_) network.keep_as_best();
}
void MemberTrainer::restore_best() {
  for (NetworkInTraining& network : networks_) network.restore_best();
}

void draw_candidates(std::vector<Index>& candidates, std::span<const Index> rows,
                     std::span<const Index> pool, Index negatives, Rng& rng) {
  candidates.assign(rows.begin(), rows.end());
  for (Index c = 0; c < negatives; ++c) {
    for (const Index row : rows) {
      const Index drawn = pool[rng.below(pool.size() - 1)];
      candidates.push_back(drawn == row ? pool.back() : drawn);
    }
  }
}

RatioMemberTrainer::RatioMemberTrainer(RatioStack& stack, Index member, const ThetaTable& theta,
                                       const TrainingOptions& options, const Rng& rng)
    : MemberTrainer(stack, member, 1, options, rng),
      theta_(theta),
      validation_rng_(MemberSpec{stack.member(member).columns}.stream(rng).child("validation")) {
  const int most = std::max(options.loss.negatives, options.validation_negatives);
  candidates_.reserve(static_cast<std::size_t>(options.batch_size) *
                      static_cast<std::size_t>(1 + most));
}

void RatioMemberTrainer::start_epoch(int epoch) {
  MemberTrainer::start_epoch(epoch);
  negatives_ = network().rng().child("negatives", static_cast<std::uint64_t>(epoch));
}

void RatioMemberTrainer::gather_theta(Workspace<float>& w, std::span<const Index> rows,
                                      std::span<const Index> pool, Index negatives, Rng& rng) {
  draw_candidates(candidates_, rows, pool, negatives, rng);
  float* out = w.theta.data();
  for (const Index row : candidates_) {
    for (const int column : network().spec().columns) *out++ = theta_.scores(row, column);
  }
}

double RatioMemberTrainer::step(Workspace<float>& w, MatrixView<const float> x,
                                std::span<const Index> rows, double learning_rate, float* dx) {
  const Index candidates = 1 + options_.loss.negatives;
  gather_theta(w, rows, theta_.training_negatives, candidates - 1, *negatives_);
  const NetworkBatch<float> batch{.x = x.data(),
                                  .x_stride = x.stride(),
                                  .theta = w.theta.data(),
                                  .theta_size = std::ssize(network().spec().columns),
                                  .rows = x.rows(),
                                  .candidates = candidates};
  float* p = network().parameters().data();
  network().network().forward(w, p, batch, network().next_dropout_key());
  const double loss =
      ratio_loss(w.dlogits.data(), w.logits.data(), x.rows(), candidates, options_.loss);
  if (!count_loss(loss)) return loss;
  std::ranges::fill(w.gradient.span(), 0.0F);
  network().network().backward(w, p, batch, dx);
  network().move(w, learning_rate, x.cols());
  return loss;
}

void RatioMemberTrainer::start_validation() {
  validation_negatives_ = validation_rng_;
}

void RatioMemberTrainer::add_validation_loss(double& sum, Workspace<float>& w,
                                             MatrixView<const float> x,
                                             std::span<const Index> rows) {
  const Network<float>& net = network().network();
  const Index candidates = 1 + options_.validation_negatives, width = net.layout().width;
  const Index theta_size = std::ssize(network().spec().columns);
  const Index chunk = options_.batch_size;
  const float* p = network().current().data();
  for (Index begin = 0; begin < x.rows(); begin += chunk) {
    const Index count = std::min(chunk, x.rows() - begin);
    gather_theta(w, rows.subspan(std::size_t(begin), std::size_t(count)),
                 theta_.validation_negatives, candidates - 1, *validation_negatives_);
    net.project_data(w.projected.data(), x.row(begin).data(), x.stride(), count, p);
    for (Index c = 0; c < candidates; ++c) {
      net.evaluate(w, w.logits.data() + c * count, w.theta.data() + c * count * theta_size,
                   theta_size, w.projected.data(), width, count, p);
    }
    sum += static_cast<double>(count) *
           ratio_loss<float>(nullptr, w.logits.data(), count, candidates, options_.loss);
  }
}

}  // namespace hone
