#include "experiments/programs/acf_variants/pyramid_on_device.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "detector/acf/channels.h"

namespace facepipe::acf_variants {
namespace {

/// All scales of any picture fit in one batch of this size, if the kernels can count the picture's
/// cells.
constexpr std::int64_t kOneBatch = std::int64_t{1} << 26;

detector::acf::AcfTables tables_of(const detector::acf::Model& model, const StreamLayout& layout,
                                   const detector::acf::SizeLimits& sizes,
                                   std::size_t shared_samples) {
  detector::acf::AcfTables tables = detector::acf::make_acf_tables(
      model, layout, sizes, detector::acf::least_sum_above(model, 0), kOneBatch, shared_samples);
  if (tables.scales.empty())
    throw std::invalid_argument("no window fits in a picture of " +
                                to_string(tables.plan.picture.upright));
  return tables;
}

}  // namespace

PyramidOnDevice::PyramidOnDevice(const detector::acf::Model& model, const StreamLayout& layout,
                                 const detector::acf::SizeLimits& sizes)
    : plan_(tables_of(model, layout, sizes, 0)),
      ours_(tables_of(model, layout, sizes, detector::acf::shared_samples())),
      our_blocks_(detector::acf::scan_blocks(ours_.plan())),
      memory_(plan_.tables()),
      variants_(plan_) {}

void PyramidOnDevice::enqueue_channels(const FrameDescriptor* frame,
                                       cuda::StreamView stream) const {
  detector::acf::launch_luv(frame, plan_.plan(), memory_.buffers(), stream);
  detector::acf::launch_real(plan_.plan(), memory_.buffers(), stream);
  enqueue_cells(stream);
}

void PyramidOnDevice::enqueue_cells(cuda::StreamView stream) const {
  detector::acf::launch_cells(plan_.plan(), plan_.tables().batches.front(), memory_.buffers(),
                              stream);
}

void PyramidOnDevice::enqueue_our_scan(cuda::StreamView stream) const {
  const detector::acf::AcfBuffers buffers = memory_.buffers();
  cuda::fill(cuda::DeviceSpan<std::uint32_t>{buffers.found_count, buffers.counts}, 0, stream);
  detector::acf::AcfPlan plan = ours_.plan();
  plan.overlap = cuda::Overlap::none;  // the work before this isn't a kernel
  detector::acf::launch_scan(plan, ours_.tables().batches.front(), buffers, our_blocks_, stream);
}

std::vector<float> PyramidOnDevice::cells(cuda::StreamView stream) const {
  std::vector<float> cells(
      static_cast<std::size_t>(detector::acf::kChannels * plan_.plan().pyramid.plane));
  cuda::copy(std::span(cells), cuda::DeviceSpan<const float>{memory_.buffers().cells, cells.size()},
             stream);
  stream.synchronize();
  return cells;
}

ScaleCells PyramidOnDevice::scale_cells(const std::vector<float>& cells, std::size_t scale) const {
  const detector::acf::DeviceScale& of = tables().scales[scale];
  const detector::acf::PyramidPlan& pyramid = plan_.plan().pyramid;
  return {cells.data() + of.first_cell, of.scale.padded, pyramid.stride, pyramid.plane};
}

std::vector<detector::acf::SummedPlace> PyramidOnDevice::in_picture(
    const std::vector<std::vector<PassedWindow>>& by_scale) const {
  std::vector<detector::acf::SummedPlace> windows;
  for (std::size_t i = 0; i < by_scale.size(); ++i) {
    const detector::acf::DeviceScale& of = tables().scales[i];
    for (const PassedWindow& window : by_scale[i]) {
      const Box box = clipped(detector::acf::window_box(of.scale, window.column, window.row),
                              plan_.plan().picture.upright);
      if (box.width() <= 0 || box.height() <= 0) continue;
      const int place = window.row * of.scale.places.width + window.column;
      windows.push_back({of.first_place + static_cast<std::uint32_t>(place), window.sum});
    }
  }
  std::ranges::sort(windows, {}, &detector::acf::SummedPlace::place);
  return windows;
}

std::vector<detector::acf::SummedPlace> PyramidOnDevice::found(cuda::StreamView stream) const {
  const detector::acf::AcfBuffers buffers = memory_.buffers();
  std::uint32_t count = 0;
  cuda::copy(std::span<std::uint32_t>(&count, 1),
             cuda::DeviceSpan<const std::uint32_t>{buffers.found_count, 1}, stream);
  stream.synchronize();
  if (count > buffers.capacity)
    throw std::runtime_error("more windows pass than there is room for: " + std::to_string(count));
  std::vector<detector::acf::SummedPlace> windows(count);
  cuda::copy(std::span<detector::acf::SummedPlace>(windows),
             cuda::DeviceSpan<const detector::acf::SummedPlace>{buffers.found, count}, stream);
  stream.synchronize();
  std::ranges::sort(windows, {}, &detector::acf::SummedPlace::place);
  return windows;
}

}  // namespace facepipe::acf_variants
