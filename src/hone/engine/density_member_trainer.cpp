#include "hone/engine/density_member_trainer.h"

#include <algorithm>

#include "hone/engine/kernels.h"

namespace hone {

DensityMemberTrainer::DensityMemberTrainer(DensityStack& stack, Index member, DensityOf what,
                                           MatrixView<const float> theta, const LinearStart* start,
                                           const TrainingOptions& options, const Rng& rng)
    : MemberTrainer(stack, member, 1, options, rng),
      what_(what),
      theta_(theta),
      shape_(stack.shape(member)),
      target_(static_cast<std::size_t>(options.batch_size)) {
  if (what_ == DensityOf::data) context_ = Matrix<float>(options.batch_size, padded(theta.cols()));
  start_density(network().parameters(), stack.layout(), shape_, stack.member(member).columns,
                start);
  network().forget_past();
}

MatrixView<const float> DensityMemberTrainer::gather(Workspace<float>& w, MatrixView<const float> x,
                                                     std::span<const Index> rows) {
  const std::vector<int>& columns = network().spec().columns;
  float* given = w.theta.data();
  const auto take = [&](std::span<const float> row, std::size_t i) {
    for (Index j = 0; j < inputs(); ++j) {
      *given++ = row[static_cast<std::size_t>(columns[static_cast<std::size_t>(j)])];
    }
    target_[i] = row[static_cast<std::size_t>(columns.back())];
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto theta = theta_.row(rows[i]);
    if (what_ == DensityOf::parameters) {
      take(theta, i);
    } else {
      take(x.row(static_cast<Index>(i)), i);
      std::ranges::copy(theta, context_.row(static_cast<Index>(i)).begin());
    }
  }
  if (what_ == DensityOf::parameters) return x;
  return context_.view().rows(0, std::ssize(rows));
}

double DensityMemberTrainer::step(Workspace<float>& w, MatrixView<const float> x,
                                  std::span<const Index> rows, double learning_rate, float* dx) {
  const MatrixView<const float> context = gather(w, x, rows);
  const NetworkBatch<float> batch{.x = context.data(),
                                  .x_stride = context.stride(),
                                  .theta = w.theta.data(),
                                  .theta_size = inputs(),
                                  .rows = x.rows(),
                                  .candidates = 1};
  float* p = network().parameters().data();
  network().network().forward(w, p, batch, network().next_dropout_key());
  const double loss =
      density_loss(w.dlogits.data(), w.logits.data(), target_.data(), x.rows(), shape_);
  if (!count_loss(loss)) return loss;
  std::ranges::fill(w.gradient.span(), 0.0F);
  network().network().backward(w, p, batch, dx);
  network().move(w, learning_rate, context.cols());
  return loss;
}

void DensityMemberTrainer::add_validation_loss(double& sum, Workspace<float>& w,
                                               MatrixView<const float> x,
                                               std::span<const Index> rows) {
  const Network<float>& net = network().network();
  const Index chunk = options_.batch_size, width = net.layout().projected_width();
  const float* p = network().current().data();
  for (Index begin = 0; begin < x.rows(); begin += chunk) {
    const Index count = std::min(chunk, x.rows() - begin);
    const MatrixView<const float> context =
        gather(w, x.rows(begin, count), rows.subspan(std::size_t(begin), std::size_t(count)));
    net.project_data(w.projected.data(), context.data(), context.stride(), count, p);
    net.evaluate(w, w.logits.data(), w.theta.data(), inputs(), w.projected.data(), width, count, p);
    sum += static_cast<double>(count) *
           density_loss<float>(nullptr, w.logits.data(), target_.data(), count, shape_);
  }
}

}  // namespace hone
