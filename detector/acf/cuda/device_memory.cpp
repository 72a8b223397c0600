#include "detector/acf/cuda/device_memory.h"

#include <utility>

#include "core/cuda/stream.h"

namespace facepipe::detector::acf {
namespace {

std::size_t of(std::int64_t samples) {
  return static_cast<std::size_t>(samples) + 1;  // at least 1, so that the buffer is not null
}

std::size_t samples_of(Size size, int planes) {
  return of(std::int64_t{size.width} * size.height * planes);
}

}  // namespace

PlanOnDevice::PlanOnDevice(AcfTables tables) : tables_(std::move(tables)) {
  prepare_real();
  const cuda::Stream stream;
  lightness_ = cuda::uploaded(lightness_table(), stream);
  tap_index_ = cuda::uploaded(tables_.tap_index, stream);
  tap_weight_ = cuda::uploaded(tables_.tap_weight, stream);
  real_ = cuda::uploaded(tables_.real, stream);
  scales_ = cuda::uploaded(tables_.scales, stream);
  real_parts_ = cuda::uploaded(tables_.real_parts, stream);
  resized_rows_ = cuda::uploaded(tables_.resized_rows, stream);
  strips_ = cuda::uploaded(tables_.strips, stream);
  tiles_ = cuda::uploaded(tables_.tiles, stream);
  trees_ = cuda::uploaded(tables_.trees, stream);
  warp_trees_ = cuda::uploaded(tables_.warp_trees, stream);
  AcfPlan& plan = tables_.plan;
  plan.overlap = kernel_overlap();
  plan.picture.lightness = lightness_.data();
  plan.taps.index = tap_index_.data();
  plan.taps.weight = tap_weight_.data();
  plan.pyramid.real = real_.data();
  plan.pyramid.scales = scales_.data();
  plan.pyramid.real_parts = real_parts_.data();
  plan.pyramid.resized_rows = resized_rows_.data();
  plan.pyramid.strips = strips_.data();
  plan.pyramid.tiles = tiles_.data();
  plan.classifier.trees = trees_.data();
  plan.classifier.warp_trees = warp_trees_.data();
}

FrameMemory::FrameMemory(const AcfTables& tables)
    : counts_(1 + tables.batches.size()),
      luv_(samples_of(tables.plan.picture.upright, kColors)),
      half_(samples_of(tables.plan.picture.half, kColors)),
      resized_(of(tables.resized_samples)),
      real_(of(tables.real_samples)),
      cells_(of(tables.plan.pyramid.plane * kChannels)),
      found_(kMostWindows),
      boxes_(kMostWindows) {}

AcfBuffers FrameMemory::buffers() const {
  return {.found_count = counts_.data(),
          .next_tiles = counts_.data() + 1,
          .counts = static_cast<std::uint32_t>(counts_.size()),
          .luv = luv_.data(),
          .half = half_.data(),
          .resized = resized_.data(),
          .real = real_.data(),
          .cells = cells_.data(),
          .found = found_.data(),
          .boxes = boxes_.data(),
          .capacity = kMostWindows};
}

}  // namespace facepipe::detector::acf
