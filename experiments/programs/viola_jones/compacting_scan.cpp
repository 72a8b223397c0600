#include "experiments/programs/viola_jones/compacting_scan.h"

#include <algorithm>

namespace facepipe::viola_jones {
namespace {

constexpr std::int32_t kStretch = 7;        ///< stages from one list to the next
constexpr std::int32_t kBlockThreads = 64;  ///< threads that share a window's stumps

std::size_t most_places(const std::vector<Scale>& scales) {
  std::size_t most = 1;
  for (const Scale& scale : scales)
    most = std::max(most, static_cast<std::size_t>(scale.places.width) *
                              static_cast<std::size_t>(scale.places.height));
  return most;
}

}  // namespace

std::vector<std::int32_t> stage_stops(std::span<const StageSpan> stages) {
  const auto large = std::find_if(stages.begin(), stages.end(), [](const StageSpan& stage) {
    return stage.count >= kBlockThreads;
  });
  const auto end = std::max(1, static_cast<std::int32_t>(large - stages.begin()));
  std::vector<std::int32_t> stops;
  std::int32_t stop = 0;
  for (; stop < end; stop += kStretch) stops.push_back(stop);
  if (stop > kStretch && stop - end > kStretch / 2)
    stops.back() = (end - (stop - 2 * kStretch)) / 2;
  stops.push_back(end);
  return stops;
}

CompactingScan::CompactingScan(const DeviceScan& scan) : scan_(&scan), count_(1), host_count_(1) {
  for (cuda::DeviceBuffer<std::uint32_t>& places : places_)
    places = cuda::DeviceBuffer<std::uint32_t>(most_places(scan.scales()));
}

std::uint32_t CompactingScan::take_list(cuda::StreamView stream) {
  cuda::copy(host_count_.span(), count_.span(), stream);
  stream.synchronize();
  next_ = 1 - next_;
  return host_count_.span().front();
}

void CompactingScan::run_scale(std::size_t scale, cuda::StreamView stream) {
  const ScaleLaunch& launch = scan_->launch_of(scale);
  const std::vector<std::int32_t> stops =
      stage_stops({launch.stages, static_cast<std::size_t>(launch.stage_count)});
  scan_->enqueue_decimation(scale, stream);
  cuda::fill(count_.span(), 0, stream);
  launch_first_stages(launch, stops[1], {places_[next_].data(), count_.data()}, stream);
  std::uint32_t left = take_list(stream);
  for (std::size_t i = 1; i + 1 < stops.size() && left > 0; ++i) {
    cuda::fill(count_.span(), 0, stream);
    launch_listed_stages(launch, places_[1 - next_].data(), left, stops[i], stops[i + 1],
                         {places_[next_].data(), count_.data()}, stream);
    left = take_list(stream);
  }
  launch_last_stages(launch, places_[1 - next_].data(), left, stops.back(), stream);
}

void CompactingScan::run(cuda::StreamView stream) {
  for (std::size_t scale = 0; scale < scan_->scales().size(); ++scale) run_scale(scale, stream);
}

}  // namespace facepipe::viola_jones
