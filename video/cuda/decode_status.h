// Asks NVDEC whether it could decode a picture. NVDEC conceals damage, and FFmpeg doesn't ask NVDEC
// about it.
#pragma once

#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_cuviddec.h>

#include "video/cuda/cuvid_library.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

enum class DecodeStatus {
  unknown,   ///< the driver or this FFmpeg version doesn't say
  decoding,  ///< the decoder has not finished the picture
  whole,
  damaged,  ///< a part of the picture couldn't be decoded, and NVDEC has invented the samples there
};

/// Returns whether pictures of the codec have a status with this FFmpeg version, as far as this is
/// known without a device. Pictures of H.264 and HEVC have a status. JPEG pictures have none,
/// because the driver reports every JPEG picture as whole.
[[nodiscard]] bool has_decode_status(AVCodecID codec);

/// Asks the driver for statuses. Only the decoder's thread may use it.
class DecodeStatusReader {
 public:
  /// Throws Error(device) if `file` can't be loaded.
  explicit DecodeStatusReader(const char* file = CuvidLibrary::kUsual);

  /// Returns the status of a picture that FFmpeg's NVDEC decoder has given. The decoder's CUDA
  /// context must be current.
  [[nodiscard]] DecodeStatus of(const AVFrame& surface) const;

 private:
  CuvidLibrary library_;
  tcuvidGetDecodeStatus* get_status_;  ///< nullptr if the driver is too old
};

}  // namespace facepipe::video
