extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <string_view>
#include <vector>

#include "video/ffmpeg_compat.h"
#include "video/frames/pictures.h"
#include "video/frames/working_format.h"
#include "video/write/container.h"
#include "video/write/encoder.h"
#include "video/write/ffmpeg_encoder.h"

namespace facepipe::video {
namespace {

constexpr const char* kDefaultEncoder = "libx264";

std::vector<AVPixelFormat> coloured_formats(const AVCodec& codec) {
  std::vector<AVPixelFormat> result;
  for (const AVPixelFormat format : compat::pixel_formats(codec)) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    const bool palette = (description->flags & AV_PIX_FMT_FLAG_PAL) != 0;
    // JPEG has full range. FFmpeg opens its encoder for limited range only if the user asks for
    // less strict rules.
    const bool narrow_jpeg = codec.id == AV_CODEC_ID_MJPEG && !is_full_range_yuv(format);
    if (description->nb_components >= 3 && !palette && !narrow_jpeg) result.push_back(format);
  }
  return result;
}

std::vector<AVPixelFormat> grey_formats(const AVCodec& codec) {
  std::vector<AVPixelFormat> result;
  for (const AVPixelFormat format : compat::pixel_formats(codec))
    if (is_grey(format)) result.push_back(format);
  return result;
}

/// Returns the format that the encoder gets. It has colours if the encoder takes any such format.
AVPixelFormat encoded_format(const AVCodec& codec, std::span<const AVPixelFormat> coloured_ones,
                             AVPixelFormat source, Notices& notices) {
  const auto taken = [source](std::span<const AVPixelFormat> formats) {
    return std::find(formats.begin(), formats.end(), source) != formats.end();
  };
  if (!coloured_ones.empty())
    return taken(coloured_ones) ? coloured(source) : closest(coloured_ones, coloured(source));
  const std::vector<AVPixelFormat> greys = grey_formats(codec);
  if (greys.empty()) return coloured(source);
  notices.add(std::string("written without colours, because ") + codec.name + " has none");
  return taken(greys) ? source : closest(greys, source);
}

bool fits_subsampling(AVPixelFormat format, Size size) {
  const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
  return size.width % (1 << d.log2_chroma_w) == 0 && size.height % (1 << d.log2_chroma_h) == 0;
}

// Encoders don't publish which sizes they take. Only opening an encoder shows whether it takes a
// size.
bool opens(const AVCodec& codec, AVPixelFormat format, Size size) {
  const UniqueCodecContext context = new_codec_context(&codec);
  context->width = size.width;
  context->height = size.height;
  context->pix_fmt = format;
  context->time_base = {1, 25};
  context->thread_count = 1;
  return open_with_options(*context, {}) >= 0;
}

AVPixelFormat without_subsampling(std::span<const AVPixelFormat> formats, AVPixelFormat format) {
  std::vector<AVPixelFormat> full;
  for (const AVPixelFormat candidate : formats) {
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(candidate);
    if (d.log2_chroma_w == 0 && d.log2_chroma_h == 0 && (d.flags & AV_PIX_FMT_FLAG_RGB) == 0)
      full.push_back(candidate);
  }
  return closest(full, format);
}

AVPixelFormat fit_to_size(const AVCodec& codec, std::span<const AVPixelFormat> formats,
                          AVPixelFormat format, Size size, const std::string& output,
                          Notices& notices) {
  if (fits_subsampling(format, size) || opens(codec, format, size)) return format;
  const AVPixelFormat full = without_subsampling(formats, format);
  if (full == AV_PIX_FMT_NONE || !opens(codec, full, size))
    throw Error(ErrorKind::output, output + ": " + codec.name + " can't encode " + to_string(size) +
                                       " in " + av_get_pix_fmt_name(format) +
                                       "; try --codec libx264 or libvpx-vp9");
  notices.add(std::string("encoded as ") + av_get_pix_fmt_name(full) + " because " + codec.name +
              " can't encode " + to_string(size) + " in " + av_get_pix_fmt_name(format));
  return full;
}

/// Returns the encoder for single pictures. For WebP it isn't FFmpeg's first encoder, because the
/// first encoder makes one animation of all pictures.
const AVCodec* picture_encoder(AVCodecID id) {
  const AVCodec* const still =
      id == AV_CODEC_ID_WEBP ? avcodec_find_encoder_by_name("libwebp") : nullptr;
  return still != nullptr ? still : avcodec_find_encoder(id);
}

/// Returns the extension of a container that can store the codec.
std::string extension_for_codec(AVCodecID codec) {
  for (const char* const extension : {".mkv", ".mp4", ".mov", ".avi"})
    if (can_hold(muxer_for(std::string("x") + extension), codec, AVMEDIA_TYPE_VIDEO))
      return extension;
  return ".nut";  // NUT can store everything
}

/// Returns whether two formats differ only in the memory layout of their samples.
bool same_samples(AVPixelFormat a, AVPixelFormat b) {
  const AVPixFmtDescriptor& first = *av_pix_fmt_desc_get(a);
  const AVPixFmtDescriptor& second = *av_pix_fmt_desc_get(b);
  constexpr std::uint64_t kKind = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_ALPHA;
  return first.comp[0].depth == second.comp[0].depth &&
         first.nb_components == second.nb_components &&
         first.log2_chroma_w == second.log2_chroma_w &&
         first.log2_chroma_h == second.log2_chroma_h &&
         (first.flags & kKind) == (second.flags & kKind) &&
         is_full_range_yuv(a) == is_full_range_yuv(b);
}

/// Returns an encoder by FFmpeg's name of the encoder or of its family; nullptr if there is none.
const AVCodec* named_encoder(const std::string& name) {
  const AVCodec* const codec = avcodec_find_encoder_by_name(name.c_str());
  const AVCodecDescriptor* const family = avcodec_descriptor_get_by_name(name.c_str());
  return codec == nullptr && family != nullptr ? avcodec_find_encoder(family->id) : codec;
}

}  // namespace

