// Declares the arguments and the launchers of the kernels that hide faces.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/host_device.h"
#include "overlay/hide_geometry.h"
#include "overlay/hide_image.h"
#include "overlay/yuv_color.h"

namespace facepipe::overlay {

/// Refers to the planes of a semi-planar 4:2:0 picture in device memory. Strides are in bytes.
struct HidePlanes {
  std::byte* luma = nullptr;
  std::byte* chroma = nullptr;
  std::int64_t luma_stride = 0;
  std::int64_t chroma_stride = 0;
  Size cell{1, 1};  ///< HidePlan::cell
  SampleScale scale;

  [[nodiscard]] bool wide() const { return scale.bits > 8; }
};

/// Holds the masks that one launch hides. They are parameters of the launch. So a frame needs no
/// copy to the device, and the host needs no memory that outlives the call.
struct HideBatch {
  static constexpr unsigned kCapacity = 40;

  HidePlanes planes;
  unsigned count = 0;
  HideMask masks[kCapacity];

  /// Returns the largest width and the largest height of the masks, in pixels.
  [[nodiscard]] Size largest() const;
};

/// Holds the means of a blur between its passes. For each mask of a batch, its samples of Y, U and
/// V lie one after another, from begin[i] on.
struct BlurScratch {
  std::uint16_t* even = nullptr;
  std::uint16_t* odd = nullptr;
  std::uint32_t begin[HideBatch::kCapacity] = {};
};

/// Returns the distance, in samples, from BlurScratch::begin of a 4:2:0 mask to the samples of a
/// component (0 Y, 1 U, 2 V). For component 3 it returns the number of all samples.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline std::uint32_t scratch_offset(const HideMask& mask,
                                                                       unsigned component) {
  const auto area = [](const PixelRect& rect) {
    return static_cast<std::uint32_t>(rect.x2 - rect.x1) *
           static_cast<std::uint32_t>(rect.y2 - rect.y1);
  };
  if (component == 0) return 0;
  return area(mask.area) + (component - 1) * area(PlaneGrid{1, 1}.samples_of(mask.area));
}

/// Holds, for each mask of a batch, the level of the image that is stretched over it.
struct ImageLevels {
  const std::uint16_t* samples = nullptr;  ///< ComposedImage::samples
  ComposedImage::Level levels[HideBatch::kCapacity] = {};
};

// CUDA 12 accepts 32 KB of parameters on some devices, and 4 KB on all.
static_assert(sizeof(HideBatch) + sizeof(BlurScratch) <= 4096);
static_assert(sizeof(HideBatch) + sizeof(ImageLevels) <= 4096);

// These functions launch the kernels of the styles. For launch_hide_color() the masks of a batch
// may overlap, because all get the same samples. For the other functions, the rectangles of the
// masks must not overlap.
void launch_hide_color(const HideBatch& batch, const YuvColor& color, cudaStream_t stream);
void launch_hide_mosaic(const HideBatch& batch, cudaStream_t stream);
void launch_hide_image(const HideBatch& batch, const ImageLevels& image, cudaStream_t stream);
/// Launches two kernels. The first kernel filters along rows, from the picture to `scratch`. The
/// second kernel filters along columns and writes the picture.
void launch_hide_blur(const HideBatch& batch, const BlurScratch& scratch, cudaStream_t stream);

}  // namespace facepipe::overlay
