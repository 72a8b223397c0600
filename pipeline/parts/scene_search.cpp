#include "pipeline/parts/scene_search.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "core/copies.h"
#include "core/error.h"
#include "pipeline/job_plan.h"
#include "pipeline/plan.h"
#include "track/cpu/motion.h"
#include "video/bitstream/segments.h"
#include "video/notices.h"
#include "video/read/first_picture.h"

namespace facepipe::pipeline {
namespace {

/// Looks for the first scene of one segment.
class SegmentSearch {
 public:
  SegmentSearch(LaneDecoding& decoding, double limit_s) : decoding_(decoding), limit_s_(limit_s) {}

  /// Takes the next packet of the segment; nullptr at its end.
  void send(const video::ReadPacket& packet) {
    if (over_) return;
    if (packet.packet) {
      ++packets_;
      decoding_.decoder->send(packet);
    } else {
      decoding_.decoder->finish();
    }
    while (std::optional<video::DecodedPicture> picture = decoding_.decoder->next())
      if (!over_) look(std::move(*picture));
  }

  [[nodiscard]] const SearchedCut& found() const { return found_; }

 private:
  /// Compares a picture with the last good picture, as LaneHiding does.
  void look(video::DecodedPicture picture) {
    const video::DecodedFrame decoded = decoding_.frames->make(std::move(picture));
    const std::int64_t number = frames_++;
    if (!begin_s_) begin_s_ = decoded.frame.seconds();
    found_.searched_s = std::min(decoded.frame.seconds() - *begin_s_, limit_s_);
    over_ = found_.searched_s == limit_s_;
    if (over_ || decoded.damaged) return;
    std::shared_ptr<const track::MotionPicture> now = motion_.make_picture(decoded.frame);
    const bool cut = before_ && motion_.compare(*before_, *now).cut;
    before_ = std::move(now);
    if (!cut) return;
    found_.scene = {number, packets_};
    over_ = true;
  }

  LaneDecoding& decoding_;
  const double limit_s_;
  track::CpuMotionEstimator motion_;
  std::shared_ptr<const track::MotionPicture> before_;
  std::optional<double> begin_s_;
  std::int64_t packets_ = 0;
  std::int64_t frames_ = 0;
  bool over_ = false;
  SearchedCut found_;
};

/// Looks for the scenes of all segments, one after the other.
class SceneSearch {
 public:
  SceneSearch(OpenInput& input, const std::vector<std::int64_t>& cuts, double limit_s)
      : decoding_(input.lanes.front().decoding),
        segmenter_(*input.demuxer().video().codecpar, cuts),
        limit_s_(limit_s),
        found_(cuts.size()) {}

  void take(video::ReadPacket packet) {
    segmenter_.send(std::move(packet));
    pass_on();
  }
  std::vector<SearchedCut> finish() {
    segmenter_.finish();
    pass_on();
    return std::move(found_);
  }

 private:
  // Packets of the next segment can come before the end of the segment that is searched.
  void pass_on() {
    while (std::optional<video::SegmentPacket> packet = segmenter_.next()) {
      if (packet->segment > segment_)
        of_next_.push_back(std::move(packet->read));
      else
        send(packet->read);
    }
  }

  void send(const video::ReadPacket& packet) {
    if (search_) search_->send(packet);
    if (packet.packet) return;
    if (search_) found_[static_cast<std::size_t>(segment_ - 1)] = search_->found();
    begin_next();
  }

  void begin_next() {
    ++segment_;
    decoding_.decoder->begin_again();
    search_.emplace(decoding_, limit_s_);
    for (const video::ReadPacket& packet : std::exchange(of_next_, {})) send(packet);
  }

  LaneDecoding& decoding_;
  video::Segmenter segmenter_;
  const double limit_s_;
  std::vector<SearchedCut> found_;
  std::int64_t segment_ = 0;             // nothing is searched before the first cut
  std::optional<SegmentSearch> search_;  // of segment_
  std::deque<video::ReadPacket> of_next_;
};

/// Returns options with which plan_job() makes a decoder that begins with the first packet.
JobOptions for_search(const JobOptions& options) {
  JobOptions search = options;
  search.part.emplace();
  search.output.path.clear();
  search.input.decoder = video::DecoderChoice::cpu;
  search.hide->known.reset();
  return search;
}

}  // namespace

std::vector<SearchedCut> find_scenes(const JobOptions& options, Backend& backend,
                                     const std::vector<std::int64_t>& cuts, double limit_s,
                                     const std::stop_token& stop) {
  video::Notices notices(options.input.name, video::NoticeLog::silent);
  CopyCounter copies;
  const JobOptions job = for_search(options);
  PlannedJob planned = plan_job(job, backend, {notices, copies}, stop, nullptr);
  OpenInput& input = planned.input;
  if (!input.first) throw Stopped();
  SceneSearch search(input, cuts, limit_s);
  for (video::ReadPacket& packet : std::exchange(input.begin.packets, {}))
    search.take(std::move(packet));
  while (!input.begin.ended) {
    video::ReadPacket packet = video::read_packet(*input.source);
    if (!packet.packet) break;
    if (packet.packet->stream_index == input.demuxer().video_index())
      search.take(std::move(packet));
  }
  if (stop.stop_requested()) throw Stopped();
  if (const auto& failure = input.source->failure()) throw Error(*failure);
  return search.finish();
}

}  // namespace facepipe::pipeline
