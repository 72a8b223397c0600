#include "experiments/programs/acf_variants/coarse_scan.h"

#include <algorithm>
#include <vector>

#include "detector/acf/channels.h"
#include "detector/acf/cuda/plan.h"
#include "experiments/programs/acf_variants/coarse.h"

namespace facepipe::acf_variants {

CoarseScan::CoarseScan(const detector::acf::PlanOnDevice& plan, const detector::acf::Model& fine,
                       const detector::acf::Model& coarse)
    : plan_(plan),
      threshold_(coarse.threshold),
      fine_windows_(windows_of(plan.tables())),
      count_(1) {
  expect_halves(fine, coarse);
  std::vector<detector::acf::DeviceScale> scales = plan.tables().scales;
  for (detector::acf::DeviceScale& of : scales) {
    of.scale.padded = coarse_cells(of.scale.padded);
    of.scale.places = coarse_places(of.scale.places);
    of.first_place = windows_;
    windows_ += static_cast<std::uint32_t>(of.scale.places.width) *
                static_cast<std::uint32_t>(of.scale.places.height);
    largest_ = {std::max(largest_.width, of.scale.padded.width),
                std::max(largest_.height, of.scale.padded.height)};
  }
  const detector::acf::PyramidPlan& pyramid = plan.plan().pyramid;
  const cuda::Stream stream;
  scales_ = cuda::uploaded(scales, stream);
  trees_ = cuda::uploaded(detector::acf::trees_for(coarse, pyramid.stride, pyramid.plane), stream);
  cells_ =
      cuda::DeviceBuffer<float>(static_cast<std::size_t>(detector::acf::kChannels * pyramid.plane));
  left_ = cuda::DeviceBuffer<detector::acf::SummedPlace>(fine_windows_);
}

void CoarseScan::enqueue(const detector::acf::AcfBuffers& buffers, cuda::StreamView stream) const {
  const CoarseArguments arguments{
      {plan_.plan(), buffers, {left_.data(), count_.data(), nullptr}, fine_windows_, 0},
      scales_.data(),
      trees_.data(),
      static_cast<std::int32_t>(trees_.size()),
      threshold_,
      cells_.data(),
      windows_};
  cuda::fill(cuda::DeviceSpan<std::uint32_t>{buffers.found_count, buffers.counts}, 0, stream);
  cuda::fill(count_.span(), 0, stream);
  launch_coarse_cells(arguments, largest_, stream);
  launch_coarse_windows(arguments, stream);
  launch_rest(arguments.fine, stream);
}

std::uint32_t CoarseScan::left(cuda::StreamView stream) const {
  std::uint32_t count = 0;
  cuda::copy(std::span<std::uint32_t>(&count, 1), count_.span(), stream);
  stream.synchronize();
  return count;
}

}  // namespace facepipe::acf_variants