bool is_nvenc(const AVCodec& codec) {
  return codec.wrapper_name != nullptr && std::string_view(codec.wrapper_name) == "nvenc";
}

bool leaves_encoder_open(const EncoderOptions& options) {
  return options.codec.empty() || avcodec_find_encoder_by_name(options.codec.c_str()) == nullptr;
}

bool encodes_one_by_one(const AVCodec& codec, const EncoderOptions& options) {
  // Motion JPEG has a fixed quality here. FFmpeg's options can set a bit rate, or threads that hold
  // pictures back. The option "quality" belongs to nvJPEG, and does neither.
  const bool may_change_that = std::ranges::any_of(
      options.options, [](const auto& option) { return option.first != "quality"; });
  return codec.id == AV_CODEC_ID_MJPEG && !may_change_that;
}

bool asks_for_one_by_one(const EncoderOptions& options) {
  const AVCodec* const codec = named_encoder(options.codec);
  return codec != nullptr && encodes_one_by_one(*codec, options);
}

bool narrows_to_8_bits(const AVCodec& codec) {
  return codec.id == AV_CODEC_ID_MJPEG || (is_nvenc(codec) && codec.id == AV_CODEC_ID_H264);
}

const AVCodec& choose_codec(const EncoderOptions& options, const AVOutputFormat& format,
                            const std::string& output, Notices& notices) {
  const AVCodec* codec = nullptr;
  const AVCodecID usual =
      av_guess_codec(&format, nullptr, output.c_str(), nullptr, AVMEDIA_TYPE_VIDEO);
  if (!options.codec.empty()) {
    codec = named_encoder(options.codec);
    if (codec == nullptr || codec->type != AVMEDIA_TYPE_VIDEO)
      throw Error(ErrorKind::usage, "--codec " + options.codec + ": FFmpeg has no such encoder");
  } else if (is_image_format(format)) {
    codec = picture_encoder(usual);
  } else if (is_avif(format)) {
    codec = avcodec_find_encoder(usual);
  } else if (can_hold(format, AV_CODEC_ID_H264, AVMEDIA_TYPE_VIDEO)) {
    codec = avcodec_find_encoder_by_name(kDefaultEncoder);
    if (codec == nullptr) codec = avcodec_find_encoder(AV_CODEC_ID_H264);
  } else {
    codec = avcodec_find_encoder(usual);
    if (codec != nullptr)
      notices.add(std::string("encoded by ") + codec->name + " because " + format.name +
                  " can't hold H.264");
  }
  if (codec == nullptr)
    throw Error(ErrorKind::output, output + ": FFmpeg has no encoder for " + format.name);
  if (is_image_format(format) && codec->id != usual)
    throw Error(ErrorKind::output, output + ": holds " + avcodec_get_name(usual) + ", not " +
                                       avcodec_get_name(codec->id) +
                                       "; leave --codec out, or try the extension " +
                                       extension_for_codec(codec->id));
  if (!is_image_format(format) && !can_hold(format, codec->id, AVMEDIA_TYPE_VIDEO))
    throw Error(ErrorKind::output, output + ": " + format.name + " can't hold " +
                                       avcodec_get_name(codec->id) + "; try the extension " +
                                       extension_for_codec(codec->id));
  return *codec;
}

EncoderPlan plan_encoder(const AVCodec& codec, AVPixelFormat source, Size encoded_size,
                         const std::string& output, Notices& notices) {
  const std::vector<AVPixelFormat> formats = coloured_formats(codec);
  AVPixelFormat encoded = encoded_format(codec, formats, source, notices);
  if (encoded == AV_PIX_FMT_NONE)
    throw Error(ErrorKind::output, output + ": " + codec.name + " can't read pictures from memory");
  encoded = fit_to_size(codec, formats, encoded, encoded_size, output, notices);
  const AVPixelFormat working = working_format(encoded);
  if (working == AV_PIX_FMT_NONE)
    throw Error(ErrorKind::output, output + ": pictures in " + av_get_pix_fmt_name(source) +
                                       " can't be converted for " + codec.name);
  if (encoded != source && !same_samples(encoded, source))
    notices.add(std::string("pictures converted from ") + av_get_pix_fmt_name(source) + " to " +
                av_get_pix_fmt_name(encoded));
  return {&codec, working, encoded};
}

}  // namespace facepipe::video
