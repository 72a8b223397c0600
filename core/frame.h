// A frame is one picture on its way through the pipeline: its planes, what they mean, and when it
// is shown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/device.h"
#include "core/geometry.h"

struct CUevent_st;  // CUDA's event

namespace facepipe {

/// Describes the layout of YUV samples. Planar formats hold Y, U and V, and some hold alpha, which
/// has luma's size and depth. Semi-planar formats hold Y and interleaved UV.
struct PixelFormat {
  bool semi_planar = false;
  int log2_chroma_w = 1;  ///< chroma width  = ceil(width  / 2^log2_chroma_w)
  int log2_chroma_h = 1;  ///< chroma height = ceil(height / 2^log2_chroma_h)
  int bits = 8;           ///< significant bits of a sample, 8..16
  int shift = 0;          ///< left shift of a sample in its 16-bit word (P010: 6)
  bool has_chroma = true;
  bool has_alpha = false;  ///< the fourth plane is alpha: 0 is transparent, largest() is opaque

  [[nodiscard]] int bytes_per_sample() const { return bits > 8 ? 2 : 1; }
  /// Returns the largest value of a sample, with the shift applied.
  [[nodiscard]] std::uint16_t largest() const {
    return static_cast<std::uint16_t>(((1U << static_cast<unsigned>(bits)) - 1U)
                                      << static_cast<unsigned>(shift));
  }
  friend bool operator==(const PixelFormat&, const PixelFormat&) = default;
};

/// Holds code points of ITU-T H.273; 2 means unspecified. Matrix 0 is the identity: the planes are
/// green, blue and red, as in a PNG file, and have full range.
struct ColorInfo {
  static constexpr int kIdentityMatrix = 0;
  static constexpr int kUnspecified = 2;

  int matrix = 2;
  int primaries = 2;
  int transfer = 2;
  bool full_range = false;
  int chroma_location = 0;  ///< H.273's chroma sample location type + 1; 0 means unspecified
  friend bool operator==(const ColorInfo&, const ColorInfo&) = default;
};

/// Returns color.matrix if core/color.h knows it. Otherwise no matrix is tagged, or H.273 reserves
/// the code point. In these cases, returns 1 (BT.709) for pictures of at least 720 lines, and 6
/// (BT.601) for smaller pictures. Players do the same.
[[nodiscard]] int matrix_or_default(const ColorInfo& color, Size size);

enum class FieldOrder { progressive, top_first, bottom_first };

/// Refers to one plane. `stride` is the distance between two rows in bytes.
struct Plane {
  std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;
};

/// Holds what is known about a picture besides its samples.
struct FrameInfo {
  ColorInfo color;
  Orientation orientation;  ///< from the stored picture to the upright picture
  Rational sample_aspect{1, 1};
  FieldOrder field_order = FieldOrder::progressive;
  std::int64_t pts = 0;       ///< presentation time in time_base
  std::int64_t duration = 0;  ///< in time_base; 0 if unknown
  Rational time_base{1, 1};
  std::int64_t index = 0;  ///< 0, 1, 2, ... in presentation order
};

/// Owns a picture. It can be moved, not copied. `owner` holds the memory, and everything that only
/// the encoder needs (captions, HDR data, time codes). Only video/ knows the type of `*owner`.
struct Frame : FrameInfo {
  std::array<Plane, 4> planes{};
  PixelFormat format;
  Size size;  ///< size of the stored picture after cropping, before rotation
  Device device;
  /// On CUDA, this event happens when the samples are complete; null if they are complete already.
  /// `owner` owns the event. A stream must wait for it before it reads or writes the samples. Keep
  /// the frame until that work has ended, because its destructor frees the memory for other
  /// pictures.
  CUevent_st* ready = nullptr;
  std::shared_ptr<void> owner;

  /// Returns the members of FrameInfo: all that is known about the picture except its samples.
  [[nodiscard]] FrameInfo& info() { return *this; }
  [[nodiscard]] const FrameInfo& info() const { return *this; }

  Frame() = default;
  Frame(Frame&&) = default;
  Frame& operator=(Frame&&) = default;
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() = default;

  [[nodiscard]] Size upright() const { return upright_size(size, orientation); }
  [[nodiscard]] Size chroma_size() const;
  [[nodiscard]] double seconds() const;
};

/// Returns another frame that refers to the same samples. Both frames share `owner`, which keeps
/// the samples alive.
[[nodiscard]] Frame view_of(const Frame& frame);

}  // namespace facepipe
