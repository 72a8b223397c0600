// Translates between FFmpeg's pictures and our frames: formats, colour tags, orientation,
// ownership.
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns our description of an FFmpeg format that stages can work on: planar or semi-planar YUV,
/// or planar GBR (colour matrix 0), little endian, 8 to 16 bits. Returns nullopt for all other
/// formats.
[[nodiscard]] std::optional<PixelFormat> workable_format(AVPixelFormat format);

/// Returns whether the format is one of FFmpeg's special formats for full-range YUV ("yuvj...").
[[nodiscard]] bool is_full_range_yuv(AVPixelFormat format);

/// Returns whether the format has a sample of transparency for each pixel.
[[nodiscard]] bool has_alpha(AVPixelFormat format);

/// Returns whether the format only has samples of grey, with or without transparency. A palette
/// doesn't count as grey.
[[nodiscard]] bool is_grey(AVPixelFormat format);

/// Returns the number of significant bits of a luma sample, or of a colour's sample.
[[nodiscard]] int bits_of(AVPixelFormat format);

/// Returns how a display matrix (libavutil/display.h) turns the stored picture upright. Returns
/// nullopt if the matrix isn't a multiple of a quarter turn.
[[nodiscard]] std::optional<Orientation> orientation_of(const std::int32_t* matrix);

/// Returns the orientation that an EXIF tag (1..8) names; upright for other numbers.
[[nodiscard]] Orientation orientation_of_exif(int tag);

/// Returns a frame that owns `picture`, whose format must be workable. Sets planes, format, size
/// and colour; the caller sets the rest.
[[nodiscard]] Frame wrap(UniqueAVFrame picture);

/// Does the same for a picture whose planes lie in the memory of `device`. The samples have the
/// format `layout`, even if the picture's own tag differs.
[[nodiscard]] Frame wrap(UniqueAVFrame picture, AVPixelFormat layout, Device device);

/// Returns the FFmpeg picture inside a frame made by wrap().
[[nodiscard]] AVFrame& unwrap(const Frame& frame);

/// Returns how many frames made by wrap() exist. The number must be 0 whenever a run has ended.
[[nodiscard]] std::int64_t live_frames();

/// Fills a picture with black, for samples of this range. The picture must own its memory. Returns
/// FFmpeg's error code.
[[nodiscard]] int fill_black(AVFrame& picture, AVColorRange range);

/// Copies the picture if somebody else, for example a decoder, still refers to it.
void make_writable(Frame& frame);

}  // namespace facepipe::video
