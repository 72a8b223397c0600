#include "video/cuda/encoder.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/opt.h>
}

#include <algorithm>
#include <utility>
#include <vector>

#include "core/cuda/check.h"
#include "core/cuda/stream.h"
#include "core/error.h"
#include "video/cuda/encoder_input.h"
#include "video/cuda/hardware_device.h"
#include "video/cuda/nvenc.h"
#include "video/cuda/pictures.h"
#include "video/frames/pictures.h"
#include "video/write/encoder_stamps.h"
#include "video/write/ffmpeg_encoder.h"

namespace facepipe::video {
namespace {

// This is an upper bound of how many pictures are decoded before another picture but shown after
// it. FFmpeg only says whether NVENC reorders pictures. NVENC makes at most seven B-frames in a
// row. In a pyramid of seven, three pictures are decoded before the first B-frame and shown after
// it.
constexpr int kMostOvertaking = 4;

// One surface is being passed to FFmpeg, and one surface waits inside FFmpeg for room.
constexpr int kSpareSurfaces = 2;

UniqueAVFrame surface_from(AVBufferRef& surfaces) {
  UniqueAVFrame surface = new_av_frame();
  check_av(av_hwframe_get_buffer(&surfaces, surface.get(), 0), ErrorKind::device,
           "a picture for NVENC");
  return surface;
}

// Takes all surfaces once. FFmpeg allocates a surface when it is first needed, and this must not
// happen in the frame loop.
void allocate_surfaces(AVBufferRef& surfaces, const AVCodecContext& encoder) {
  std::int64_t held = 0;
  check_av(av_opt_get_int(encoder.priv_data, "surfaces", 0, &held), ErrorKind::internal,
           "NVENC's surfaces");
  std::vector<UniqueAVFrame> all;
  for (std::int64_t i = 0; i < held + kSpareSurfaces; ++i) all.push_back(surface_from(surfaces));
}

// Replaces FFmpeg's decoding stamps. FFmpeg 5.1 computes the reordering delay in ticks of the time
// base, times its numerator, and not in frames. With its stamps, packets would be decoded after
// they are shown, or minutes before.
DecodingStamps decoding_stamps(const AVCodecContext& encoder) {
  const std::int64_t ticks = av_rescale_q(1, av_inv_q(encoder.framerate), encoder.time_base);
  return {encoder.has_b_frames > 0 ? kMostOvertaking : 0, std::max<std::int64_t>(1, ticks)};
}

int bytes_per_sample(AVPixelFormat format) { return bits_of(format) > 8 ? 2 : 1; }

class NvencEncoder final : public Encoder {
 public:
  NvencEncoder(const EncoderSetup& setup, const Frame& first, Device device, Notices& notices,
               CopyCounter& copies)
      : surface_format_(setup.plan.encoded),
        size_(first.size),
        format_(first.format),
        copies_(copies),
        stream_(std::make_shared<cuda::Stream>()),
        hardware_(open_hardware_device(device, stream_)),
        surfaces_(nvenc_surfaces(*hardware_, first.size, surface_format_)),
        encoder_(
            setup, first, nvenc_options(setup.plan.codec->name, setup.options),
            [&](AVCodecContext& context) { take_surfaces(context, *surfaces_); }, notices),
        stamps_(decoding_stamps(encoder_.context())) {
    allocate_surfaces(*surfaces_, encoder_.context());
  }

  ~NvencEncoder() override { static_cast<void>(cudaEventSynchronize(copied_.get())); }
  NvencEncoder(const NvencEncoder&) = delete;
  NvencEncoder& operator=(const NvencEncoder&) = delete;

  void encode(Frame frame, FrameRecord record, const Sink& sink) override {
    record.times[StageId::encode].begin = Clock::now();
    UniqueAVFrame surface;
    {
      const ScopedCpuTime cpu(record.times, StageId::encode);
      // This waits for the copy of the previous frame, which was started one frame ago.
      copied_.synchronize();
      surface = surface_of(frame);
      source_ = std::move(frame);
    }
    encoder_.announce(source_, *surface, std::move(record));
    stamps_.sent(surface->pts);
    encoder_.send(*surface, finishing(sink));
  }

  void flush(const Sink& sink) override {
    copied_.synchronize();
    source_ = Frame();
    encoder_.flush(finishing(sink));
  }

  [[nodiscard]] AVRational time_base() const override { return encoder_.context().time_base; }

  // Describes the packets, because FFmpeg only says that the pictures were on a device.
  [[nodiscard]] UniqueCodecParameters parameters() const override {
    UniqueCodecParameters described = encoder_.parameters();
    const bool deep = bytes_per_sample(surface_format_) > 1;
    described->format = deep ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV420P;
    return described;
  }

  [[nodiscard]] std::string name() const override { return encoder_.name(); }

 private:
  [[nodiscard]] UniqueAVFrame surface_of(const Frame& frame) {
    if (frame.size != size_ || frame.format != format_)
      throw Error(ErrorKind::internal, name() + ": a picture unlike the first");
    UniqueAVFrame surface = surface_from(*surfaces_);
    check_av(av_frame_copy_props(surface.get(), &unwrap(frame)), ErrorKind::internal,
             "picture properties");
    const auto plane = [&](int i) {
      return Plane{reinterpret_cast<std::byte*>(surface->data[i]), surface->linesize[i]};
    };
    hold_back_until_ready(frame, copying_);
    enqueue_surface_copy(frame, {plane(0), plane(1), bytes_per_sample(surface_format_)}, copying_,
                         copies_);
    copied_.record(copying_);
    copied_.hold_back(*stream_);
    return surface;
  }

  [[nodiscard]] Sink finishing(const Sink& sink) {
    return [this, &sink](EncodedFrame encoded) {
      encoded.packet->dts = stamps_.next();
      copies_.add(CopyKind::bitstream, static_cast<std::size_t>(encoded.packet->size));
      sink(std::move(encoded));
    };
  }

  AVPixelFormat surface_format_;
  Size size_;
  PixelFormat format_;
  CopyCounter& copies_;
  std::shared_ptr<cuda::Stream> stream_;  // NVENC's stream
  UniqueAVBuffer hardware_;
  UniqueAVBuffer surfaces_;
  FFmpegEncoder encoder_;
  DecodingStamps stamps_;
  cuda::Stream copying_;
  cuda::Event copied_;
  Frame source_;  // the last frame, which is kept until it has been copied
};

}  // namespace

std::unique_ptr<Encoder> make_nvenc_encoder(const EncoderSetup& setup, const Frame& first,
                                            Device device, Notices& notices, CopyCounter& copies) {
  return std::make_unique<NvencEncoder>(setup, first, device, notices, copies);
}

}  // namespace facepipe::video
