// What changes from frame to frame for kernels whose graph was captured before: a few words that go
// to the device in one small copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/color.h"
#include "core/frame.h"

namespace facepipe {

/// What is the same for all frames of a stream of NV12 or P016.
struct StreamLayout {
  Size stored;         ///< of the stored picture after cropping
  PixelFormat format;  ///< semi-planar 4:2:0
  Orientation orientation;
  friend bool operator==(const StreamLayout&, const StreamLayout&) = default;
};

/// A semi-planar picture (NV12 or P016) in device memory and how its samples are to be read. Its
/// StreamLayout kernels get when they are captured.
struct FrameDescriptor {
  static constexpr int kOverlayColors = 4;

  std::byte* luma = nullptr;       ///< first row of the cropped picture
  std::byte* chroma = nullptr;     ///< U and V interleaved
  std::int32_t luma_stride = 0;    ///< bytes between two rows
  std::int32_t chroma_stride = 0;  ///< likewise
  float to_rgb[3][4] = {};         ///< red, green, blue (0..255) = row * (Y, U, V, 1), of samples
                                   ///< without the format's shift; not yet clamped
  float byte_to_rgb[3][4] = {};    ///< likewise, of samples reduced to 8 bits
  std::uint16_t overlay_colors[kOverlayColors][3] = {};  ///< Y, U, V of each colour of the
                                                         ///< overlay, the format's shift applied
  std::int32_t interlaced = 0;  ///< 1: the rows of a chroma cell lie in one field
};
static_assert(std::is_trivially_copyable_v<FrameDescriptor> && sizeof(FrameDescriptor) <= 256);

/// Sets to_rgb and byte_to_rgb for stored pictures of `size`.
inline void fill_to_rgb(FrameDescriptor& descriptor, const ColorInfo& color,
                        const PixelFormat& format, Size size) {
  fill_to_rgb(descriptor.to_rgb, color, format, size);
  fill_to_rgb(descriptor.byte_to_rgb, color, PixelFormat{}, size);
}

}  // namespace facepipe
