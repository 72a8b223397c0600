#include "video/read/cpu_decoder.h"

#include "video/frames/normalizer.h"
#include "video/frames/pictures.h"

namespace facepipe::video {
namespace {

class CpuFrames final : public FrameMaker {
 public:
  CpuFrames(const Demuxer& demuxer, const FrameTarget& target, const PictureKind& first,
            bool scale_on_change, Notices& notices)
      : FrameMaker(demuxer.video(), target),
        normalizer_(target, first, scale_on_change, demuxer.url(), notices) {}

 private:
  [[nodiscard]] Frame frame_of(UniqueAVFrame picture) override {
    return wrap(normalizer_.apply(std::move(picture)));
  }

  Normalizer normalizer_;
};

class CpuDecoder final : public Decoder {
 public:
  CpuDecoder(const Demuxer& demuxer, const DecoderOptions& options, Notices& notices)
      : Decoder(demuxer, options, notices) {
    CpuDecoder::open_codec();
  }

  [[nodiscard]] std::unique_ptr<FrameMaker> make_frames(const AVFrame& first,
                                                        const FrameTarget& target) override {
    return std::make_unique<CpuFrames>(demuxer(), target, kind_of(first), options().scale_on_change,
                                       notices());
  }

 private:
  void open_codec() override {
    const auto leave_out = [](AVCodecContext& context) { context.skip_frame = AVDISCARD_BIDIR; };
    if (options().only_what_others_need)
      open(usual_codec(), options().threads, leave_out);
    else
      open(usual_codec(), options().threads, nullptr);
  }
};

}  // namespace

std::unique_ptr<Decoder> make_cpu_decoder(const Demuxer& demuxer, const DecoderOptions& options,
                                          Notices& notices) {
  return std::make_unique<CpuDecoder>(demuxer, options, notices);
}

}  // namespace facepipe::video
