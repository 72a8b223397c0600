// Computes the steps of Van Ranst et al.'s feature calculation for which the paper calls NPP,
// NVIDIA's library of image processing, with NPP's functions. Each step gets its input from our
// steps (features.h), so that its result can be compared with ours. NPP has no function for the
// bins of a cell, and the paper has its own kernel for them, too.
#pragma once

#include <nppdefs.h>

#include <cstddef>
#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "experiments/programs/acf_variants/features.h"

namespace facepipe::acf_variants {

enum class NppStep {
  luv,       ///< from NV12 of BT.709 in limited range. NPP rounds RGB and LUV to 8 bits
  smooth,    ///< three planes, by [1 2 1] / 4 in both directions
  gradient,  ///< the magnitude of the lightness' gradient, from differences of both neighbours
  sobel,     ///< magnitude and angle in one call, which only has Sobel's masks
  shrink     ///< the means of cells: three colours and the magnitude
};
inline constexpr NppStep kNppSteps[] = {NppStep::luv, NppStep::smooth, NppStep::gradient,
                                        NppStep::sobel, NppStep::shrink};
[[nodiscard]] const char* name_of(NppStep step);

class NppSteps {
 public:
  /// All work is enqueued on `stream`, which must outlive this object. `size` consists of whole
  /// cells.
  NppSteps(Size size, cuda::StreamView stream);

  /// Enqueues a step, which overwrites the result of the last one. `nv12` has no padding; only
  /// NppStep::luv reads it. Throws std::runtime_error if NPP refuses a call.
  void enqueue(NppStep step, const std::uint8_t* nv12, const FeaturePlanes& ours) const;

  /// The planes of the last step's result, one after the other: three planes of the picture for
  /// luv and smooth, one for gradient and sobel, and four planes of cells for shrink. The
  /// magnitudes of sobel are eight times those of gradient where the slope is constant.
  [[nodiscard]] const float* result() const { return result_.data(); }

 private:
  void enqueue_luv(const std::uint8_t* nv12) const;
  void enqueue_smooth(const float* luv) const;
  void enqueue_gradient(const float* lightness) const;
  void enqueue_sobel(const float* lightness) const;
  void enqueue_shrink(const float* planes) const;
  /// Returns one of the result's planes of the picture's size.
  [[nodiscard]] float* plane(int number) const {
    return result_.data() + static_cast<std::size_t>(number) * samples_;
  }

  Size size_;
  std::size_t samples_;
  NppStreamContext context_;
  cuda::DeviceBuffer<std::uint8_t> rgb_;
  cuda::DeviceBuffer<std::uint8_t> luv_;         ///< pixel by pixel
  cuda::DeviceBuffer<std::uint8_t> luv_planes_;  ///< plane by plane
  cuda::DeviceBuffer<float> difference_;         ///< the filter of NppStep::gradient
  cuda::DeviceBuffer<float> result_;
};

}  // namespace facepipe::acf_variants
