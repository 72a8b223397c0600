#include "pipeline/job_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/device.h"
#include "core/error.h"
#include "pipeline/hide/hiding.h"
#include "video/write/picture_data.h"
#include "video/write/trial_muxer.h"
#include "video/write/watched_encoder.h"

namespace facepipe::pipeline {
namespace {

/// Calls `step` for each lane. If a device fails, removes its lanes and adds a notice.
template <typename Step>
void each_lane(PlannedJob& job, video::Notices& notices, Step step) {
  std::vector<LaneParts>& lanes = job.input.lanes;
  std::vector<DeviceShare>& failed = job.plan.lanes.failed;
  const Device first = lanes.front().backend->device();
  const auto has_failed = [&](const LaneParts& lane) {
    return std::ranges::count(failed, lane.backend->device(), &DeviceShare::device) > 0;
  };
  for (LaneParts& lane : lanes) {
    if (has_failed(lane)) continue;
    const Device device = lane.backend->device();
    try {
      step(lane);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::device || device == first) throw;
      notices.add(to_string(device) + " failed: " + error.what() +
                  "; the other devices go on without it");
      failed.push_back({device, 0, 0, error.what()});
    }
  }
  job.plan.lanes.count -= static_cast<int>(std::erase_if(lanes, has_failed));
}

/// Makes a lane's decoder if the lane has none (the first lane has one already), and its
/// FrameMaker.
void open_decoder(LaneParts& lane, const JobPlan& plan, const video::Demuxer& demuxer,
                  const AVFrame& first, JobDiagnostics diagnostics) {
  if (!lane.decoding.decoder)
    lane.decoding.decoder =
        lane.backend->make_decoder(demuxer, plan.decoding.options, plan.decoding.choice,
                                   diagnostics.notices, diagnostics.copies);
  lane.decoding.frames = lane.decoding.decoder->make_frames(first, plan.frames);
}

ProcessorSetup processor_setup(const JobPlan& plan, const JobOptions& options,
                               const OpenInput& input, JobDiagnostics diagnostics) {
  return {options,
          input.first->frame,
          input.demuxer().is_still_image(),
          plan.limits.hiding,
          several_lanes(options, plan.lanes),
          diagnostics.copies,
          input.demuxer().origin_us()};
}

void make_processor(LaneParts& lane, const JobPlan& plan, const JobOptions& options,
                    const OpenInput& input, JobDiagnostics diagnostics) {
  const ProcessorSetup setup = processor_setup(plan, options, input, diagnostics);
  lane.processor = lane.backend->make_processor(setup);
  if (input.hiding) lane.hiding = input.hiding->make_lane(setup);
}

void open_encoder(LaneParts& lane, const OutputPlan& plan, const Frame& first,
                  JobDiagnostics diagnostics) {
  video::PictureDataWatch watch = {video::kept_picture_data(plan.encoder), plan.muxer.originals,
                                   plan.muxer.strict, plan.encoder.output, diagnostics.notices};
  std::unique_ptr<video::Encoder> encoder =
      lane.backend->make_encoder(plan.encoder, first, diagnostics.notices, diagnostics.copies);
  lane.encoder = video::watched(std::move(encoder), std::move(watch));
}

/// Drops streams that the muxer refuses. Which streams these are is known only when the video's
/// encoder is open.
void fit_streams_to_muxer(OutputPlan& plan, const video::Demuxer& demuxer,
                          const video::VideoStreamInfo& video, video::Notices& notices) {
  for (const std::size_t dropped :
       video::drop_refused_streams(demuxer, *plan.muxer.format, video, plan.streams))
    note_stream(plan.streams[dropped], plan, notices);
}

/// Returns the number of frames of the whole video before `first`, counted at the video's frame
/// rate. Returns 0 if the job begins with the input's first frame.
std::int64_t frames_before(const video::Demuxer& demuxer, const Frame& first,
                           std::int64_t offset_us) {
  if (offset_us <= demuxer.origin_us()) return 0;
  const AVStream& video = demuxer.video();
  const AVRational time_base = video::to_av(first.time_base);
  const bool counted = demuxer.lacks_time_stamps() || video.start_time == AV_NOPTS_VALUE;
  const std::int64_t begin =
      counted ? 0 : av_rescale_q(video.start_time, video.time_base, time_base);
  return std::max<std::int64_t>(
      0, av_rescale_q(first.pts - begin, time_base, av_inv_q(video::to_av(demuxer.frame_rate()))));
}

}  // namespace

void open_decoders(PlannedJob& job, const AVFrame& first, JobDiagnostics diagnostics) {
  each_lane(job, diagnostics.notices, [&](LaneParts& lane) {
    open_decoder(lane, job.plan, job.input.demuxer(), first, diagnostics);
  });
}

void make_processors(PlannedJob& job, const JobOptions& options, JobDiagnostics diagnostics) {
  if (options.hide) {
    const ProcessorSetup setup = processor_setup(job.plan, options, job.input, diagnostics);
    job.input.hiding =
        std::make_unique<Hiding>(setup, job.input.lanes.front().backend->make_hiding_device(setup));
  }
  each_lane(job, diagnostics.notices, [&](LaneParts& lane) {
    make_processor(lane, job.plan, options, job.input, diagnostics);
  });
}

void open_encoders(PlannedJob& job, JobDiagnostics diagnostics) {
  const Frame& first = job.input.first->frame;
  each_lane(job, diagnostics.notices,
            [&](LaneParts& lane) { open_encoder(lane, *job.plan.output, first, diagnostics); });
}

std::unique_ptr<video::Muxer> open_output(PlannedJob& job, JobDiagnostics diagnostics) {
  OutputPlan& plan = *job.plan.output;
  const Frame& first = job.input.first->frame;
  open_encoders(job, diagnostics);
  const video::Encoder& encoder = *job.input.lanes.front().encoder;
  video::VideoStreamInfo info;
  info.parameters = encoder.parameters();
  info.time_base = encoder.time_base();
  info.frame_rate = plan.encoder.frame_rate;
  info.sample_aspect = first.sample_aspect;
  info.duration_us = job.input.demuxer().duration_us();
  info.side_data = plan.encoder.stream_data;
  if (first.orientation.upright())
    std::erase_if(info.side_data, [](const video::StreamData& data) {
      return data.type == AV_PKT_DATA_DISPLAYMATRIX;
    });
  fit_streams_to_muxer(plan, job.input.demuxer(), info, diagnostics.notices);
  video::MuxerOptions muxer = plan.muxer;
  muxer.timecode_delay = frames_before(job.input.demuxer(), first, muxer.offset_us);
  return std::make_unique<video::Muxer>(job.input.demuxer(), std::move(muxer), plan.streams, info,
                                        diagnostics.notices);
}

LaneParts make_lane(Backend& backend, const JobPlan& plan, const JobOptions& options,
                    const OpenInput& input, JobDiagnostics diagnostics) {
  LaneParts lane;
  lane.backend = &backend;
  open_decoder(lane, plan, input.demuxer(), *input.picture, diagnostics);
  make_processor(lane, plan, options, input, diagnostics);
  if (plan.output) open_encoder(lane, *plan.output, input.first->frame, diagnostics);
  return lane;
}

}  // namespace facepipe::pipeline
