#include "hone/engine/flow_trainer.h"

#include <algorithm>

#include "hone/core/error.h"

namespace hone {
namespace {

// 256 rows x 64 features x 4 B x 9 live activations = 576 kB for each transform.
constexpr Index kBlockRows = 256;

Index block_rows(int batch_size) {
  return std::min<Index>(kBlockRows, batch_size);
}

FlowPass<float> make_pass(const DensityStack& stack, Index flow, int batch_size) {
  std::vector<FlowTransform<float>> transforms;
  const std::vector<int>* before = &stack.first_member(flow).columns;
  for (Index t = 0; t < stack.transforms(); ++t) {
    const Index k = flow * stack.transforms() + t;
    FlowTransform<float> transform{&stack.network(k), {}, {}};
    for (const int column : stack.member(k).columns) {
      transform.shapes.push_back(stack.shape(k, column));
      transform.source.push_back(std::ranges::find(*before, column) - before->begin());
    }
    before = &stack.member(k).columns;
    transforms.push_back(std::move(transform));
  }
  return {std::move(transforms), block_rows(batch_size)};
}

void multiply(std::span<float> values, const AlignedBuffer<float>& mask) {
  for (std::size_t i = 0; i < mask.size(); ++i) values[i] *= mask.data()[i];
}

}  // namespace

Workspace<float> flow_workspace(const DensityStack& stack, int batch_size) {
  const Index rows = block_rows(batch_size), columns = stack.network(0).shape().theta_size;
  Workspace<float> first(stack.layout(), columns, rows, rows, true);
  for (Index t = 1; t < stack.transforms(); ++t) {
    first.others.emplace_back(stack.layout(), columns, rows, rows, true);
  }
  return first;
}

FlowTrainer::FlowTrainer(DensityStack& stack, Index flow, const DensityTraining& densities,
                         const ThetaTable& theta, const LinearStart* start,
                         const TrainingOptions& options, const Rng& rng)
    : MemberTrainer(stack, flow * stack.transforms(), stack.transforms(), options, rng),
      what_(densities.what),
      theta_(theta),
      columns_(stack.first_member(flow).columns),
      mask_(flow_mask<float>(stack.layout(), stack.network(0).shape().options.hidden,
                             std::ssize(columns_), 3 * densities.components)),
      pass_(make_pass(stack, flow, options.batch_size)),
      atoms_(densities.atomic ? densities.atomic->atoms : 1),
      training_rng_(networks_.front().rng()),
      validation_rng_(MemberSpec{columns_}.stream(rng).child("validation")) {
  const Index most = options.batch_size * atoms_, block = block_rows(options.batch_size);
  if (densities.atomic) batch_.emplace(*densities.atomic, most);
  const Index numbers =
      what_ == DensityOf::data ? padded(theta.scores.cols()) : stack.feature_stride();
  context_ = Matrix<float>(block, numbers);
  dcontext_ = Matrix<float>(block, numbers);
  candidates_.reserve(static_cast<std::size_t>(most));
  dlog_.resize(static_cast<std::size_t>(most));
  dropout_keys_.reserve(static_cast<std::size_t>((most + block - 1) / block * pass_.size()));
  for (std::size_t t = 0; t < networks_.size(); ++t) {
    NetworkInTraining& network = networks_[t];
    const std::span<const int> order = network.spec().columns;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const DensityShape shape =
          stack.shape(flow * stack.transforms() + static_cast<Index>(t), order[i]);
      start_density(network.parameters(), stack.layout(), shape, order.first(i + 1),
                    t == 0 ? start : nullptr, static_cast<Index>(i) * 3 * shape.components);
    }
    multiply(network.parameters(), mask_);
    network.forget_past();
    parameters_.push_back(network.parameters().data());
    validated_.push_back(network.current().data());
  }
}

void FlowTrainer::start_epoch(int epoch) {
  MemberTrainer::start_epoch(epoch);
  training_atoms_ = training_rng_.child("atoms", static_cast<std::uint64_t>(epoch));
}

void FlowTrainer::start_validation() {
  validation_atoms_ = validation_rng_;
}

template <typename F>
void FlowTrainer::for_blocks(F&& f) const {
  const Index all = std::ssize(candidates_), most = context_.rows();
  for (Index begin = 0; begin < all; begin += most) f(Block{begin, std::min(most, all - begin)});
}

void FlowTrainer::choose(std::span<const Index> rows, std::span<const Index> pool,
                         std::optional<Rng>& rng) {
  draw_candidates(candidates_, rows, pool, atoms_ - 1, *rng);
}

