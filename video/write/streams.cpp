#include "video/write/streams.h"

#include <algorithm>

#include "video/bitstream/codec_headers.h"
#include "video/bitstream/packet_bytes.h"
#include "video/read/stream_kinds.h"
#include "video/write/container.h"

namespace facepipe::video {
namespace {

constexpr std::uint32_t kTimecodeTag = MKTAG('t', 'm', 'c', 'd');
constexpr std::uint32_t kChapterTextTag = MKTAG('t', 'e', 'x', 't');

StreamPlan copied(const AVStream& stream) {
  return {StreamAction::copy, stream.codecpar->codec_id, {}, false};
}

AVCodecID text_subtitles_of(const AVOutputFormat& format) {
  if (is_mov_family(format)) return AV_CODEC_ID_MOV_TEXT;
  if (std::string_view(format.name) == "webm") return AV_CODEC_ID_WEBVTT;
  if (is_matroska_family(format)) return AV_CODEC_ID_SUBRIP;
  return AV_CODEC_ID_NONE;
}

StreamPlan plan_cover(const AVStream& stream, const AVOutputFormat& format) {
  if (is_mov_family(format)) return copied(stream);
  if (std::string_view(format.name) == "matroska")
    return {StreamAction::cover, stream.codecpar->codec_id, {}, false};
  return dropped(stream, std::string(format.name) + " can't hold a cover picture");
}

StreamPlan plan_subtitle(const AVStream& stream, const AVOutputFormat& format) {
  const AVCodecID target = text_subtitles_of(format);
  const bool convertible = is_text_subtitle(stream) && target != AV_CODEC_ID_NONE &&
                           avcodec_find_decoder(stream.codecpar->codec_id) != nullptr &&
                           avcodec_find_encoder(target) != nullptr;
  if (!convertible) return dropped(stream, std::string(format.name) + " can't hold it");
  return {StreamAction::subtitle, target,
          describe(stream) + " converted to " + avcodec_get_name(target), false};
}

StreamPlan plan_data(const AVStream& stream, const AVOutputFormat& format) {
  // A QuickTime text track without a text codec contains the chapters, which are kept.
  if (stream.codecpar->codec_tag == kChapterTextTag) return {};
  if (stream.codecpar->codec_tag != kTimecodeTag)
    return dropped(stream, std::string(format.name) + " can't hold it");
  // The demuxer has put the timecode into the video stream's metadata, and muxers write it from
  // there.
  return {StreamAction::drop, AV_CODEC_ID_NONE, describe(stream) + " kept as the timecode tag",
          false};
}

/// Returns whether a stream possibly shows or describes the originals: pictures, and data whose
/// meaning is unknown. Such data often contain places.
bool may_tell_of_originals(const AVStream& stream) {
  const AVMediaType type = stream.codecpar->codec_type;
  if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) return true;
  if (type == AVMEDIA_TYPE_DATA)
    return stream.codecpar->codec_tag != kTimecodeTag &&
           stream.codecpar->codec_tag != kChapterTextTag;
  if (type != AVMEDIA_TYPE_ATTACHMENT) return type == AVMEDIA_TYPE_UNKNOWN;
  return !is_font(header_of(*stream.codecpar));
}

StreamPlan left_out(const AVStream& stream, const std::string& why) {
  StreamPlan plan = dropped(stream, why);
  plan.lost = false;  // the user asked for it
  return plan;
}

/// Returns whether the video and the stream belong to programs, but to no common program.
bool is_of_another_program(const AVFormatContext& input, int video, int stream) {
  const auto holds = [](const AVProgram& program, int index) {
    const unsigned* const begin = program.stream_index;
    const unsigned* const end = begin + program.nb_stream_indexes;
    return std::find(begin, end, static_cast<unsigned>(index)) != end;
  };
  bool video_has_one = false;
  bool stream_has_one = false;
  for (unsigned i = 0; i < input.nb_programs; ++i) {
    const bool of_video = holds(*input.programs[i], video);
    const bool of_stream = holds(*input.programs[i], stream);
    if (of_video && of_stream) return false;
    video_has_one |= of_video;
    stream_has_one |= of_stream;
  }
  return video_has_one && stream_has_one;
}

StreamPlan plan_stream(const AVStream& stream, const AVOutputFormat& format, Originals originals) {
  const AVMediaType type = stream.codecpar->codec_type;
  if (originals == Originals::leave_out) {
    if (may_tell_of_originals(stream)) return left_out(stream, "it may show what is hidden");
    if (!can_clean_header(*stream.codecpar))
      return left_out(stream, "its header can't be read, and may tell of people and places");
  }
  if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) return plan_cover(stream, format);
  if (type == AVMEDIA_TYPE_VIDEO) return dropped(stream, "only one video stream is worked on");
  if (type == AVMEDIA_TYPE_ATTACHMENT) {
    if (std::string_view(format.name) == "matroska") return copied(stream);
    return dropped(stream, std::string(format.name) + " can't hold attachments");
  }
  if (stream.codecpar->codec_id != AV_CODEC_ID_NONE && can_hold(format, *stream.codecpar))
    return copied(stream);
  if (type == AVMEDIA_TYPE_SUBTITLE) return plan_subtitle(stream, format);
  if (type == AVMEDIA_TYPE_DATA) return plan_data(stream, format);
  return dropped(stream, std::string(format.name) + " can't hold it");
}

}  // namespace

std::string describe(const AVStream& stream) {
  const char* type = av_get_media_type_string(stream.codecpar->codec_type);
  const AVDictionaryEntry* language = av_dict_get(stream.metadata, "language", nullptr, 0);
  return std::string(type != nullptr ? type : "unknown") + " stream " +
         std::to_string(stream.index) + " (" + avcodec_get_name(stream.codecpar->codec_id) +
         (language != nullptr ? std::string(", ") + language->value : "") + ")";
}

StreamPlan dropped(const AVStream& stream, const std::string& why) {
  return {StreamAction::drop, AV_CODEC_ID_NONE, describe(stream) + " dropped: " + why, true};
}

bool keeps(const std::vector<StreamPlan>& plans, std::size_t stream) {
  return stream < plans.size() && plans[stream].action != StreamAction::drop;
}

std::vector<StreamPlan> plan_streams(const Demuxer& demuxer, const AVOutputFormat& format,
                                     Originals originals) {
  std::vector<StreamPlan> plans;
  for (unsigned i = 0; i < demuxer.format().nb_streams; ++i) {
    const AVStream& stream = *demuxer.format().streams[i];
    if (stream.index == demuxer.video_index())
      plans.push_back({StreamAction::video, AV_CODEC_ID_NONE, {}, false});
    else if (is_of_another_program(demuxer.format(), demuxer.video_index(), stream.index))
      plans.push_back(dropped(stream, "it belongs to another program than the video"));
    else
      plans.push_back(plan_stream(stream, format, originals));
  }
  return plans;
}

StreamPlan plan_late_stream(const AVStream& stream, Originals originals) {
  const std::string why = "it begins after the part of the file that is searched for streams";
  const bool unwanted = originals == Originals::leave_out && may_tell_of_originals(stream);
  return unwanted ? left_out(stream, why) : dropped(stream, why);
}

}  // namespace facepipe::video
