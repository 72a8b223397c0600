#include "app/verify/comparison.h"

#include <cmath>
#include <utility>

#include "app/output/command_text.h"

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
  video_.name = without_queries(input);
  video_.size = source_.upright();
}

std::optional<video::DecodedFrame> VideoReader::next() {
  std::optional<video::DecodedFrame> frame = source_.next();
  if (frame) ++video_.frames;
  if (frame && frame->damaged) video_.damaged.add(source_.seconds(frame->frame));
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

FramesInTurn::FramesInTurn(VideoReader& video)
    : video_(video), frame_(video.next()), after_(video.next()) {}

void FramesInTurn::go_on() {
  time_before_ = time();
  frame_ = std::exchange(after_, std::nullopt);
  if (frame_) after_ = video_.next();
  ++number_;
}

verify::FrameComparison Comparison::run(const std::stop_token& stop) {
  FramesInTurn original(original_);
  std::optional<video::DecodedFrame> partner = hidden_.next();
  while (original.frame() || partner) {
    const std::optional<double> time = original.time();
    const std::optional<double> partner_time = hidden_.time_of(partner);
    switch (verify::meet({original.time_before(), time, original.time_after(), partner_time})) {
      case verify::Meeting::pair:
        if (std::abs(*time - *partner_time) > verify::kSameTime_s + 1e-9)
          frames_.stamps.add(*time, original.number());
        look(original, *partner, stop);
        partner = hidden_.next();
        original.go_on();
        break;
      case verify::Meeting::missing:
        frames_.missing.add(*time, original.number());
        original.go_on();
        break;
      case verify::Meeting::extra:
        frames_.extra.add(*partner_time, original.number());
        lookers_.extra.push(partner->frame, original.number(), *partner_time, stop);
        partner = hidden_.next();
        break;
    }
  }
  return frames_;
}

void Comparison::look(const FramesInTurn& original, const video::DecodedFrame& partner,
                      const std::stop_token& stop) {
  ++frames_.pairs;
  const video::DecodedFrame& frame = *original.frame();
  lookers_.pairs.push(
      {frame.frame, partner.frame, original.number(), *original.time(), frame.damaged}, stop);
  pipeline::Progress progress;
  progress.frames = frames_.pairs;
  progress.expected_frames = original_.expected_frames();
  progress.faces = lookers_.pairs.counts().detected;
  progress_(progress);
}

}  // namespace facepipe::app
