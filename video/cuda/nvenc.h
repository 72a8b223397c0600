// Says what NVENC can encode, and with which options. Some chips have no NVENC, and only an attempt
// to use it shows this.
#pragma once

#include <string>

#include "video/write/ffmpeg_encoder.h"

namespace facepipe::video {

/// Returns FFmpeg's name of NVENC's encoder for a family; empty for a family other than H.264 and
/// HEVC.
[[nodiscard]] std::string nvenc_name(AVCodecID family);

/// This size is larger than the smallest size that any chip's NVENC takes.
inline constexpr Size kSmallNvencSize{320, 192};

/// Describes the pictures to encode, and the encoder with its options.
struct NvencTask {
  std::string encoder;  ///< FFmpeg's name of the encoder
  Size size = kSmallNvencSize;
  /// NV12, P010LE or P016LE. Of P016LE, NVENC takes 10 bits.
  AVPixelFormat surface = AV_PIX_FMT_NV12;
  bool interlaced = false;
  CodecOptions options;
};

/// Makes a pool of pictures of this kind on `hardware` (see open_hardware_device()). Chroma lies
/// right after luma, as NVENC needs it. Throws Error(device).
[[nodiscard]] UniqueAVBuffer nvenc_surfaces(AVBufferRef& hardware, Size size,
                                            AVPixelFormat surface);

/// Makes the encoder take pictures from the pool `surfaces`.
void take_surfaces(AVCodecContext& encoder, AVBufferRef& surfaces);

/// Returns FFmpeg's text that says why the task can't be done on `hardware`; empty if it can. Opens
/// the encoder and closes it again. Errors: Error(device) if there is no memory for pictures;
/// Error(usage) for an option that the encoder doesn't know.
[[nodiscard]] std::string reason_against_nvenc(const NvencTask& task, AVBufferRef& hardware);

/// NVENC's quality "cq", 1 (best) to 51, if the user sets none. It equals libx264's default.
inline constexpr int kDefaultNvencQuality = 23;

/// Returns the options with which FFmpeg's encoder `name` ("hevc_nvenc", ...) is opened: the user's
/// options, the preset (p1, the fastest, to p7) and the quality. A quality N becomes rc=vbr, cq=N
/// and b=0 (no bit rate to keep), which asks NVENC for a constant quality. If the options choose no
/// rate control, the default quality is used in the same way, because FFmpeg's default is 2 Mbit/s
/// at any size. Throws Error(usage) for another preset, and for a quality that isn't above 0 (for
/// NVENC, 0 means "automatic") and at most 51.
[[nodiscard]] CodecOptions nvenc_options(const std::string& name, const EncoderOptions& options);

}  // namespace facepipe::video
