// Feature calculation on the GPU as Van Ranst et al. publish it: a kernel for each step, what is in
// between in global memory. Where they call NPP, plain kernels of ours stand in, a thread a pixel.
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
  upload,     ///< of the picture; theirs is RGB, ours NV12, of half the bytes
  luv,        ///< ours for NPP's
  smooth,     ///< likewise
  gradient,   ///< likewise
  normalize,  ///< ours; in two kernels
  bins,       ///< theirs: a thread a cell, whose histogram is in private memory
  shrink      ///< ours for NPP's
};
inline constexpr Step kSteps[] = {Step::upload,    Step::luv,  Step::smooth, Step::gradient,
                                  Step::normalize, Step::bins, Step::shrink};
[[nodiscard]] const char* name_of(Step step);

/// What lies between the steps, in device memory: planes of the picture's size.
struct FeaturePlanes {
  float* luv = nullptr;     ///< three
  float* smooth = nullptr;  ///< three; behind them the magnitude, normalized
  float* magnitude = nullptr;
  float* orientation = nullptr;
  float* sums = nullptr;
  float* channels = nullptr;  ///< to: kChannels planes of cells
};
void launch_luv(const Nv12& picture, const float* lightness, const FeaturePlanes& planes,
                cuda::StreamView stream);
void launch_smooth(Size size, const FeaturePlanes& planes, cuda::StreamView stream);
void launch_gradient(Size size, const FeaturePlanes& planes, cuda::StreamView stream);
void launch_normalize(Size size, const FeaturePlanes& planes, cuda::StreamView stream);
void launch_bins(Size size, const FeaturePlanes& planes, cuda::StreamView stream);
void launch_shrink(Size size, const FeaturePlanes& planes, cuda::StreamView stream);

/// The channels of one picture at its own size.
class PublishedFeatures {
 public:
  /// `nv12` without padding. Throws std::invalid_argument for another number of bytes, and for a
  /// size that is none of whole cells.
  PublishedFeatures(std::span<const std::uint8_t> nv12, Size size, const ColorInfo& color);

  /// `channels`: kChannels planes of the picture's cells, which Step::bins and Step::shrink write.
  void enqueue(Step step, float* channels, cuda::StreamView stream) const;
  void enqueue_all(float* channels, cuda::StreamView stream) const;

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
