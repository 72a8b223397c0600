#include <utility>

#include "video/pictures.h"
#include "video/stream_decoder.h"

namespace facepipe {
namespace {

class CpuDecoder final : public StreamDecoder {
 public:
  CpuDecoder(const Demuxer& demuxer, const DecoderOptions& options, TargetChooser choose_target,
             Notices& notices)
      : StreamDecoder(demuxer, options, std::move(choose_target), notices) {
    open(usual_codec(), options.threads, nullptr);
  }

 private:
  void set_target(const PictureTarget& target) override {
    normalizer_.emplace(target, options().scale_on_change, demuxer().url(), notices());
  }
  [[nodiscard]] Frame frame_of(UniqueAVFrame picture) override {
    return wrap(normalizer_->apply(std::move(picture)));
  }

  std::optional<Normalizer> normalizer_;
};

}  // namespace

std::unique_ptr<Decoder> make_cpu_decoder(const Demuxer& demuxer, const DecoderOptions& options,
                                          TargetChooser choose_target, Notices& notices) {
  return std::make_unique<CpuDecoder>(demuxer, options, std::move(choose_target), notices);
}

}  // namespace facepipe
