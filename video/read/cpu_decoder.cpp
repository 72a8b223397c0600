#include "video/read/cpu_decoder.h"

#include "video/frames/normalizer.h"
#include "video/frames/pictures.h"
#include "video/read/codec.h"
#include "video/read/worker/remote_decoder.h"

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
    return make_cpu_frames(demuxer(), target, first, options().scale_on_change, notices());
  }

 private:
  void open_codec() override {
    open(usual_codec(demuxer()), options().threads,
         leaving_out_unneeded(options().only_what_others_need));
  }
};

}  // namespace

std::unique_ptr<FrameMaker> make_cpu_frames(const Demuxer& demuxer, const FrameTarget& target,
                                            const AVFrame& first, bool scale_on_change,
                                            Notices& notices) {
  return std::make_unique<CpuFrames>(demuxer, target, kind_of(first), scale_on_change, notices);
}

std::unique_ptr<Decoder> make_cpu_decoder(const Demuxer& demuxer, const DecoderOptions& options,
                                          Notices& notices) {
  if (demuxer.remote() != nullptr) return make_remote_decoder(demuxer, options, notices);
  return std::make_unique<CpuDecoder>(demuxer, options, notices);
}

}  // namespace facepipe::video
