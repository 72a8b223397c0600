// NVENC: what it encodes (some chips have none, and nothing tells but an attempt), and its options.
#pragma once

#include <string>

#include "video/write/ffmpeg_encoder.h"

namespace facepipe::video {

/// NVENC's encoder of a family, as FFmpeg names it; empty for a family other than H.264 and HEVC.
[[nodiscard]] std::string nvenc_name(AVCodecID family);

/// Larger than the least that any chip's NVENC takes.
inline constexpr Size kSmallNvencSize{320, 192};

/// What is to be encoded, and how.
struct NvencTask {
  std::string encoder;  ///< FFmpeg's name
  Size size = kSmallNvencSize;
  AVPixelFormat surface = AV_PIX_FMT_NV12;  ///< NV12, P010LE or P016LE (of which it takes 10 bits)
  bool interlaced = false;
  CodecOptions options;
};

/// Makes pictures of that kind on `hardware`, see open_hardware_device(): chroma right behind luma,
/// as NVENC wants it. Errors: Error(device).
[[nodiscard]] UniqueAVBuffer nvenc_surfaces(AVBufferRef& hardware, Size size,
                                            AVPixelFormat surface);

/// Lets the encoder take what `surfaces` makes.
void take_surfaces(AVCodecContext& encoder, AVBufferRef& surfaces);

/// Why the task can't be done on `hardware`, in FFmpeg's words; empty if it can. Opens the encoder
/// and closes it. Errors: Error(device) where there is no memory for pictures; Error(usage) for an
/// option that the encoder doesn't know.
[[nodiscard]] std::string reason_against_nvenc(const NvencTask& task, AVBufferRef& hardware);

/// Quality where none is asked for, as libx264's default: NVENC's "cq", of 1 (best) to 51.
inline constexpr int kDefaultNvencQuality = 23;

/// What FFmpeg's encoder `name` ("hevc_nvenc", ...) is to be opened with: the options as they were
/// given, the preset (p1, the fastest, to p7), and for a quality N what asks NVENC for a constant
/// one: rc=vbr, cq=N and b=0 (no bit rate to keep). That is also done, with the default quality,
/// where the options choose no rate control, because FFmpeg's default is 2 Mbit/s at any size.
/// Errors: Error(usage) for another preset, and for a quality that isn't over 0 (which NVENC takes
/// for "automatic") and at most 51.
[[nodiscard]] CodecOptions nvenc_options(const std::string& name, const EncoderOptions& options);

}  // namespace facepipe::video
