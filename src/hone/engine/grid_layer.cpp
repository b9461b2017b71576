#include "hone/engine/grid_layer.h"

#include <algorithm>

#include "hone/core/parallel.h"
#include "hone/engine/flush_denormals.h"

namespace hone {
namespace {

// Rows per task: enough for a good product, few enough that a batch of 128 feeds several threads.
constexpr Index kTaskRows = 16;
// Weight rows per task on the way back: 512 x 16 floats of result stay in L1.
constexpr Index kTaskInputs = 512;

Index tasks_of(Index count, Index size) {
  return (count + size - 1) / size;
}

// f(task, first row, rows) for every task, in parallel.
template <typename F>
void for_row_tasks(Index rows, F&& f) {
  parallel_for(tasks_of(rows, kTaskRows), [&](Index task) {
    const FlushDenormals flush;
    const Index begin = task * kTaskRows;
    f(task, begin, std::min(kTaskRows, rows - begin));
  });
}

template <typename T>
void grow_to(AlignedBuffer<T>& buffer, Index size) {
  if (static_cast<Index>(buffer.size()) < size) buffer = AlignedBuffer<T>(std::size_t(size));
}

}  // namespace

template <typename T>
void GridScratch<T>::grow(const GridLayer& layer, Index rows) {
  const Index tasks = tasks_of(rows, kTaskRows);
  grow_to(transposed, padded(layer.patch()) * layer.out_width());
  if (layer.dense()) return;
  grow_to(patches, tasks * layer.positions() * padded(layer.patch()));
  grow_to(partial, tasks * layer.patch() * layer.out_width());
}

template <typename T>
void grid_forward(T* z, const T* p, const GridLayer& layer, const T* x, Index x_stride, Index rows,
                  GemmBackend backend) {
  const Index width = layer.out_width(), columns = layer.out_columns();
  const bool one = layer.positions() == 1;
  const auto product = [&](Index products, bool accumulate) {
    return Gemm<T>({.rows = products,
                    .cols = width,
                    .inner = layer.strip(),
                    .lda = one ? x_stride : layer.step(),
                    .ldb = width,
                    .ldc = width,
                    .accumulate = accumulate},
                   backend);
  };
  for_row_tasks(rows, [&](Index, Index begin, Index count) {
    const Index products = one ? count : columns;
    const Gemm<T> first = product(products, false), next = product(products, true);
    for (Index i = begin; i < begin + (one ? 1 : count); ++i) {
      for (Index at = 0; at < layer.out_height(); ++at) {
        const T* lines = x + i * x_stride + at * layer.stride_height * layer.line();
        T* out = z + i * layer.out_size() + at * columns * width;
        for (Index k = 0; k < layer.kernel_height; ++k) {
          (k == 0 ? first : next)(out, lines + k * layer.line(),
                                  p + layer.weight + k * layer.strip() * width);
        }
      }
    }
    best_kernels<T>().finish_linear(z + begin * layer.out_size(), p + layer.bias, nullptr, 0,
                                    count * layer.positions(), width);
  });
}

namespace {

// Each task a range of W's rows.
template <typename T>
void dense_weights_backward(T* dweight, const GridLayer& layer, const T* dz, const T* x,
                            Index x_stride, Index rows, GemmBackend backend) {
  const Index width = layer.out_width();
  parallel_for(tasks_of(layer.patch(), kTaskInputs), [&](Index task) {
    const FlushDenormals flush;
    const Index begin = task * kTaskInputs, count = std::min(kTaskInputs, layer.patch() - begin);
    Gemm<T>({.rows = count,
             .cols = width,
             .inner = rows,
             .lda = x_stride,
             .ldb = width,
             .ldc = width,
             .transpose_a = true,
             .accumulate = true},
            backend)(dweight + begin * width, x + begin, dz);
  });
}

// Each task some rows, with a gradient of its own; then all are added in the order of the tasks.
template <typename T>
void shared_weights_backward(T* dweight, GridScratch<T>& scratch, const GridLayer& layer,
                             const T* dz, const T* x, Index x_stride, Index rows,
                             GemmBackend backend) {
  const Index width = layer.out_width(), columns = layer.out_columns();
  const Index size = layer.patch() * width;
  for_row_tasks(rows, [&](Index task, Index begin, Index count) {
    T* sum = scratch.partial.data() + task * size;
    std::fill(sum, sum + size, T(0));
    const Gemm<T> add({.rows = layer.strip(),
                       .cols = width,
                       .inner = columns,
                       .lda = layer.step(),
                       .ldb = width,
                       .ldc = width,
                       .transpose_a = true,
                       .accumulate = true},
                      backend);
    for (Index i = begin; i < begin + count; ++i) {
      for (Index at = 0; at < layer.out_height(); ++at) {
        const T* lines = x + i * x_stride + at * layer.stride_height * layer.line();
        const T* d = dz + i * layer.out_size() + at * columns * width;
        for (Index k = 0; k < layer.kernel_height; ++k) {
          add(sum + k * layer.strip() * width, lines + k * layer.line(), d);
        }
      }
    }
  });
  for (Index task = 0; task < tasks_of(rows, kTaskRows); ++task) {
    best_kernels<T>().add(dweight, scratch.partial.data() + task * size, size);
  }
}

}  // namespace

template <typename T>
void grid_backward(T* gradient, GridScratch<T>& scratch, const GridLayer& layer, const T* dz,
                   const T* x, Index x_stride, Index rows, GemmBackend backend) {
  T* dweight = gradient + layer.weight;
  if (layer.dense()) {
    dense_weights_backward(dweight, layer, dz, x, x_stride, rows, backend);
  } else {
    shared_weights_backward(dweight, scratch, layer, dz, x, x_stride, rows, backend);
  }
  best_kernels<T>().column_sums(gradient + layer.bias, dz, rows * layer.positions(),
                                layer.out_width());
}

namespace {

template <typename T>
void add_patches(T* row, const T* patches, const GridLayer& layer) {
  const Index strip = layer.strip(), patch = padded(layer.patch());
  for (Index at = 0; at < layer.positions(); ++at) {
    const Index down = at / layer.out_columns() * layer.stride_height;
    T* corner = row + down * layer.line() + at % layer.out_columns() * layer.step();
    for (Index k = 0; k < layer.kernel_height; ++k) {
      for (Index j = 0; j < strip; ++j) {
        corner[k * layer.line() + j] += patches[at * patch + k * strip + j];
      }
    }
  }
}

}  // namespace

template <typename T>
void grid_input_backward(T* dx, GridScratch<T>& scratch, const T* p, const GridLayer& layer,
                         const T* dz, Index x_stride, Index rows, GemmBackend backend) {
  const Index width = layer.out_width(), patch = padded(layer.patch());
  T* transposed = scratch.transposed.data();
  best_kernels<T>().transpose(transposed, p + layer.weight, patch, width);
  const auto product = [&](Index products, Index ldc) {
    return Gemm<T>(
        {.rows = products, .cols = patch, .inner = width, .lda = width, .ldb = patch, .ldc = ldc},
        backend);
  };
  for_row_tasks(rows, [&](Index task, Index begin, Index count) {
    if (layer.dense()) {
      product(count, x_stride)(dx + begin * x_stride, dz + begin * width, transposed);
      return;
    }
    const Gemm<T> multiply = product(layer.positions(), patch);
    T* patches = scratch.patches.data() + task * layer.positions() * patch;
    for (Index i = begin; i < begin + count; ++i) {
      multiply(patches, dz + i * layer.out_size(), transposed);
      T* row = dx + i * x_stride;
      std::fill(row, row + x_stride, T(0));
      add_patches(row, patches, layer);
    }
  });
}

#define HONE_GRID(T)                                                                               \
  template struct GridScratch<T>;                                                                  \
  template void grid_forward(T*, const T*, const GridLayer&, const T*, Index, Index, GemmBackend); \
  template void grid_backward(T*, GridScratch<T>&, const GridLayer&, const T*, const T*, Index,    \
                              Index, GemmBackend);                                                 \
  template void grid_input_backward(T*, GridScratch<T>&, const T*, const GridLayer&, const T*,     \
                                    Index, Index, GemmBackend);
HONE_GRID(float)
HONE_GRID(double)
#undef HONE_GRID

}  // namespace hone
