// Holds what changes from frame to frame, in at most 256 bytes. One small copy brings a
// FrameDescriptor to the device, where the kernels of a captured graph read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/color.h"
#include "core/frame.h"

namespace facepipe {

/// Describes what all frames of one stream (NV12 or P016) have in common.
struct StreamLayout {
  Size stored;         ///< size of the stored picture after cropping
  PixelFormat format;  ///< semi-planar 4:2:0
  Orientation orientation;
  friend bool operator==(const StreamLayout&, const StreamLayout&) = default;
};

/// Describes a semi-planar picture (NV12 or P016) in device memory, and how to read its samples.
/// Kernels get the StreamLayout as an argument when they are captured.
struct FrameDescriptor {
  static constexpr int kOverlayColors = 4;

  std::byte* luma = nullptr;       ///< first row of the cropped picture
  std::byte* chroma = nullptr;     ///< U and V interleaved
  std::int32_t luma_stride = 0;    ///< bytes between two rows of luma
  std::int32_t chroma_stride = 0;  ///< bytes between two rows of chroma
  /// Row * (Y, U, V, 1) is red, green or blue (0..255, not clamped). Y, U and V are samples without
  /// the format's shift.
  float to_rgb[3][4] = {};
  float byte_to_rgb[3][4] = {};  ///< the same matrix for samples that are reduced to 8 bits
  /// Y, U and V of each colour of the overlay, with the format's shift applied.
  std::uint16_t overlay_colors[kOverlayColors][3] = {};
  std::int32_t interlaced = 0;  ///< 1 if both rows of a chroma cell lie in one field
};
static_assert(std::is_trivially_copyable_v<FrameDescriptor> && sizeof(FrameDescriptor) <= 256);

/// Sets to_rgb and byte_to_rgb for stored pictures of `size`.
inline void fill_to_rgb(FrameDescriptor& descriptor, const ColorInfo& color,
                        const PixelFormat& format, Size size) {
  fill_to_rgb(descriptor.to_rgb, color, format, size);
  fill_to_rgb(descriptor.byte_to_rgb, color, PixelFormat{}, size);
}

}  // namespace facepipe
