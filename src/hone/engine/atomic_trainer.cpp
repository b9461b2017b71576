#include "hone/engine/atomic_trainer.h"

#include <algorithm>

#include "hone/engine/kernels.h"

namespace hone {

AtomicTrainer::AtomicTrainer(DensityStack& stack, Index first, Index length, const AtomicLoss& loss,
                             const ThetaTable& theta, const LinearStart* start,
                             const TrainingOptions& options, const Rng& rng)
    : MemberTrainer(stack, first, length, options, rng),
      loss_(loss),
      theta_(theta),
      training_rng_(networks_.back().rng()),
      validation_rng_(MemberSpec{networks_.back().spec().columns}.stream(rng).child("validation")),
      x_(options.batch_size * loss.atoms, stack.feature_stride()),
      dx_(options.batch_size * loss.atoms, stack.feature_stride()),
      dropout_keys_(static_cast<std::size_t>(length)),
      batch_(loss, options.batch_size * loss.atoms) {
  for (Index j = 0; j < length; ++j) {
    NetworkInTraining& network = networks_[static_cast<std::size_t>(j)];
    shapes_.push_back(stack.shape(first + j));
    start_density(network.parameters(), stack.layout(), shapes_.back(), network.spec().columns,
                  start);
    network.forget_past();
  }
  const auto most = static_cast<std::size_t>(options.batch_size * loss.atoms);
  candidates_.reserve(most);
  target_.resize(most);
  log_.resize(most);
}

void AtomicTrainer::start_epoch(int epoch) {
  MemberTrainer::start_epoch(epoch);
  atoms_ = training_rng_.child("atoms", static_cast<std::uint64_t>(epoch));
}

void AtomicTrainer::start_validation() {
  validation_atoms_ = validation_rng_;
}

void AtomicTrainer::gather(MatrixView<const float> x, std::span<const Index> rows,
                           std::span<const Index> pool, Rng& rng) {
  draw_candidates(candidates_, rows, pool, loss_.atoms - 1, rng);
  for (Index r = 0; r < atoms(); ++r) {
    std::ranges::copy(x.row(r % x.rows()), x_.row(r).begin());
  }
}

NetworkBatch<float> AtomicTrainer::batch_of(std::size_t j, Workspace<float>& w) {
  const std::vector<int>& columns = networks_[j].spec().columns;
  const auto given = static_cast<std::size_t>(columns.size() - 1);
  float* out = w.theta.data();
  for (std::size_t r = 0; r < candidates_.size(); ++r) {
    const auto row = theta_.scores.row(candidates_[r]);
    for (std::size_t i = 0; i < given; ++i) *out++ = row[static_cast<std::size_t>(columns[i])];
    target_[r] = row[static_cast<std::size_t>(columns.back())];
  }
  return {.x = x_.data(),
          .x_stride = x_.cols(),
          .theta = w.theta.data(),
          .theta_size = static_cast<Index>(given),
          .rows = atoms(),
          .candidates = 1};
}

void AtomicTrainer::add_log_density(std::size_t j, const float* outputs) {
  log_density(log_.data(), outputs, target_.data(), atoms(), shapes_[j]);
  batch_.add(0, std::span(log_).first(candidates_.size()));
}

// Every network goes forward twice, for the loss needs all of them before the first can go back:
// that costs a third more, and no memory that grows with the length of the chain.
double AtomicTrainer::step(Workspace<float>& w, MatrixView<const float> x,
                           std::span<const Index> rows, double learning_rate, float* dx) {
  gather(x, rows, theta_.training_negatives, *atoms_);
  batch_.start(candidates_);
  for (std::size_t j = 0; j < networks_.size(); ++j) {
    NetworkInTraining& net = networks_[j];
    dropout_keys_[j] = net.next_dropout_key();
    net.network().forward(w, net.parameters().data(), batch_of(j, w), dropout_keys_[j]);
    add_log_density(j, w.logits.data());
  }
  const double value = batch_.loss(rows, true);
  if (!count_loss(value)) return value;
  if (dx != nullptr) std::fill(dx, dx + x.rows() * x.stride(), 0.0F);
  for (std::size_t j = 0; j < networks_.size(); ++j) {
    NetworkInTraining& net = networks_[j];
    float* p = net.parameters().data();
    const NetworkBatch<float> batch = batch_of(j, w);
    net.network().forward(w, p, batch, dropout_keys_[j]);
    density_backward(w.dlogits.data(), batch_.dlog().data(), w.logits.data(), target_.data(),
                     atoms(), shapes_[j]);
    std::ranges::fill(w.gradient.span(), 0.0F);
    net.network().backward(w, p, batch, dx == nullptr ? nullptr : dx_.data());
    net.move(w, learning_rate, x.cols());
    if (dx == nullptr) continue;
    for (Index r = 0; r < atoms(); ++r) {
      float* to = dx + r % x.rows() * x.stride();
      for (Index c = 0; c < x.cols(); ++c) to[c] += dx_(r, c);
    }
  }
  return value;
}

void AtomicTrainer::add_validation_loss(double& sum, Workspace<float>& w, MatrixView<const float> x,
                                        std::span<const Index> rows) {
  const Index chunk = options_.batch_size;
  for (Index begin = 0; begin < x.rows(); begin += chunk) {
    const Index count = std::min(chunk, x.rows() - begin);
    const auto own = rows.subspan(std::size_t(begin), std::size_t(count));
    gather(x.rows(begin, count), own, theta_.validation_negatives, *validation_atoms_);
    batch_.start(candidates_);
    for (std::size_t j = 0; j < networks_.size(); ++j) {
      const Network<float>& net = networks_[j].network();
      const float* p = networks_[j].current().data();
      const NetworkBatch<float> batch = batch_of(j, w);
      net.project_data(w.projected.data(), batch.x, batch.x_stride, batch.rows, p);
      net.evaluate(w, w.logits.data(), batch.theta, batch.theta_size, w.projected.data(),
                   net.layout().projected_width(), batch.rows, p);
      add_log_density(j, w.logits.data());
    }
    sum += static_cast<double>(count) * batch_.loss(own, false);
  }
}

}  // namespace hone
