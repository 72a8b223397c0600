#include "app/verify/comparison.h"

#include <cmath>
#include <utility>

namespace facepipe::app {
namespace {

video::FrameSourceOptions source_options(const VerifyOptions& options, std::optional<int> stream) {
  video::FrameSourceOptions source;
  source.references = options.references;
  source.max_pixels = options.max_pixels;
  source.threads = options.detector.threads;
  source.stream = stream;
  return source;
}

}  // namespace

VideoReader::VideoReader(const std::string& input, const VerifyOptions& options,
                         const std::stop_token& stop, std::optional<int> stream)
    : notices_(input), source_(input, source_options(options, stream), notices_, stop) {
  video_.name = input;
  video_.size = source_.upright();
}

std::optional<video::DecodedFrame> VideoReader::next() {
  std::optional<video::DecodedFrame> frame = source_.next();
  if (frame) ++video_.frames;
  return frame;
}

std::optional<double> VideoReader::time_of(const std::optional<video::DecodedFrame>& frame) const {
  return frame ? std::optional(source_.seconds(frame->frame)) : std::nullopt;
}

VerifiedVideo VideoReader::video() const {
  VerifiedVideo video = video_;
  video.ledger = source_.ledger();
  return video;
}

verify::FrameComparison Comparison::run(const std::stop_token& stop) {
  frame_ = original_.next();
  after_ = original_.next();
  partner_ = hidden_.next();
  while (frame_ || partner_) {
    const std::optional<double> time = original_.time_of(frame_);
    const std::optional<double> there = hidden_.time_of(partner_);
    switch (verify::meet({before_, time, original_.time_of(after_), there})) {
      case verify::Meeting::pair:
        if (std::abs(*time - *there) > verify::kSameTime_s + 1e-9)
          frames_.stamps.add(*time, number_);
        look(stop);
        partner_ = hidden_.next();
        go_on();
        break;
      case verify::Meeting::missing:
        frames_.missing.add(*time, number_);
        go_on();
        break;
      case verify::Meeting::extra:
        frames_.extra.add(*there, number_);
        lookers_.extra.push(partner_->frame, number_, *there, stop);
        partner_ = hidden_.next();
        break;
    }
  }
  return frames_;
}

void Comparison::go_on() {
  before_ = original_.time_of(frame_);
  frame_ = std::exchange(after_, std::nullopt);
  if (frame_) after_ = original_.next();
  ++number_;
}

void Comparison::look(const std::stop_token& stop) {
  ++frames_.pairs;
  lookers_.pairs.push(
      {frame_->frame, partner_->frame, number_, *original_.time_of(frame_), frame_->damaged}, stop);
  pipeline::Progress progress;
  progress.frames = frames_.pairs;
  progress.expected_frames = original_.expected_frames();
  progress.faces = lookers_.pairs.counts().detected;
  progress_.update(progress);
}

}  // namespace facepipe::app
