#include "video/write/picture_data.h"

extern "C" {
#include <libavutil/dovi_meta.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/stereo3d.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "video/ffmpeg_compat.h"
#include "video/write/encoder.h"
#include "video/write/ffmpeg_encoder.h"

namespace facepipe::video {
namespace {

/// Holds the two types of the same data, in a stream and in its pictures. Both have the same
/// layout.
struct Kind {
  AVPacketSideDataType of_stream;
  AVFrameSideDataType of_picture;
};
constexpr std::array kKinds{
    Kind{AV_PKT_DATA_DISPLAYMATRIX, AV_FRAME_DATA_DISPLAYMATRIX},
    Kind{AV_PKT_DATA_STEREO3D, AV_FRAME_DATA_STEREO3D},
    Kind{AV_PKT_DATA_SPHERICAL, AV_FRAME_DATA_SPHERICAL},
    Kind{AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA},
    Kind{AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL}};

const AVPacketSideData* find(std::span<const AVPacketSideData> data, AVPacketSideDataType type) {
  const auto found = std::ranges::find(data, type, &AVPacketSideData::type);
  return found == data.end() ? nullptr : &*found;
}

const StreamData* find(const std::vector<StreamData>& data, AVPacketSideDataType type) {
  const auto found = std::ranges::find(data, type, &StreamData::type);
  return found == data.end() ? nullptr : &*found;
}

template <typename T>
const T* as(const StreamData* data) {
  const bool whole = data != nullptr && data->bytes.size() >= sizeof(T);
  return whole ? reinterpret_cast<const T*>(data->bytes.data()) : nullptr;
}

const char* name_of(AVFrameSideDataType type) {
  switch (type) {
    case AV_FRAME_DATA_A53_CC:
      return "closed captions";
    case AV_FRAME_DATA_STEREO3D:
      return "how two views lie in the pictures (stereo 3D)";
    case AV_FRAME_DATA_SPHERICAL:
      return "how the pictures lie on a sphere (360 degrees)";
    case AV_FRAME_DATA_MASTERING_DISPLAY_METADATA:
      return "HDR10's mastering display";
    case AV_FRAME_DATA_CONTENT_LIGHT_LEVEL:
      return "HDR10's light levels";
    case AV_FRAME_DATA_DYNAMIC_HDR_PLUS:
      return "HDR10+ data";
    case AV_FRAME_DATA_DYNAMIC_HDR_VIVID:
      return "HDR Vivid data";
    default:
      return nullptr;
  }
}

/// Returns whether data about stereo pictures say that there is only one view.
bool is_one_view(const std::uint8_t* stereo, std::size_t size) {
  return size < sizeof(AVStereo3D) ||
         reinterpret_cast<const AVStereo3D*>(stereo)->type == AV_STEREO3D_2D;
}

bool says_nothing(const StreamData& data) {
  return data.type == AV_PKT_DATA_STEREO3D && is_one_view(data.bytes.data(), data.bytes.size());
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_hdr10(AVPacketSideDataType type) {
  return type == AV_PKT_DATA_MASTERING_DISPLAY_METADATA || type == AV_PKT_DATA_CONTENT_LIGHT_LEVEL;
}

/// Returns whether the format can store such data. FFmpeg's muxers write them only in the formats
/// below. Rotation has its own rules (compat::muxer_writes_rotation()).
bool format_holds(const AVOutputFormat& format, AVPacketSideDataType type) {
  if (is_one_of(format.name, {"mp4", "matroska", "webm"})) return true;
  return is_hdr10(type) && std::string_view(format.name) == "mov";
}

/// Names the option of an encoder that takes HDR10 data, and the names of the data in its value.
struct Hdr10Option {
  std::string_view codec;
  const char* option;
  std::string_view display;
  std::string_view light;
};
constexpr std::array kHdr10Options{
    Hdr10Option{"libx265", "x265-params", "master-display", "max-cll"},
    Hdr10Option{"libx264", "x264-params", "mastering-display", "cll"},
    Hdr10Option{"libsvtav1", "svtav1-params", "mastering-display", "content-light"}};

const Hdr10Option* hdr10_option(const AVCodec& codec) {
  const auto* const found = std::ranges::find(kHdr10Options, codec.name, &Hdr10Option::codec);
  const bool has = found != kHdr10Options.end() && has_own_option(codec, found->option);
  return has ? found : nullptr;
}

std::string display_in(const AVMasteringDisplayMetadata& display, bool fractions) {
  const auto in = [&](AVRational value, double unit) {
    const double number = value.den != 0 ? av_q2d(value) : 0;
    return fractions ? std::to_string(number) : std::to_string(std::llround(number * unit));
  };
  const auto pair = [&](const AVRational(&xy)[2]) {
    return "(" + in(xy[0], 50000) + "," + in(xy[1], 50000) + ")";
  };
  return "G" + pair(display.display_primaries[1]) + "B" + pair(display.display_primaries[2]) + "R" +
         pair(display.display_primaries[0]) + "WP" + pair(display.white_point) + "L(" +
         in(display.max_luminance, 10000) + "," + in(display.min_luminance, 10000) + ")";
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + ":" + b;
}

/// Returns the user's value of an option; the last value counts.
std::string of_name(const std::vector<std::pair<std::string, std::string>>& options,
                    std::string_view name) {
  std::string value;
  for (const auto& option : options)
    if (option.first == name) value = option.second;
  return value;
}

bool writes_captions(const EncoderSetup& setup) {
  constexpr const char* kOption = "a53cc";
  return has_own_option(*setup.plan.codec, kOption) &&
         !is_one_of(of_name(setup.options.options, kOption), {"0", "false"});
}

/// @param in_pictures  true if each picture has the data too
bool encoder_writes(const EncoderSetup& setup, AVPacketSideDataType type, bool in_pictures) {
  const AVCodec& codec = *setup.plan.codec;
  if (type == AV_PKT_DATA_STEREO3D) return in_pictures && std::string_view(codec.name) == "libx264";
  return is_hdr10(type) && hdr10_option(codec) != nullptr;
}

bool is_kept(const EncoderSetup& setup, const AVOutputFormat& format, const AVFrame& first,
             const Kind& kind) {
  const bool in_pictures = av_frame_get_side_data(&first, kind.of_picture) != nullptr;
  return kind.of_stream == AV_PKT_DATA_DISPLAYMATRIX || format_holds(format, kind.of_stream) ||
         encoder_writes(setup, kind.of_stream, in_pictures);
}

// ---- Dolby Vision ----

/// Returns whether only Dolby Vision's data define the colours of the pictures (IPTPQc2). The
/// stream says this, or, if it has no such data, a picture does.
bool needs_dolby_vision(const AVPacketSideData* of_stream, const AVFrameSideData* of_picture) {
  if (of_stream != nullptr && of_stream->size >= sizeof(AVDOVIDecoderConfigurationRecord)) {
    const auto& record =
        *reinterpret_cast<const AVDOVIDecoderConfigurationRecord*>(of_stream->data);
    return record.dv_profile == 5 || record.dv_bl_signal_compatibility_id == 0;
  }
  if (of_picture == nullptr || of_picture->size < sizeof(AVDOVIMetadata)) return false;
  const auto* const data = reinterpret_cast<const AVDOVIMetadata*>(of_picture->data);
  const AVDOVIRpuDataHeader& header = *av_dovi_get_header(data);
  return header.vdr_rpu_profile == 0 && header.bl_video_full_range_flag != 0;
}

std::string lost_dolby_vision(const AVStream& video, const AVFrame& first) {
  const AVPacketSideData* const of_stream =
      find(compat::stream_side_data(video), AV_PKT_DATA_DOVI_CONF);
  const AVFrameSideData* const parsed = av_frame_get_side_data(&first, AV_FRAME_DATA_DOVI_METADATA);
  const AVFrameSideData* const raw = av_frame_get_side_data(&first, AV_FRAME_DATA_DOVI_RPU_BUFFER);
  if (of_stream == nullptr && parsed == nullptr && raw == nullptr) return {};
  if (needs_dolby_vision(of_stream, parsed))
    return "WRONG COLOURS: the pictures need Dolby Vision (profile 5), and the data that describe "
           "their colours are lost: players will show them green and purple; convert the video to "
           "HDR10 or SDR first";
  return "Dolby Vision data lost, because facepipe doesn't write them; the pictures keep the "
         "colours that players without Dolby Vision show";
}

}  // namespace

const char* name_of_picture_data(const AVFrameSideData& data) {
  const bool one_view = data.type == AV_FRAME_DATA_STEREO3D && is_one_view(data.data, data.size);
  return one_view ? nullptr : name_of(data.type);
}

std::vector<StreamData> stream_data_of(const AVStream& video, const AVFrame& first) {
  std::vector<StreamData> all;
  for (const Kind& kind : kKinds) {
    StreamData data{kind.of_stream, {}};
    if (const AVPacketSideData* const own = find(compat::stream_side_data(video), kind.of_stream))
      data.bytes.assign(own->data, own->data + own->size);
    else if (const AVFrameSideData* const its = av_frame_get_side_data(&first, kind.of_picture))
      data.bytes.assign(its->data, its->data + its->size);
    if (!data.bytes.empty() && !says_nothing(data)) all.push_back(std::move(data));
  }
  return all;
}

std::vector<std::string> lost_stream_data(const AVStream& video, const AVFrame& first,
                                          const EncoderSetup& setup, const AVOutputFormat& format) {
  std::vector<std::string> lost;
  if (std::string sentence = lost_dolby_vision(video, first); !sentence.empty())
    lost.push_back(std::move(sentence));
  for (const Kind& kind : kKinds)
    if (find(setup.stream_data, kind.of_stream) != nullptr && !is_kept(setup, format, first, kind))
      lost.push_back(std::string(name_of(kind.of_picture)) + " lost: neither " + format.name +
                     " nor " + setup.plan.codec->name + " can hold it");
  return lost;
}

std::set<AVFrameSideDataType> kept_picture_data(const EncoderSetup& setup) {
  std::set<AVFrameSideDataType> kept;
  for (const Kind& kind : kKinds) {
    // If data come only after the first picture, the stream's data don't include them.
    const bool known = find(setup.stream_data, kind.of_stream) != nullptr;
    const bool in_each_picture =
        kind.of_stream == AV_PKT_DATA_STEREO3D && encoder_writes(setup, kind.of_stream, true);
    if (kind.of_stream == AV_PKT_DATA_DISPLAYMATRIX || known || in_each_picture)
      kept.insert(kind.of_picture);
  }
  if (writes_captions(setup)) kept.insert(AV_FRAME_DATA_A53_CC);
  return kept;
}

std::vector<std::pair<std::string, std::string>> hdr10_options(
    const AVCodec& codec, const std::vector<StreamData>& data,
    const std::vector<std::pair<std::string, std::string>>& of_user) {
  const Hdr10Option* const option = hdr10_option(codec);
  if (option == nullptr) return {};
  const std::string given = of_name(of_user, option->option);
  std::string value = given;
  const auto* const display =
      as<AVMasteringDisplayMetadata>(find(data, AV_PKT_DATA_MASTERING_DISPLAY_METADATA));
  const auto* const light = as<AVContentLightMetadata>(find(data, AV_PKT_DATA_CONTENT_LIGHT_LEVEL));
  const bool whole = display != nullptr && display->has_primaries && display->has_luminance;
  const bool fractions = option->codec == "libsvtav1";
  if (whole && given.find(option->display) == std::string::npos)
    value = joined(value, std::string(option->display) + "=" + display_in(*display, fractions));
  if (light != nullptr && given.find(option->light) == std::string::npos)
    value = joined(value, std::string(option->light) + "=" + std::to_string(light->MaxCLL) + "," +
                              std::to_string(light->MaxFALL));
  if (value == given) return {};
  return {{option->option, value}};
}

}  // namespace facepipe::video
