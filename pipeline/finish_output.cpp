#include "pipeline/finish_output.h"

#include <cerrno>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/files/output_file.h"
#include "core/passing_error.h"
#include "video/ffmpeg.h"
#include "video/read/demuxer.h"
#include "video/write/container.h"

namespace facepipe::pipeline {
namespace {

/// Returns whether the caller will run the job again, with no other jobs at the same time. If jobs
/// share a device, one job can fail because the device has no memory left.
bool is_done_again(const JobOptions& options, const Error& failure) {
  return options.resources.shared && failure.kind() == ErrorKind::device;
}

}  // namespace

void fill_input(video::Source& source, const std::string& decoder, const video::FrameLedger& all,
                bool whole_file, JobResult& result, video::Notices& notices) {
  video::FrameLedger& ledger = result.ledger;
  ledger = all;
  result.early_end = whole_file ? source.shortfall() : source.read_error();
  ledger.ended_early = !result.early_end.empty();
  if (ledger.ended_early) notices.add("ended early: " + result.early_end);
  if (ledger.lost > 0)
    notices.add(std::to_string(ledger.lost) + " frames lost: their packets gave no picture");
  if (ledger.damaged > 0) notices.add(std::to_string(ledger.damaged) + " frames damaged");
  result.codecs.decoder = decoder;
  result.codecs.video_codec = avcodec_get_name(source.demuxer().video().codecpar->codec_id);
}

void finish_output(const JobOptions& options, const OutputPlan& plan, const video::Encoder& encoder,
                   video::Muxer& muxer, JobResult& result) {
  result.codecs.encoder = encoder.name();
  result.codecs.container = plan.muxer.format->name;
  const std::string name = options.output.path.string();
  if (const int full = muxer.full(); !result.failure && full != 0 && full != ECANCELED) {
    result.failure.emplace(ErrorKind::output, name + ": " + write_failure(full));
    result.failure_passes = is_passing(full);
  }
  const bool one_picture = video::is_image_format(*plan.muxer.format) && !muxer.is_sequence();
  const bool worth_keeping =
      result.ledger.written > 0 && !one_picture && !is_stream_target(options.output.path);
  if (result.failure && (!worth_keeping || is_done_again(options, *result.failure)))
    result.throw_failure();
  if (result.interrupted || result.failure) {
    result.output = muxer.finish_partial();
    return;
  }
  muxer.finish(result.damage());
  result.output = options.output.path;
}

}  // namespace facepipe::pipeline
