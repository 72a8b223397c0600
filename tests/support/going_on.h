// Decodes on the CPU. Passes the codec of one decoder to the next decoder, as NVDEC's decoder does.
#pragma once

#include <utility>

#include "video/read/codec.h"
#include "video/read/decoder.h"

namespace facepipe::test {

/// If the decoder's stream has ended without loss, take_idle() returns the decoder's codec. The
/// next decoder gets this codec as `before`.
class GoingOnDecoder final : public video::Decoder {
 public:
  GoingOnDecoder(const video::Demuxer& demuxer, video::Notices& notices,
                 video::UniqueCodecContext before)
      : video::Decoder(demuxer, {}, notices) {
    end_by_key_pictures();
    if (before)
      go_on_with(std::move(before));
    else
      GoingOnDecoder::open_codec();
  }

  using video::Decoder::take_idle;

  /// Returns how often codecs have asked for a format. FFmpeg's decoders ask when they start anew;
  /// with NVDEC, this would create a new hardware decoder.
  [[nodiscard]] static int formats_asked() { return formats_asked_; }

  [[nodiscard]] std::unique_ptr<video::FrameMaker> make_frames(
      const AVFrame& /*first*/, const video::FrameTarget& /*target*/) override {
    return nullptr;
  }

 private:
  void open_codec() override {
    open(video::usual_codec(demuxer()), 1,
         [](AVCodecContext& codec) { codec.get_format = count_and_choose; });
  }

  static AVPixelFormat count_and_choose(AVCodecContext* codec, const AVPixelFormat* offered) {
    ++formats_asked_;
    return avcodec_default_get_format(codec, offered);
  }

  static inline int formats_asked_ = 0;
};

}  // namespace facepipe::test
