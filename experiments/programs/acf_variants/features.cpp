#include "experiments/programs/acf_variants/features.h"

#include <algorithm>
#include <stdexcept>

#include "core/cuda/frame_descriptor.h"
#include "detector/acf/pyramid.h"

namespace facepipe::acf_variants {
namespace {

// Indices of the first planes in FeaturePlanes, whose planes are consecutive.
constexpr std::size_t kSmooth = detector::acf::kColors;
constexpr std::size_t kMagnitude = kSmooth + detector::acf::kColors + 1;
constexpr std::size_t kOrientation = kMagnitude + 1;
constexpr std::size_t kSums = kOrientation + 1;
constexpr std::size_t kPlanes = kSums + 1;

std::size_t checked_bytes(std::span<const std::uint8_t> nv12, Size size) {
  if (size.width < 1 || size.height < 1 || size.width % detector::acf::kShrink != 0 ||
      size.height % detector::acf::kShrink != 0)
    throw std::invalid_argument("features: no size of whole cells: " + to_string(size));
  if (nv12.size() !=
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3 / 2)
    throw std::invalid_argument("features: no NV12 of " + to_string(size));
  return nv12.size();
}

}  // namespace

const char* name_of(Step step) {
  switch (step) {
    case Step::upload:
      return "upload";
    case Step::luv:
      return "luv";
    case Step::smooth:
      return "smooth";
    case Step::gradient:
      return "gradient";
    case Step::normalize:
      return "normalize";
    case Step::bins:
      return "bins";
    case Step::shrink:
      return "shrink";
  }
  return "";
}

PublishedFeatures::PublishedFeatures(std::span<const std::uint8_t> nv12, Size size,
                                     const ColorInfo& color)
    : size_(size),
      picture_(checked_bytes(nv12, size)),
      uploaded_(nv12.size()),
      planes_(kPlanes * samples()),
      nv12_{uploaded_.data(), size, {}} {
  std::ranges::copy(nv12, picture_.data());
  fill_to_rgb(nv12_.to_rgb, color, PixelFormat{}, size);
  const cuda::Stream stream;
  lightness_ = cuda::uploaded(detector::acf::lightness_table(), stream);
}

FeaturePlanes PublishedFeatures::planes(float* channels) const {
  return {.luv = planes_.data(),
          .smooth = planes_.data() + kSmooth * samples(),
          .magnitude = planes_.data() + kMagnitude * samples(),
          .orientation = planes_.data() + kOrientation * samples(),
          .sums = planes_.data() + kSums * samples(),
          .channels = channels};
}

void PublishedFeatures::enqueue(Step step, float* channels, cuda::StreamView stream) const {
  const FeaturePlanes planes = this->planes(channels);
  switch (step) {
    case Step::upload:
      return cuda::copy(uploaded_.span(), picture_.span(), stream);
    case Step::luv:
      return launch_luv(nv12_, lightness_.data(), planes, stream);
    case Step::smooth:
      return launch_smooth(size_, planes, stream);
    case Step::gradient:
      return launch_gradient(size_, planes, stream);
    case Step::normalize:
      return launch_normalize(size_, planes, stream);
    case Step::bins:
      return launch_bins(size_, planes, stream);
    case Step::shrink:
      return launch_shrink(size_, planes, stream);
  }
}

void PublishedFeatures::enqueue_all(float* channels, cuda::StreamView stream) const {
  for (const Step step : kSteps) enqueue(step, channels, stream);
}

}  // namespace facepipe::acf_variants
