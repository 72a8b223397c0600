#include "video/write/encoder.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <optional>
#include <string_view>
#include <utility>

#include "video/frames/frame_filter.h"
#include "video/frames/pictures.h"
#include "video/write/ffmpeg_encoder.h"

namespace facepipe::video {
namespace {

/// Adds libaom's options for a still image that the user hasn't set. libaom's own defaults are for
/// videos: with them, the picture of a phone takes half a minute.
void add_options_of_still_image(CodecOptions& all) {
  constexpr std::pair<const char*, const char*> kOptions[] = {
      {"still-picture", "1"}, {"cpu-used", "6"}, {"crf", "18"}};
  for (const auto& [name, value] : kOptions)
    if (!names_any(all, {name})) all.emplace_back(name, value);
}

/// Turns off libvpx's alternate reference pictures, which are never shown. With them, libvpx's VP8
/// has no transparency.
void add_options_of_transparency(CodecOptions& all) {
  if (!names_any(all, {"auto-alt-ref"})) all.emplace_back("auto-alt-ref", "0");
}

CodecOptions options_of(const EncoderSetup& setup) {
  const EncoderOptions& options = setup.options;
  CodecOptions all = options.options;
  if (!options.preset.empty()) all.emplace_back("preset", options.preset);
  if (options.crf) all.emplace_back("crf", std::to_string(*options.crf));
  const std::string_view encoder = setup.plan.codec->name;
  if (setup.one_picture && encoder == "libaom-av1") add_options_of_still_image(all);
  if (has_alpha(setup.plan.encoded) && encoder == "libvpx") add_options_of_transparency(all);
  return all;
}

// Sets a fixed quality, because some of FFmpeg's encoders default to 200 kbit/s, which is too low.
void set_default_quality(AVCodecContext& context) {
  if (context.bit_rate == 0 || has_own_option(*context.codec, "crf")) return;
  constexpr int kGoodQuantizer = 2;
  context.flags |= AV_CODEC_FLAG_QSCALE;
  context.global_quality = kGoodQuantizer * FF_QP2LAMBDA;
}

/// Returns the filter chain that converts a picture to `format`. Without "out_range", FFmpeg would
/// convert full range to limited range, but the encoder was opened for the picture's own range.
std::string conversion_of(const AVFrame& picture, AVPixelFormat format) {
  const bool yuv = (av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_RGB) == 0;
  const bool full = picture.color_range == AVCOL_RANGE_JPEG;
  return std::string(full && yuv ? "scale=out_range=pc," : "") +
         "format=" + av_get_pix_fmt_name(format);
}

class CpuEncoder final : public Encoder {
 public:
  CpuEncoder(const EncoderSetup& setup, const Frame& first, Notices& notices)
      : encoded_(setup.plan.encoded),
        encoder_(
            setup, first, options_of(setup),
            [&](AVCodecContext& context) {
              if (!names_any(setup.options.options, {"b", "q", "global_quality"}))
                set_default_quality(context);
            },
            notices) {}

  void encode(Frame frame, FrameRecord record, const Sink& sink) override {
    record.times[StageId::encode].begin = Clock::now();
    const UniqueAVFrame picture = prepare(frame, std::move(record));
    frame = Frame();  // a converted picture doesn't need the frame any more
    encoder_.send(*picture, sink);
  }

  void flush(const Sink& sink) override { encoder_.flush(sink); }
  [[nodiscard]] AVRational time_base() const override { return encoder_.context().time_base; }
  [[nodiscard]] UniqueCodecParameters parameters() const override { return encoder_.parameters(); }
  [[nodiscard]] std::string name() const override { return encoder_.name(); }

 private:
  UniqueAVFrame picture_of(const Frame& frame) {
    UniqueAVFrame picture(allocated(av_frame_clone(&unwrap(frame))));
    if (picture->format == encoded_) return picture;
    if (!converter_ || converter_->from() != kind_of(*picture))
      converter_.emplace(kind_of(*picture), conversion_of(*picture, encoded_));
    return converter_->apply(std::move(picture));
  }

  UniqueAVFrame prepare(const Frame& frame, FrameRecord record) {
    UniqueAVFrame picture;
    {
      const ScopedCpuTime cpu(record.times, StageId::encode);
      picture = picture_of(frame);
    }
    encoder_.announce(frame, *picture, std::move(record));
    return picture;
  }

  AVPixelFormat encoded_;
  FFmpegEncoder encoder_;
  // Has a value if the encoder needs a format that the stages can't work on.
  std::optional<FrameFilter> converter_;
};

}  // namespace

std::unique_ptr<Encoder> make_cpu_encoder(const EncoderSetup& setup, const Frame& first,
                                          Notices& notices) {
  return std::make_unique<CpuEncoder>(setup, first, notices);
}

}  // namespace facepipe::video
