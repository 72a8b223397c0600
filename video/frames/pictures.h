// Between FFmpeg's pictures and ours: formats, colour tags, orientation, ownership.
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Our description of an FFmpeg format that stages can work on: planar or semi-planar YUV, or
/// planar GBR (colour matrix 0), little endian, 8 to 16 bits. nullopt for all others.
[[nodiscard]] std::optional<PixelFormat> workable_format(AVPixelFormat format);

/// Whether it is one of FFmpeg's own formats for YUV of full range.
[[nodiscard]] bool is_full_range_yuv(AVPixelFormat format);

/// Whether its pixels may be transparent, each by a sample of its own.
[[nodiscard]] bool has_alpha(AVPixelFormat format);

/// Whether it has samples of grey alone, maybe with transparency beside them: no palette.
[[nodiscard]] bool is_grey(AVPixelFormat format);

/// Significant bits of a sample of luma, or of a colour.
[[nodiscard]] int bits_of(AVPixelFormat format);

/// How a display matrix (libavutil/display.h) turns the stored picture upright; nullopt for
/// matrices that are no multiple of a quarter turn.
[[nodiscard]] std::optional<Orientation> orientation_of(const std::int32_t* matrix);

/// The orientation that an EXIF tag (1..8) names.
[[nodiscard]] Orientation orientation_of_exif(int tag);

/// A frame that owns `picture`, whose format must be workable; planes, format, size and colour are
/// filled in, the rest is the caller's.
[[nodiscard]] Frame wrap(UniqueAVFrame picture);

/// Likewise of a picture whose planes lie in the memory of `device`, as samples of `layout`,
/// whatever the picture itself calls its format.
[[nodiscard]] Frame wrap(UniqueAVFrame picture, AVPixelFormat layout, Device device);

/// The FFmpeg picture inside a frame made by wrap().
[[nodiscard]] AVFrame& unwrap(const Frame& frame);

/// How many frames made by wrap() are alive: none once a run has ended, however it ended.
[[nodiscard]] std::int64_t live_frames();

/// Makes a picture that has its own memory black, in such a range. Returns FFmpeg's code.
[[nodiscard]] int fill_black(AVFrame& picture, AVColorRange range);

/// Copies the picture if anyone else (a decoder that refers to it) still holds it.
void make_writable(Frame& frame);

}  // namespace facepipe::video
