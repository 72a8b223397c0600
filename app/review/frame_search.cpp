#include "app/review/frame_search.h"

#include <cmath>
#include <filesystem>
#include <utility>

#include "core/error.h"

namespace facepipe::app {
namespace {

// If a frame is at most this much later, decoding all frames before it usually takes less time than
// to begin at a key frame.
constexpr double kWorthGoingOn_s = 2;
// Seconds are rounded, and must not lie before the key frame that is meant.
constexpr double kRounding_s = 1e-4;

}  // namespace

FrameSearch::FrameSearch(ReviewInput input, std::stop_token stop)
    : input_(std::move(input)), stop_(std::move(stop)), notices_(input_.name) {
  begin_near(std::nullopt);
  note_beginning();
}

void FrameSearch::note_beginning() {
  first_pts_ = frame_->frame.pts;
  time_base_ = frame_->frame.time_base;
  origin_s_ = frame_->frame.seconds() - source_->seconds(frame_->frame);
}

VideoFacts FrameSearch::facts() {
  VideoFacts facts;
  facts.name = std::filesystem::path(input_.name).filename().string();
  facts.size = source_->upright();
  facts.time_base = time_base_;
  facts.first_pts = facts.last_pts = first_pts_;
  facts.origin_s = origin_s_;
  const double ticks = source_->duration_s() * time_base_.den / time_base_.num;
  constexpr double kMostTicks = 1e15;
  if (ticks > 0 && ticks < kMostTicks) facts.last_pts += std::llround(ticks);
  return facts;
}

const Frame& FrameSearch::at(std::int64_t pts, const Passed& passed) {
  if (!is_near(pts)) begin_near(stream_seconds(pts) - origin_s_ + kRounding_s);
  // A file may say wrongly where its key frames are.
  if (frame_->frame.pts > pts && frame_->frame.pts > first_pts_) begin_near(std::nullopt);
  while (frame_->frame.pts < pts && has_next() && next_->frame.pts <= pts) {
    if (passed) passed(frame_->frame);
    go_on();
  }
  if (passed) passed(frame_->frame);
  return frame_->frame;
}

const Frame& FrameSearch::after(std::int64_t pts) {
  static_cast<void>(at(pts));
  if (frame_->frame.pts <= pts && has_next()) go_on();
  return frame_->frame;
}

const Frame& FrameSearch::key_frame_before(std::int64_t pts) {
  begin_near(stream_seconds(pts) - origin_s_ + kRounding_s);
  return frame_->frame;
}

/// Reads the first frame from here on, or of the whole video.
void FrameSearch::begin_near(std::optional<double> near_s) {
  source_.reset();  // two decoders at the same time would need twice the memory
  video::FrameSourceOptions options;
  options.max_pixels = input_.max_pixels;
  options.threads = input_.threads;
  if (near_s && *near_s > 0) options.near_s = near_s;
  source_ = std::make_unique<video::FrameSource>(input_.name, options, notices_, stop_);
  frame_ = source_->next();
  if (!frame_) throw Error(ErrorKind::input, input_.name + ": no frame could be decoded");
  next_.reset();
  looks_ahead_ = false;
}

bool FrameSearch::is_near(std::int64_t pts) const {
  if (!source_ || !frame_) return false;
  const std::int64_t here = frame_->frame.pts;
  return here <= pts && stream_seconds(pts) - stream_seconds(here) <= kWorthGoingOn_s;
}

double FrameSearch::stream_seconds(std::int64_t pts) const {
  return static_cast<double>(pts) * time_base_.num / time_base_.den;
}

/// Decodes the next frame, unless that was done before. Returns false after the last frame.
bool FrameSearch::has_next() {
  if (!looks_ahead_) next_ = source_->next();
  looks_ahead_ = true;
  return next_.has_value();
}

void FrameSearch::go_on() {
  frame_ = std::exchange(next_, std::nullopt);
  looks_ahead_ = false;
}

}  // namespace facepipe::app
