#include <algorithm>

#include "hone/core/error.h"
#include "hone/engine/encoder.h"

namespace hone {

GridLayer first_grid(const EncoderOptions& o) {
  const std::size_t places = o.kind == DataKind::image ? 2 : 1;
  GridLayer grid;
  grid.width = o.shape[places - 1];
  if (places == 2) grid.height = o.shape[0];
  if (o.shape.size() > places) grid.channels = o.shape[places];
  if (o.missing) grid.channels *= 2;
  grid.channel_width = grid.channels;
  return grid;
}

void validate(const EncoderOptions& o, const std::string& name) {
  if (o.features < 1 || o.features > 4096) {
    fail_value("embedding.features", o.features, "must lie in 1 .. 4096");
  }
  for (const int size : o.channels) {
    if (size < 1 || size > 16384) fail_value("embedding.hidden", size, "must lie in 1 .. 16384");
  }
  if (o.kind != DataKind::series && o.kind != DataKind::image) return;
  if (o.kernel < 1) fail_value("embedding.kernel", o.kernel, "must be 1 or greater");
  if (o.stride < 1) fail_value("embedding.stride", o.stride, "must be 1 or greater");
  const GridLayer grid = first_grid(o);
  Index length = o.kind == DataKind::image ? std::min(grid.height, grid.width) : grid.width;
  const Index all = length;
  for (std::size_t i = 0; i < o.channels.size(); ++i) {
    if (length < o.kernel) {
      fail_value("embedding.kernel", o.kernel,
                 fmt::format("convolution {} has only {} positions left of {} {}; use a shorter "
                             "kernel, a smaller stride or fewer convolutions",
                             i + 1, length, all, name));
    }
    length = (length - o.kernel) / o.stride + 1;
  }
}

}  // namespace hone