FlowContext<const float> FlowTrainer::gather(MatrixView<const float> x, Block block) {
  float* y = pass_.inputs();
  for (Index i = 0; i < block.count; ++i) {
    const Index candidate = block.begin + i;
    const auto theta = theta_.scores.row(candidates_[static_cast<std::size_t>(candidate)]);
    const auto data = x.row(candidate % x.rows());
    const bool of_data = what_ == DensityOf::data;
    std::ranges::copy(of_data ? theta : data, context_.row(i).begin());
    for (const int column : columns_) {
      *y++ = (of_data ? data : theta)[static_cast<std::size_t>(column)];
    }
  }
  return {context_.data(), context_.cols(), block.count};
}

void FlowTrainer::draw_dropout_keys() {
  dropout_keys_.clear();
  for_blocks([&](Block) {
    for (NetworkInTraining& network : networks_) {
      dropout_keys_.push_back(network.next_dropout_key());
    }
  });
}

std::span<const std::uint64_t> FlowTrainer::keys(Block block) const {
  const std::size_t first =
      static_cast<std::size_t>(block.begin / context_.rows()) * networks_.size();
  return {dropout_keys_.data() + first, networks_.size()};
}

void FlowTrainer::look_ahead(Workspace<float>& w, MatrixView<const float> x) {
  batch_->start(candidates_);
  for_blocks([&](Block block) {
    pass_.forward(w, parameters_, keys(block), gather(x, block));
    batch_->add(block.begin, pass_.log_density());
  });
}

void FlowTrainer::add_context_gradient(float* dx, Index rows, Block block) const {
  for (Index i = 0; i < block.count; ++i) {
    float* to = dx + (block.begin + i) % rows * dcontext_.cols();
    const auto from = dcontext_.row(i);
    for (std::size_t c = 0; c < from.size(); ++c) to[c] += from[c];
  }
}

// With atoms the loss needs all densities before the first can go back: the flow goes forward
// twice.
double FlowTrainer::step(Workspace<float>& w, MatrixView<const float> x,
                         std::span<const Index> rows, double learning_rate, float* dx) {
  choose(rows, theta_.training_negatives, training_atoms_);
  draw_dropout_keys();
  double value = 0;
  if (batch_) {
    look_ahead(w, x);
    value = batch_->loss(rows, true);
    std::ranges::copy(batch_->dlog(), dlog_.begin());
  } else {
    std::fill_n(dlog_.begin(), rows.size(), -1 / static_cast<float>(rows.size()));
  }
  std::ranges::fill(w.gradient.span(), 0.0F);
  for (Workspace<float>& other : w.others) std::ranges::fill(other.gradient.span(), 0.0F);
  if (dx != nullptr) std::fill(dx, dx + x.rows() * x.stride(), 0.0F);
  FlowContext<float> dcontext{dx == nullptr ? nullptr : dcontext_.data(), context_.cols(), 0};
  for_blocks([&](Block block) {
    const FlowContext<const float> context = gather(x, block);
    pass_.forward(w, parameters_, keys(block), context);
    if (!batch_) {
      for (const float log : pass_.log_density()) {
        value -= static_cast<double>(log) / static_cast<double>(rows.size());
      }
    }
    pass_.backward(w, parameters_, dlog_.data() + block.begin, context, dcontext);
    if (dx != nullptr) add_context_gradient(dx, x.rows(), block);
  });
  if (!count_loss(value)) return value;
  for (std::size_t t = 0; t < networks_.size(); ++t) {
    Workspace<float>& own = t == 0 ? w : w.others[t - 1];
    multiply(own.gradient.span(), mask_);
    networks_[t].move(own, learning_rate,
                      what_ == DensityOf::data ? theta_.scores.cols() : x.cols());
  }
  return value;
}

void FlowTrainer::add_validation_loss(double& sum, Workspace<float>& w, MatrixView<const float> x,
                                      std::span<const Index> rows) {
  const Index chunk = options_.batch_size;
  for (Index begin = 0; begin < x.rows(); begin += chunk) {
    const Index count = std::min(chunk, x.rows() - begin);
    const auto own = rows.subspan(std::size_t(begin), std::size_t(count));
    choose(own, theta_.validation_negatives, validation_atoms_);
    if (batch_) batch_->start(candidates_);
    for_blocks([&](Block block) {
      pass_.evaluate(w, validated_, gather(x.rows(begin, count), block));
      if (batch_) {
        batch_->add(block.begin, pass_.log_density());
      } else {
        for (const float log : pass_.log_density()) sum -= static_cast<double>(log);
      }
    });
    if (batch_) sum += static_cast<double>(count) * batch_->loss(own, false);
  }
}

}  // namespace hone
