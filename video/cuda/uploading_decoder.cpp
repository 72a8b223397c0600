extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "core/cuda/devices.h"
#include "core/cuda/stream.h"
#include "core/machine.h"
#include "video/cuda/decoder.h"
#include "video/cuda/transfer.h"
#include "video/frames/normalizer.h"
#include "video/frames/pictures.h"
#include "video/read/codec.h"

namespace facepipe::video {
namespace {

/// Returns the format that a picture gets before its upload. The format must not change its range.
AVPixelFormat planar_format(AVPixelFormat source) {
  if (bits_of(source) > 10) return AV_PIX_FMT_YUV420P16;
  if (bits_of(source) > 8) return AV_PIX_FMT_YUV420P10;
  return is_full_range_yuv(source) ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P;
}

/// Returns the number of threads that convert a picture. There are several, because the device
/// waits for each picture while the host has idle cores.
int conversion_threads() {
  constexpr int kMost = 4;
  return std::min(usable_processors(), kMost);
}

FrameTarget with_format(FrameTarget target, AVPixelFormat format) {
  target.format = format;
  return target;
}

class UploadedFrames final : public FrameMaker {
 public:
  UploadedFrames(const Demuxer& demuxer, const FrameTarget& target, const PictureKind& first,
                 AVPixelFormat planar, const DecoderOptions& options, Device device,
                 UploadMemory& memory, Notices& notices, CopyCounter& copies)
      : FrameMaker(demuxer.video(), target),
        device_(device),
        stream_(memory.stream()),
        normalizer_(with_format(target, planar), first, options.scale_on_change, demuxer.url(),
                    notices, memory.converters(), conversion_threads()),
        upload_(target.stored(), bits_of(planar), static_cast<std::size_t>(options.frames_alive),
                device, copies, &memory) {}

 private:
  [[nodiscard]] Frame frame_of(UniqueAVFrame picture) override {
    cuda::use_device(device_);
    return upload_.upload(wrap(normalizer_.apply(std::move(picture))), *stream_);
  }

  Device device_;
  std::shared_ptr<cuda::Stream> stream_;
  Normalizer normalizer_;
  PictureUpload upload_;
};

class UploadingDecoder final : public Decoder {
 public:
  UploadingDecoder(const Demuxer& demuxer, const DecoderOptions& options, Device device,
                   std::shared_ptr<UploadMemory> memory, Notices& notices, CopyCounter& copies)
      : Decoder(demuxer, options, notices),
        device_(device),
        memory_(std::move(memory)),
        copies_(copies) {
    UploadingDecoder::open_codec();
  }

  [[nodiscard]] PictureFacts facts_of(const AVFrame& picture) const override {
    PictureFacts facts = Decoder::facts_of(picture);
    facts.format = picture_layout({}, bits_of(planar_format(facts.format))).format;
    return facts;
  }

  [[nodiscard]] std::unique_ptr<FrameMaker> make_frames(const AVFrame& first,
                                                        const FrameTarget& target) override {
    const auto source = static_cast<AVPixelFormat>(first.format);
    const AVPixelFormat planar = planar_format(source);
    if (planar != source)
      notices().add(std::string("pictures converted from ") + av_get_pix_fmt_name(source) + " to " +
                    av_get_pix_fmt_name(planar) + " for the device");
    if ((av_pix_fmt_desc_get(source)->flags & AV_PIX_FMT_FLAG_ALPHA) != 0)
      notices().add("transparency dropped, because the pictures on the device have none");
    cuda::use_device(device_);
    return std::make_unique<UploadedFrames>(demuxer(), target, kind_of(first), planar, options(),
                                            device_, *memory_, notices(), copies_);
  }

 private:
  void open_codec() override {
    cuda::use_device(device_);
    open(usual_codec(demuxer()), options().threads, nullptr);
  }

  Device device_;
  std::shared_ptr<UploadMemory> memory_;
  CopyCounter& copies_;
};

}  // namespace

std::unique_ptr<Decoder> make_uploading_decoder(const Demuxer& demuxer,
                                                const DecoderOptions& options, Device device,
                                                std::shared_ptr<UploadMemory> memory,
                                                Notices& notices, CopyCounter& copies) {
  return std::make_unique<UploadingDecoder>(demuxer, options, device, std::move(memory), notices,
                                            copies);
}

}  // namespace facepipe::video
