// Arguments and launchers of the kernels that hide faces.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "overlay/hide_geometry.h"
#include "overlay/hide_image.h"
#include "overlay/yuv_color.h"

namespace facepipe {

/// The planes of a picture of semi-planar 4:2:0 in device memory. Strides are in bytes.
struct HidePlanes {
  std::byte* luma = nullptr;
  std::byte* chroma = nullptr;
  std::int64_t luma_stride = 0;
  std::int64_t chroma_stride = 0;
  Size cell{1, 1};  ///< HidePlan::cell
  SampleScale scale;

  [[nodiscard]] bool wide() const { return scale.bits > 8; }
};

/// Masks that one launch hides, as its parameters: nothing is copied to the device for a frame, and
/// the host needs no memory that outlives the call.
struct HideBatch {
  static constexpr unsigned kCapacity = 40;

  HidePlanes planes;
  unsigned count = 0;
  HideMask masks[kCapacity];

  /// Rows and columns of the largest mask, in pixels.
  [[nodiscard]] Size largest() const;
};

/// The means of a blur between its passes: for each mask of a batch its samples of Y, U and V, one
/// after another, from begin[i] on.
struct BlurScratch {
  std::uint16_t* even = nullptr;
  std::uint16_t* odd = nullptr;
  std::uint32_t begin[HideBatch::kCapacity] = {};
};

/// The samples that a mask has in all planes, of 4:2:0.
[[nodiscard]] std::uint32_t samples_of_mask(const HideMask& mask);

/// For each mask of a batch the level of the image that is stretched over it.
struct ImageLevels {
  const std::uint16_t* samples = nullptr;  ///< ComposedImage::samples
  ComposedImage::Level levels[HideBatch::kCapacity] = {};
};

// CUDA 12 takes 32 KB of parameters on some devices, 4 KB on all.
static_assert(sizeof(HideBatch) + sizeof(BlurScratch) <= 4096);
static_assert(sizeof(HideBatch) + sizeof(ImageLevels) <= 4096);

// The masks of a batch may overlap for launch_hide_color(), which gives all the same samples; for
// the others their rectangles must be apart.
void launch_hide_color(const HideBatch& batch, const YuvColor& color, cudaStream_t stream);
void launch_hide_mosaic(const HideBatch& batch, cudaStream_t stream);
void launch_hide_image(const HideBatch& batch, const ImageLevels& image, cudaStream_t stream);
/// Two kernels: along rows, from the picture to scratch; along columns, and back.
void launch_hide_blur(const HideBatch& batch, const BlurScratch& scratch, cudaStream_t stream);

}  // namespace facepipe
