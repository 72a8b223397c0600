// Keeps NVDEC's decoders from one stream to the next that is like it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/cuda/stream.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// The facts for which a decoder is made.
struct DecoderKind {
  AVCodecID codec = AV_CODEC_ID_NONE;
  Size size;
  int format = AV_PIX_FMT_NONE;
  int reordered = 0;                    ///< AVCodecParameters::video_delay
  std::array<int, 8> told{};            ///< the container's colours, fields and sample aspect
  std::vector<std::uint8_t> extradata;  ///< parameter sets
  int frames_alive = 0;
  friend bool operator==(const DecoderKind&, const DecoderKind&) = default;
};

/// FFmpeg's decoder with NVDEC's behind it. It has met no stream, or has given all of its stream.
struct IdleDecoder {
  UniqueCodecContext context;
  UniqueAVBuffer hardware;
  std::shared_ptr<cuda::Stream> stream;  ///< stream of FFmpeg's work
};

/// Keeps the decoders that were given back last, in at most a quarter of the device's memory. On an
/// H100, making a decoder of NVDEC takes 40 to 50 ms, and ending one takes 20 ms. Ending the last
/// decoder of a device takes 230 ms. Size and number of surfaces make no difference. Threads that
/// do this wait for each other. So each decoder costs 80 to 100 ms, in which 60 frames of 1080p are
/// decoded. Thread-safe; bound to one device, which must be current in each call.
class KeptDecoders {
 public:
  /// Returns a decoder of that kind; nullopt if none is kept. In that case the decoders of other
  /// kinds end if the device's memory is too short for another one.
  [[nodiscard]] std::optional<IdleDecoder> take(const DecoderKind& kind);
  void give_back(DecoderKind kind, IdleDecoder decoder);

 private:
  using Kept = std::pair<DecoderKind, IdleDecoder>;

  std::mutex mutex_;
  std::deque<Kept> kept_;  // the one that was given back last comes first
};

}  // namespace facepipe::video
