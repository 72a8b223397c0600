extern "C" {
#include <libavutil/dict.h>
}

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>

#include "core/error.h"
#include "pipeline/backend.h"
#include "pipeline/job_parts.h"
#include "pipeline/job_plan.h"
#include "pipeline/job_trial.h"
#include "pipeline/plan.h"
#include "video/read/packet_index.h"

namespace facepipe::pipeline {
namespace {

std::string_view name_of(video::StreamAction action) {
  switch (action) {
    case video::StreamAction::video:
      return "encode";
    case video::StreamAction::copy:
      return "copy";
    case video::StreamAction::subtitle:
      return "convert";
    case video::StreamAction::cover:
      return "attach";
    default:
      return "drop";
  }
}

std::string text_or_nothing(const char* text) { return text == nullptr ? "" : text; }

StreamPreview preview_of(const AVStream& stream, const video::StreamPlan& plan,
                         const AVCodec& encoder) {
  const AVDictionaryEntry* const language = av_dict_get(stream.metadata, "language", nullptr, 0);
  StreamPreview preview;
  preview.index = stream.index;
  preview.type = text_or_nothing(av_get_media_type_string(stream.codecpar->codec_type));
  preview.codec = avcodec_get_name(stream.codecpar->codec_id);
  if (language != nullptr && std::string_view(language->value) != "und")
    preview.language = language->value;
  preview.action = name_of(plan.action);
  if (plan.action == video::StreamAction::video)
    preview.to_codec = avcodec_get_name(encoder.id);
  else if (plan.action != video::StreamAction::drop)
    preview.to_codec =
        plan.codec == AV_CODEC_ID_NONE ? preview.codec : avcodec_get_name(plan.codec);
  preview.note = plan.notice;
  return preview;
}

/// Returns the bytes of the copied streams in the chosen range; nullopt if the bytes of one of them
/// are unknown.
std::optional<std::int64_t> copied_bytes(const video::Demuxer& demuxer, const OutputPlan& plan,
                                         const InputOptions& range) {
  constexpr double kAll = std::numeric_limits<double>::infinity();
  const double origin_s = static_cast<double>(demuxer.origin_us()) / AV_TIME_BASE;
  const double from_s = range.start_s ? origin_s + *range.start_s : -kAll;
  const double to_s = range.end_s ? origin_s + *range.end_s : kAll;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < plan.streams.size(); ++i) {
    if (static_cast<int>(i) == demuxer.video_index() || !video::keeps(plan.streams, i)) continue;
    const auto bytes = video::indexed_bytes(demuxer, static_cast<int>(i), from_s, to_s);
    if (!bytes) return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

void preview_output(const PlannedJob& job, const InputOptions& range, JobPreview& preview) {
  const OutputPlan& output = *job.plan.output;
  const video::Demuxer& demuxer = job.input.demuxer();
  preview.codecs.encoder = job.input.lanes.front().encoder->name();
  preview.codecs.container = output.muxer.format->name;
  for (std::size_t i = 0; i < output.streams.size(); ++i)
    preview.streams.push_back(
        preview_of(*demuxer.format().streams[i], output.streams[i], *output.encoder.plan.codec));
  preview.copied_bytes = copied_bytes(demuxer, output, range);
}

}  // namespace

JobPreview preview_job(const JobOptions& options, Backend& backend, const std::stop_token& stop) {
  video::Notices notices(options.input.name);
  CopyCounter copies;
  const JobDiagnostics diagnostics{notices, copies};
  PlannedJob job = plan_job(options, backend, diagnostics, stop);
  if (!job.input.first) throw Stopped();
  JobPreview preview;
  std::unique_ptr<video::Muxer> muxer;
  if (job.plan.output) {
    job.plan.output->muxer.discard = true;
    muxer = open_output(job, diagnostics);
    preview_output(job, options.input, preview);
  }
  const video::Demuxer& demuxer = job.input.demuxer();
  const Rational rate = demuxer.frame_rate();
  preview.codecs.decoder = job.input.lanes.front().decoding.decoder->name();
  preview.codecs.video_codec = avcodec_get_name(demuxer.video().codecpar->codec_id);
  preview.size = job.plan.frames.upright();
  preview.frame_rate = rate.den > 0 ? static_cast<double>(rate.num) / rate.den : 0;
  preview.duration_s = static_cast<double>(demuxer.duration_us()) / AV_TIME_BASE;
  preview.frames = std::max<std::int64_t>(0, expected_frames(demuxer, options));
  preview.lanes = job.plan.lanes;
  preview.notices = notices.all();
  return preview;
}

}  // namespace facepipe::pipeline
