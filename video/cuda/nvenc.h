// Says what NVENC encodes, and with which options. Some chips have no NVENC, and only an attempt
// shows it.
#pragma once

#include <string>

#include "video/write/ffmpeg_encoder.h"

namespace facepipe::video {

/// Returns FFmpeg's name of NVENC's encoder of a family; empty for a family other than H.264 and
/// HEVC.
[[nodiscard]] std::string nvenc_name(AVCodecID family);

/// A size that is larger than the smallest size of any chip's NVENC.
inline constexpr Size kSmallNvencSize{320, 192};

/// Describes what is to be encoded, and how.
struct NvencTask {
  std::string encoder;  ///< FFmpeg's name
  Size size = kSmallNvencSize;
  AVPixelFormat surface = AV_PIX_FMT_NV12;  ///< NV12, P010LE or P016LE (NVENC takes 10 bits of it)
  bool interlaced = false;
  CodecOptions options;
};

/// Makes pictures of that kind on `hardware` (see open_hardware_device()). Chroma lies right after
/// luma, as NVENC wants it. Throws Error(device).
[[nodiscard]] UniqueAVBuffer nvenc_surfaces(AVBufferRef& hardware, Size size,
                                            AVPixelFormat surface);

/// Makes the encoder take the pictures that `surfaces` makes.
void take_surfaces(AVCodecContext& encoder, AVBufferRef& surfaces);

/// Returns why the task can't be done on `hardware`, in FFmpeg's words; empty if it can. Opens the
/// encoder and closes it. Errors: Error(device) if there is no memory for pictures; Error(usage)
/// for an option that the encoder doesn't know.
[[nodiscard]] std::string reason_against_nvenc(const NvencTask& task, AVBufferRef& hardware);

/// NVENC's quality "cq", 1 (best) to 51, if the user asks for none. It equals libx264's default.
inline constexpr int kDefaultNvencQuality = 23;

/// Returns the options with which FFmpeg's encoder `name` ("hevc_nvenc", ...) is opened. They are
/// the options as given, the preset (p1, the fastest, to p7) and the quality. A quality N becomes
/// rc=vbr, cq=N and b=0 (no bit rate to keep), which asks NVENC for a constant quality. If the
/// options choose no rate control, the same is done with the default quality, because FFmpeg's
/// default is 2 Mbit/s at any size. Throws Error(usage) for another preset, and for a quality that
/// isn't over 0 (NVENC takes 0 for "automatic") and at most 51.
[[nodiscard]] CodecOptions nvenc_options(const std::string& name, const EncoderOptions& options);

}  // namespace facepipe::video
