#include "pipeline/parts/joining.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/copies.h"
#include "core/error.h"
#include "core/timing.h"
#include "pipeline/detection_report.h"
#include "pipeline/finish_output.h"
#include "pipeline/job_parts.h"
#include "pipeline/job_plan.h"
#include "pipeline/lanes/job_records.h"
#include "pipeline/parts/joined_hiding.h"
#include "pipeline/parts/part_maker.h"
#include "pipeline/parts/part_packets.h"
#include "pipeline/parts/parts_in_order.h"
#include "pipeline/plan.h"
#include "pipeline/statistics.h"
#include "video/bitstream/packet_hash.h"
#include "video/notices.h"

namespace facepipe::pipeline {
namespace {

/// Checks that the packets of the video are those that were split.
class SplitInput {
 public:
  SplitInput(const std::string& name, const std::vector<JoinedPart>& parts)
      : name_(name), parts_(parts) {}

  void see(const AVPacket& packet) {
    if (part_ == parts_.size()) refuse();
    hash_.add(packet);
    const JoinedPart& part = parts_[part_];
    if (hash_.packets() < part.packets) return;
    if (hash_.value() != part.hash) refuse();
    hash_.restart();
    ++part_;
  }
  /// Must be called at the end of the input.
  void expect_end() const {
    if (part_ != parts_.size()) refuse();
  }

 private:
  [[noreturn]] void refuse() const { throw OtherPackets(name_); }

  const std::string& name_;
  const std::vector<JoinedPart>& parts_;
  std::size_t part_ = 0;
  video::PacketHash hash_;
};

/// Writes the frames of the parts, and the packets of the other streams. Its ten members are the
/// input, the parts, and the targets.
class Joining {
 public:
  Joining(const JobOptions& options, const JobObserver& observer, PlannedJob planned,
          std::unique_ptr<video::Muxer> muxer, const PartMaker& maker, Statistics& statistics,
          video::Notices& notices)
      : options_(options),
        plan_(std::move(planned.plan)),
        input_(std::move(planned.input)),
        muxer_(std::move(muxer)),
        notices_(notices),
        check_(options.input.name, options.join->parts),
        frames_(*options.join, options.hide, input_.demuxer(), input_.lanes.front().encoder.get(),
                maker, notices),
        records_(statistics, observer, expected_frames(input_.demuxer(), options)) {
    if (options.hide) hiding_.emplace(options, input_.first->frame, input_.demuxer().origin_us());
  }

  /// Writes everything. Ends early if `stop` is requested, or if the disk is full.
  void run(const std::stop_token& stop);
  void finish(JobResult& result);

 private:
  void take(video::UniqueAVPacket packet);
  bool write_frame();
  [[nodiscard]] bool is_full() const { return muxer_ && muxer_->full() != 0; }
  void fill_input(JobResult& result);
  void fill_parts(JobResult& result) const;

