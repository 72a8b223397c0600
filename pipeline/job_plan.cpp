#include "pipeline/job_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/error.h"

namespace facepipe::pipeline {

bool several_lanes(const JobOptions& options, const LanePlan& lanes) {
  return lanes.count > 1 || options.resources.shared;
}

bool wants_packet(const JobPlan& plan, const video::Demuxer& demuxer, const video::Decoder& decoder,
                  const AVPacket& packet) {
  const auto stream = static_cast<std::size_t>(packet.stream_index);
  return plan.output && video::keeps(plan.output->streams, stream) &&
         decoder.in_range(packet, demuxer.format().streams[stream]->time_base);
}

void note_stream(const video::StreamPlan& stream, const OutputPlan& output,
                 video::Notices& notices) {
  if (stream.notice.empty()) return;
  video::note_lost(notices, stream.notice, stream.lost && output.muxer.strict,
                   output.encoder.output);
}

void note_late_stream(const JobPlan& plan, const video::Demuxer& demuxer, const AVPacket& packet,
                      video::Notices& notices) {
  // The job that joins the parts reads the other streams, and tells of them.
  if (!plan.output || plan.part || !demuxer.is_late(packet.stream_index)) return;
  const AVStream& stream = *demuxer.format().streams[packet.stream_index];
  note_stream(video::plan_late_stream(stream, plan.output->muxer.originals), *plan.output, notices);
}

// Assumes a constant frame rate.
std::int64_t expected_frames(const video::Demuxer& demuxer, const JobOptions& options) {
  const std::int64_t all = demuxer.expected_frames();
  if (all <= 1 || (!options.input.start_s && !options.input.end_s)) return all;
  const Rational rate = demuxer.frame_rate();
  const std::int64_t duration_us = demuxer.duration_us();
  const double lasts_s = duration_us > 0 ? static_cast<double>(duration_us) / AV_TIME_BASE
                                         : static_cast<double>(all) * rate.den / rate.num;
  const double from_s = std::clamp(options.input.start_s.value_or(0), 0.0, lasts_s);
  const double to_s = std::clamp(options.input.end_s.value_or(lasts_s), from_s, lasts_s);
  const double frames = static_cast<double>(all) * (to_s - from_s) / lasts_s;
  return std::max<std::int64_t>(1, std::llround(frames));
}

}  // namespace facepipe::pipeline
