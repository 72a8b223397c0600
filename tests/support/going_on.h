// A decoder on the CPU that hands its codec on as the decoder of NVDEC does.
#pragma once

#include <utility>

#include "video/read/decoder.h"

namespace facepipe::test {

/// After its stream has ended without loss, take_idle() returns its codec. Pass that as `before` to
/// the next decoder.
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

  /// How often the codec has asked for a format. FFmpeg's decoders ask when they begin anew, and
  /// then a decoder of NVDEC is created.
  [[nodiscard]] static int formats_asked() { return formats_asked_; }

  [[nodiscard]] std::unique_ptr<video::FrameMaker> make_frames(
      const AVFrame& /*first*/, const video::FrameTarget& /*target*/) override {
    return nullptr;
  }

 private:
  void open_codec() override {
    open(usual_codec(), 1, [](AVCodecContext& codec) { codec.get_format = count_and_choose; });
  }

  static AVPixelFormat count_and_choose(AVCodecContext* codec, const AVPixelFormat* offered) {
    ++formats_asked_;
    return avcodec_default_get_format(codec, offered);
  }

  static inline int formats_asked_ = 0;
};

}  // namespace facepipe::test
