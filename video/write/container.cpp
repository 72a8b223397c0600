#include "video/write/container.h"

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/mem.h>
}

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>

namespace facepipe::video {
namespace {

/// @param names  separated by commas
bool named(const AVOutputFormat& format, const char* names) {
  return av_match_name(format.name, names) != 0;
}

// Lets the muxer check the stream. Its output goes to memory and is thrown away.
bool muxer_accepts(const AVOutputFormat& format, const AVCodecParameters& parameters) {
  AVFormatContext* raw = nullptr;
  if (avformat_alloc_output_context2(&raw, &format, nullptr, nullptr) < 0) throw std::bad_alloc();
  const UniqueOutputContext context(raw);
  AVStream* stream = allocated(avformat_new_stream(context.get(), nullptr));
  avcodec_parameters_copy(stream->codecpar, &parameters);
  stream->codecpar->codec_tag = 0;
  stream->time_base = {1, 1000};
  if ((format.flags & AVFMT_NOFILE) != 0) return avformat_init_output(context.get(), nullptr) >= 0;
  if (avio_open_dyn_buf(&context->pb) < 0) throw std::bad_alloc();
  const bool accepted = avformat_write_header(context.get(), nullptr) >= 0;
  std::uint8_t* written = nullptr;
  avio_close_dyn_buf(context->pb, &written);
  context->pb = nullptr;
  av_free(written);
  return accepted;
}

bool is_one_of(AVCodecID codec, std::span<const AVCodecID> codecs) {
  return std::find(codecs.begin(), codecs.end(), codec) != codecs.end();
}

// Returns whether MPEG-TS has an identifier for the codec. MPEG-TS stores any other stream as
// private data, which no player reads.
bool mpegts_names(AVCodecID codec, AVMediaType type) {
  constexpr std::array kVideo{AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,
                              AV_CODEC_ID_H264,       AV_CODEC_ID_HEVC,       AV_CODEC_ID_VVC,
                              AV_CODEC_ID_CAVS,       AV_CODEC_ID_DIRAC,      AV_CODEC_ID_VC1};
  constexpr std::array kOther{AV_CODEC_ID_DVB_SUBTITLE, AV_CODEC_ID_DVB_TELETEXT,
                              AV_CODEC_ID_SMPTE_KLV, AV_CODEC_ID_TIMED_ID3};
  if (type == AVMEDIA_TYPE_VIDEO) return is_one_of(codec, kVideo);
  return type == AVMEDIA_TYPE_AUDIO || is_one_of(codec, kOther);
}

// Returns whether the file contains only packets without a header ("x.h264", "x.m2v"). Then the
// file's name must say which codec they have.
bool is_raw_video(const AVOutputFormat& format) {
  return (format.flags & AVFMT_NOTIMESTAMPS) != 0 && !is_image_format(format) &&
         format.audio_codec == AV_CODEC_ID_NONE && format.video_codec != AV_CODEC_ID_NONE;
}

// Answers can_hold() for muxers that also accept video that no reader can read. Returns nullopt for
// all other muxers.
std::optional<bool> holds_readable_video(const AVOutputFormat& format, AVCodecID codec) {
  constexpr std::array kRealMedia{AV_CODEC_ID_RV10, AV_CODEC_ID_RV20};
  // A program stream doesn't name its video codec, so readers recognise the video by its content.
  constexpr std::array kProgramStream{AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
                                      AV_CODEC_ID_MPEG4, AV_CODEC_ID_H264, AV_CODEC_ID_HEVC};
  // WTV stores its covers as JPEG, and treats each JPEG picture as a cover.
  if (std::string_view(format.name) == "wtv" && codec == AV_CODEC_ID_MJPEG) return false;
  if (is_raw_video(format) || named(format, "fits")) return codec == format.video_codec;
  if (is_program_stream(format)) return is_one_of(codec, kProgramStream);
  if (std::string_view(format.name) == "rm") return is_one_of(codec, kRealMedia);
  return std::nullopt;
}

// Returns the muxer for the input's extension, if the demuxer that opened the file has the same
// name. Otherwise returns the first muxer that has one of the demuxer's names; nullptr if there is
// none.
const AVOutputFormat* muxer_of_input(const std::string& input, std::string_view demuxer_names) {
  const AVOutputFormat* by_name = av_guess_format(nullptr, input.c_str(), nullptr);
  if (by_name != nullptr && is_mov_family(*by_name) && demuxer_names.starts_with("mov,"))
    return by_name;
  const AVOutputFormat* first = nullptr;
  for (const auto range : std::views::split(demuxer_names, ',')) {
    const std::string name(range.begin(), range.end());
    const AVOutputFormat* muxer = av_guess_format(name.c_str(), nullptr, nullptr);
    if (muxer == nullptr) continue;
    if (muxer == by_name) return muxer;
    if (first == nullptr) first = muxer;
  }
  return first;
}

std::string lower_extension(const std::string& input) {
  std::string extension = std::filesystem::path(input).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string still_image_extension(const std::string& input) {
  const AVOutputFormat* image = av_guess_format("image2", nullptr, nullptr);
  const std::string extension = lower_extension(input);
  const AVCodecID codec =
      av_guess_codec(image, nullptr, ("x" + extension).c_str(), nullptr, AVMEDIA_TYPE_VIDEO);
  const AVOutputFormat* const muxer = av_guess_format(nullptr, ("x" + extension).c_str(), nullptr);
  const bool avif =
      muxer != nullptr && is_avif(*muxer) && avcodec_find_encoder(muxer->video_codec) != nullptr;
  const bool writable = muxer == image && avcodec_find_encoder(codec) != nullptr;
  return avif || writable ? extension : ".png";
}

}  // namespace

bool is_mov_family(const AVOutputFormat& format) {
  return named(format, "mp4,mov,ipod,3gp,3g2,psp");
}

bool is_matroska_family(const AVOutputFormat& format) { return named(format, "matroska,webm"); }

bool is_image_format(const AVOutputFormat& format) { return named(format, "image2"); }

bool is_avif(const AVOutputFormat& format) { return named(format, "avif"); }

bool writes_packets_whole(const AVOutputFormat& format) {
  return is_mov_family(format) || is_matroska_family(format) || named(format, "avi");
}

bool needs_no_seeking(const AVOutputFormat& format) {
  if (is_image_format(format) || (format.flags & AVFMT_NOTIMESTAMPS) != 0) return true;
  return named(format, "matroska,webm,mpegts,nut,flv,mpeg,ogg");
}

bool has_fixed_frame_rate(const AVOutputFormat& format) {
  // The flag AVFMT_VARIABLE_FPS can't be used, because FFmpeg 5.1 doesn't set it for MP4, which
  // stores every stamp.
  return named(format,
               "avi,dv,mxf,mxf_d10,mxf_opatom,gxf,swf,yuv4mpegpipe,amv,filmstrip,roq,vc1test");
}

bool holds_negative_stamps(const AVOutputFormat& format) {
  return (format.flags & (AVFMT_TS_NEGATIVE | AVFMT_NOTIMESTAMPS)) != 0 ||
         is_matroska_family(format) || has_fixed_frame_rate(format);
}

bool keeps_no_times(const AVOutputFormat& format, AVMediaType type) {
  if (type != AVMEDIA_TYPE_VIDEO && type != AVMEDIA_TYPE_AUDIO) return false;
  if (is_image_format(format) || (type == AVMEDIA_TYPE_VIDEO && named(format, "avi"))) return false;
  return has_fixed_frame_rate(format) || (format.flags & AVFMT_NOTIMESTAMPS) != 0;
}

bool stores_decoding_order_alone(const AVOutputFormat& format) {
  return named(format, "avi,asf,asf_stream,gxf,swf,rm,ivf,amv,vc1test");
}

bool is_program_stream(const AVOutputFormat& format) {
  return named(format, "mpeg,vcd,svcd,dvd,vob");
}

bool can_hold(const AVOutputFormat& format, const AVCodecParameters& stream) {
  if (std::string_view(format.name) == "mpegts")
    return mpegts_names(stream.codec_id, stream.codec_type);
  if (stream.codec_type == AVMEDIA_TYPE_VIDEO)
    if (const auto answer = holds_readable_video(format, stream.codec_id)) return *answer;
  const int answer = avformat_query_codec(&format, stream.codec_id, FF_COMPLIANCE_NORMAL);
  // FFmpeg's answer doesn't include sound codecs that Matroska identifies by their number in AVI.
  const bool maybe_by_number = answer == 0 && stream.codec_type == AVMEDIA_TYPE_AUDIO &&
                               std::string_view(format.name) == "matroska";
  if (maybe_by_number) return muxer_accepts(format, stream);
  if (answer >= 0) return answer == 1;
  return muxer_accepts(format, stream);
}

bool can_hold(const AVOutputFormat& format, AVCodecID codec, AVMediaType type) {
  const UniqueCodecParameters parameters = new_codec_parameters();
  parameters->codec_id = codec;
  parameters->codec_type = type;
  parameters->width = 64;
  parameters->height = 64;
  parameters->sample_rate = 48000;
  return can_hold(format, *parameters);
}

std::string extension_for(const AVOutputFormat& format, const std::string& input) {
  std::string own = lower_extension(input);
  if (av_guess_format(nullptr, ("x" + own).c_str(), nullptr) == &format) return own;
  const std::string_view list = format.extensions != nullptr ? format.extensions : "";
  return list.empty() ? std::string() : "." + std::string(list.substr(0, list.find(',')));
}

const AVOutputFormat& muxer_for(const std::filesystem::path& path, const std::string& name) {
  const AVOutputFormat* format = name.empty() ? av_guess_format(nullptr, path.c_str(), nullptr)
                                              : av_guess_format(name.c_str(), nullptr, nullptr);
  if (format == nullptr && !name.empty())
    throw Error(ErrorKind::usage, "--format " + name + ": FFmpeg writes no such container format");
  if (format == nullptr)
    throw Error(ErrorKind::output,
                path.string() + ": no container format has this extension; try .mkv or .mp4");
  // The WebP muxer makes animations, which FFmpeg can't read. The muxer for images makes single
  // pictures.
  if (std::string_view(format->name) == "webp") return *av_guess_format("image2", nullptr, nullptr);
  if (std::string_view(format->name) == "film_cpk")
    throw Error(ErrorKind::output, path.string() + ": " + format->name +
                                       " needs an output that can be read again while it is "
                                       "written; try .mkv or .mp4");
  if ((format->flags & AVFMT_NOFILE) != 0 && !is_image_format(*format))
    throw Error(ErrorKind::output, path.string() + ": " + format->name +
                                       " doesn't write exactly one file; try .mkv or .mp4");
  return *format;
}

std::string output_extension(const Demuxer& input, const std::string& encoder) {
  if (input.is_still_image()) return still_image_extension(input.url());
  if (input.lacks_time_stamps()) return kMatroskaExtension;
  const AVOutputFormat* muxer = muxer_of_input(input.url(), input.format().iformat->name);
  const AVCodec* codec = encoder.empty() ? nullptr : avcodec_find_encoder_by_name(encoder.c_str());
  const AVCodecID wanted = codec != nullptr ? codec->id : AV_CODEC_ID_H264;
  const bool holds = muxer != nullptr && (muxer->flags & AVFMT_NOTIMESTAMPS) == 0 &&
                     can_hold(*muxer, wanted, AVMEDIA_TYPE_VIDEO);
  return holds ? extension_for(*muxer, input.url()) : kMatroskaExtension;
}

}  // namespace facepipe::video