  const JobOptions& options_;
  const JobPlan plan_;
  OpenInput input_;
  const std::unique_ptr<video::Muxer> muxer_;
  video::Notices& notices_;
  SplitInput check_;
  PartsInOrder frames_;
  JobRecords records_;
  std::optional<JoinedHiding> hiding_;  // if faces are hidden
  std::int64_t written_ = 0;
};

void Joining::run(const std::stop_token& stop) {
  video::FirstPicture& begin = input_.begin;
  for (video::UniqueAVPacket& packet : begin.other_packets) take(std::move(packet));
  for (video::ReadPacket& read : begin.packets) take(std::move(read.packet));
  while (!begin.ended && !stop.stop_requested() && !is_full()) {
    video::UniqueAVPacket packet = input_.source->read();
    if (!packet) break;
    take(std::move(packet));
  }
  if (stop.stop_requested() || is_full() || input_.source->failure()) return;
  check_.expect_end();
  while (!stop.stop_requested() && write_frame()) {
  }
  if (muxer_) muxer_->drain();
}

/// Takes a packet of the input. For each packet of the video, writes a frame, so that the streams
/// advance together.
void Joining::take(video::UniqueAVPacket packet) {
  const video::Demuxer& demuxer = input_.demuxer();
  if (packet->stream_index == demuxer.video_index()) {
    check_.see(*packet);
    static_cast<void>(write_frame());
    return;
  }
  note_late_stream(plan_, demuxer, *packet, notices_);
  if (muxer_ && wants_packet(plan_, demuxer, *input_.lanes.front().decoding.decoder, *packet))
    muxer_->write_side(std::move(packet));
}

/// Returns false after the last frame, and if the disk is full.
bool Joining::write_frame() {
  std::optional<JoinedFrame> joined = frames_.next();
  if (!joined) return false;
  video::EncodedFrame* const frame = &joined->encoded;
  if (hiding_) hiding_->see(joined->pts);
  if (muxer_) {
    Interval interval;
    bool written = false;
    {
      const ScopedInterval measured(interval);
      written = muxer_->write_video(std::move(frame->packet));
    }
    frame->record.times[StageId::mux] = interval;
    if (!written) return false;
    ++written_;
  }
  records_.push(std::move(frame->record));
  return true;
}

void Joining::fill_input(JobResult& result) {
  video::FrameLedger all;
  for (const PartFacts& facts : frames_.facts()) all += facts.ledger;
  pipeline::fill_input(*input_.source, frames_.facts().front().decoder, all, !result.interrupted,
                       result, notices_);
  result.ledger.written = written_;
  if (!muxer_) return;
  result.ledger.written -= muxer_->left_out();
  result.side_packets_lost = muxer_->side_packets_lost();
  muxer_->note_left_out();
}

void Joining::fill_parts(JobResult& result) const {
  const std::vector<PartFacts>& parts = frames_.facts();
  result.network = parts.front().network;
  result.resources.cuts = std::ssize(parts) - 1;
  for (const PartFacts& part : parts) {
    for (const std::string& sentence : part.told) notices_.add(sentence);
    result.counts.candidates_ignored += part.candidates_ignored;
    std::vector<DeviceShare>& shares = result.resources.devices;
    auto share = std::ranges::find(shares, part.device, &DeviceShare::device);
    if (share == shares.end()) share = shares.insert(share, {part.device, 1, 0, {}});
    share->frames += part.frames;
  }
  note_ignored(result.counts.candidates_ignored, parts.front().capacity, notices_);
}

void Joining::finish(JobResult& result) {
  fill_parts(result);
  fill_input(result);
  result.size = plan_.frames.upright();
  if (const auto& failure = input_.source->failure()) {
    result.failure.emplace(*failure);
    result.failure_passes = true;
  }
  if (hiding_) {
    hiding_->fill(frames_.facts(), result);
    if (!result.interrupted && !result.failure && !is_full()) hiding_->check(notices_);
  }
  if (muxer_)
    finish_output(options_, *plan_.output, *input_.lanes.front().encoder, *muxer_, result);
}

}  // namespace

JobResult join_parts(const JobOptions& options, Backend& backend, const JobObserver& observer,
                     const std::stop_token& stop, std::unique_ptr<video::Source> opened) {
  Statistics statistics;
  video::Notices notices(options.input.name);
  CopyCounter copies;
  const JobDiagnostics diagnostics{notices, copies};
  PlannedJob planned = plan_job(options, backend, diagnostics, stop, std::move(opened));
  JobResult result;
  if (!planned.input.first) throw Stopped();
  std::unique_ptr<video::Muxer> muxer;
  PartMaker maker;
  if (planned.plan.output) {
    muxer = open_output(planned, diagnostics);
    take_encoder(maker, *planned.input.lanes.front().encoder, *planned.plan.output);
  }
  Joining joining(options, observer, std::move(planned), std::move(muxer), maker, statistics,
                  notices);
  joining.run(stop);
  result.interrupted = stop.stop_requested();
  joining.finish(result);
  statistics.fill(result);
  if (observer.times) observer.times(statistics.times());
  result.notices = notices.all();
  return result;
}

}  // namespace facepipe::pipeline
