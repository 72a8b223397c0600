#include "experiments/programs/viola_jones/device_scan.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace facepipe::viola_jones {
namespace {

std::size_t area(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

Size corners_of(Size picture) { return {picture.width + 1, picture.height + 1}; }

/// Converts edges of a whole scale from pixels to entries of the scale's decimated sums.
Edges divided(const Edges& edges, int factor) {
  const auto part = [&](int edge) { return static_cast<std::uint16_t>(edge / factor); };
  return {part(edges.left), part(edges.top), part(edges.right), part(edges.bottom)};
}

void divide(ScaledCascade& cascade, int factor) {
  cascade.inner = divided(cascade.inner, factor);
  for (ScaledStump& stump : cascade.stumps)
    for (Edges& rect : stump.rects) rect = divided(rect, factor);
}

int area_of(const Edges& edges) { return (edges.right - edges.left) * (edges.bottom - edges.top); }

/// Fills in everything except pointers to device memory.
ScaleLaunch launch_for(const ScaledCascade& cascade, const Scale& scale, std::size_t index) {
  ScaleLaunch launch;
  std::copy(cascade.stages.begin(), cascade.stages.end(), launch.stages);
  launch.stage_count = static_cast<std::int32_t>(cascade.stages.size());
  launch.inner = cascade.inner;
  launch.inner_area = area_of(cascade.inner);
  launch.inverse_area = cascade.inverse_area;
  launch.step = scale.step;
  launch.pixels_step = scale.step;
  launch.scale = static_cast<std::int32_t>(index);
  launch.places = scale.places;
  launch.blocks = scale.blocks;
  return launch;
}

}  // namespace

DeviceScan::DeviceScan(const detector::cascade::Cascade& cascade, Size picture,
                       std::vector<Scale> scales, std::uint32_t capacity, Sums sums)
    : size_(picture),
      scales_(std::move(scales)),
      window_(cascade.window),
      decimated_(sums == Sums::decimated),
      capacity_(capacity),
      host_picture_(area(picture)),
      host_windows_(capacity),
      host_count_(1),
      picture_(area(picture)),
      sums_(area(corners_of(picture))),
      squares_(sums_.size()),
      decimated_sums_(decimated_ ? sums_.size() : 1),
      decimated_squares_(decimated_sums_.size()),
      windows_(capacity),
      count_(1) {
  std::vector<ScaledStump> stumps;
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    const Scale& scale = scales_[i];
    if (decimated_ && scale.factor != scale.step)
      throw std::invalid_argument("a scale that is not whole can't be decimated");
    ScaledCascade table = scaled(cascade, scale.factor);
    launches_.push_back(launch_for(table, scale, i));
    ScaleLaunch& launch = launches_.back();
    launch.picture = {sums_.data(), squares_.data(), picture.width + 1};
    if (decimated_) {
      divide(table, scale.step);
      launch.inner = table.inner;
      launch.step = 1;
      launch.picture = {decimated_sums_.data(), decimated_squares_.data(),
                        scale.places.width + window_.width};
    }
    launch.found = {windows_.data(), count_.data(), capacity_};
    stumps.insert(stumps.end(), table.stumps.begin(), table.stumps.end());
  }
  const cuda::Stream stream;
  stumps_ = cuda::uploaded(stumps, stream);
  for (std::size_t i = 0; i < launches_.size(); ++i)
    launches_[i].stumps = stumps_.data() + i * cascade.trees.size();
}

void DeviceScan::enqueue_upload(cuda::StreamView stream) const {
  cuda::copy(picture_.span(), host_picture_.span(), stream);
}

void DeviceScan::enqueue_sums(cuda::StreamView stream) const {
  cuda::fill(count_.span(), 0, stream);
  launch_sums(picture_.data(), size_, sums_.data(), squares_.data(), stream);
}

void DeviceScan::enqueue_decimation(std::size_t scale, cuda::StreamView stream) const {
  if (!decimated_) return;
  const Size corners{scales_[scale].places.width + window_.width,
                     scales_[scale].places.height + window_.height};
  launch_decimation({sums_.data(), squares_.data(), size_.width + 1}, scales_[scale].step, corners,
                    decimated_sums_.data(), decimated_squares_.data(), stream);
}

void DeviceScan::enqueue(Variant variant, const Part& part, cuda::StreamView stream,
                         WarpTime* times) const {
  ScaleLaunch launch = launches_[static_cast<std::size_t>(part.scale)];
  launch.first_block_row = part.first_block_row;
  launch.blocks.height = part.block_rows;
  launch.times = times;
  launch_variant(variant, launch, stream);
}

void DeviceScan::enqueue(Variant variant, std::size_t scale, const LaunchShape& shape,
                         cuda::StreamView stream) const {
  ScaleLaunch launch = launches_[scale];
  const auto blocks = [&](int places) {
    return (places + shape.block_side - 1) / shape.block_side;
  };
  launch.blocks = {blocks(launch.places.width), blocks(launch.places.height)};
  launch.shape = shape;
  launch_variant(variant, launch, stream);
}

void DeviceScan::enqueue_download(cuda::StreamView stream) const {
  cuda::copy(host_count_.span(), count_.span(), stream);
  cuda::copy(host_windows_.span(), windows_.span(), stream);
}

std::vector<FoundWindow> DeviceScan::windows() const {
  const std::uint32_t count = host_count_.span().front();
  if (count > capacity_)
    throw std::runtime_error(std::to_string(count) + " windows, but room for " +
                             std::to_string(capacity_));
  const std::span<FoundWindow> found = host_windows_.span().first(count);
  std::vector<FoundWindow> sorted(found.begin(), found.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

cuda::Graph graph_of(const DeviceScan& scan, Variant variant, const std::vector<Part>& parts,
                     Copies copies, cuda::StreamView stream) {
  return cuda::capture(stream, [&] {
    if (copies != Copies::none) scan.enqueue_upload(stream);
    scan.enqueue_sums(stream);
    for (const Part& part : parts) scan.enqueue(variant, part, stream);
    if (copies != Copies::none) scan.enqueue_download(stream);
  });
}

}  // namespace facepipe::viola_jones
