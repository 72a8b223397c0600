// Feature calculation on the GPU as Van Ranst et al. publish it: a kernel for each step, with
// intermediate results in global memory. Our plain kernels replace their calls of NPP. In these
// kernels, each thread computes a pixel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/color.h"
#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "experiments/programs/acf_variants/feature_steps.h"

namespace facepipe::acf_variants {

enum class Step {
  upload,     ///< uploads the picture: RGB in the paper, NV12 with half the bytes here
  luv,        ///< our kernel instead of NPP's
  smooth,     ///< also our kernel instead of NPP's
  gradient,   ///< also our kernel instead of NPP's
  normalize,  ///< two kernels of ours
  bins,       ///< as published: a thread computes a cell, whose histogram is in private memory
  shrink      ///< our kernel instead of NPP's
};
inline constexpr Step kSteps[] = {Step::upload,    Step::luv,  Step::smooth, Step::gradient,
                                  Step::normalize, Step::bins, Step::shrink};
[[nodiscard]] const char* name_of(Step step);

/// The intermediate results in device memory: planes with the picture's size.
struct FeaturePlanes {
  float* luv = nullptr;     ///< three planes
  float* smooth = nullptr;  ///< three planes; the plane behind them is the normalized magnitude
  float* magnitude = nullptr;
  float* orientation = nullptr;
  float* sums = nullptr;
  float* channels = nullptr;  ///< result: kChannels planes of cells
};
void launch_luv(const Nv12& picture, const float* lightness, const FeaturePlanes& planes,
                cuda::StreamView stream);
void launch_smooth(Size size, const FeaturePlanes& planes, cuda::StreamView stream);
void launch_gradient(Size size, const FeaturePlanes& planes, cuda::StreamView stream);
void launch_normalize(Size size, const FeaturePlanes& planes, cuda::StreamView stream);
void launch_bins(Size size, const FeaturePlanes& planes, cuda::StreamView stream);
void launch_shrink(Size size, const FeaturePlanes& planes, cuda::StreamView stream);

/// Computes the channels of one picture at its own size.
class PublishedFeatures {
 public:
  /// `nv12` has no padding. Throws std::invalid_argument if it has another number of bytes, or if
  /// the size doesn't consist of whole cells.
  PublishedFeatures(std::span<const std::uint8_t> nv12, Size size, const ColorInfo& color);

  /// Enqueues a step. Step::bins and Step::shrink write `channels`: kChannels planes of the
  /// picture's cells.
  void enqueue(Step step, float* channels, cuda::StreamView stream) const;
  void enqueue_all(float* channels, cuda::StreamView stream) const;

  /// The uploaded picture, in device memory.
  [[nodiscard]] const std::uint8_t* nv12() const { return uploaded_.data(); }
  /// The intermediate results, beside the given `channels`.
  [[nodiscard]] FeaturePlanes planes(float* channels) const;

 private:
  [[nodiscard]] std::size_t samples() const {
    return static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height);
  }

  Size size_;
  cuda::PinnedBuffer<std::uint8_t> picture_;
  cuda::DeviceBuffer<std::uint8_t> uploaded_;
  cuda::DeviceBuffer<float> lightness_;
  cuda::DeviceBuffer<float> planes_;
  Nv12 nv12_;
};

}  // namespace facepipe::acf_variants
