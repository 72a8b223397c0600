// Shows how to build a program of your own from facepipe's libraries. It draws a box around each
// face of a video, and keeps sound and subtitles.
//
//   example_annotate INPUT OUTPUT MODEL
//
// MODEL is a file that `facepipe run --model` takes. Here, one thread does all steps of a frame,
// one after the other. The code in pipeline/ runs the steps of several frames at the same time.
// run_job() (pipeline/job.h) does the whole job in one call.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.h"
#include "detector/detector.h"
#include "nms/cpu/suppressor.h"
#include "overlay/overlay.h"
#include "video/frames/pictures.h"
#include "video/read/cpu_decoder.h"
#include "video/read/first_picture.h"
#include "video/read/stored_orientation.h"
#include "video/write/container.h"
#include "video/write/encoder.h"
#include "video/write/muxer.h"

namespace facepipe {
namespace {

/// Reads an input and decodes its video. Packets of other streams wait until take_others().
class VideoReader {
 public:
  VideoReader(const std::string& input, video::Notices& notices)
      : demuxer_(input, {}), decoder_(video::make_cpu_decoder(demuxer_, {}, notices)) {}

  /// Returns the next picture in presentation order; nullopt at the end.
  std::optional<video::DecodedPicture> next() {
    while (true) {
      if (std::optional<video::DecodedPicture> picture = decoder_->next()) return picture;
      if (ended_) return std::nullopt;
      video::ReadPacket read = video::read_packet(demuxer_);
      ended_ = read.packet == nullptr;
      if (ended_)
        decoder_->finish();
      else if (read.packet->stream_index == demuxer_.video_index())
        decoder_->send(read);
      else
        others_.push_back(std::move(read.packet));
    }
  }

  std::deque<video::UniqueAVPacket> take_others() { return std::exchange(others_, {}); }
  const video::Demuxer& demuxer() const { return demuxer_; }
  video::Decoder& decoder() const { return *decoder_; }

 private:
  video::Demuxer demuxer_;
  std::unique_ptr<video::Decoder> decoder_;
  std::deque<video::UniqueAVPacket> others_;
  bool ended_ = false;
};

/// Finds faces in a frame and draws them.
void annotate(Frame& frame, detector::Detector& detector, nms::CpuSuppressor& suppressor) {
  const std::unique_ptr<detector::DetectionRequest> request = detector.acquire({});
  request->prepare(frame);
  request->start();
  const Detections candidates = request->collect();
  const nms::NmsKept kept = suppressor.run({candidates.boxes, candidates.scores});
  Detections faces;
  for (const std::uint32_t i : kept.indices)
    faces.push_back(candidates.boxes[i], candidates.scores[i], candidates, i);
  video::make_writable(frame);  // the decoder may still refer to the picture
  overlay::draw_overlay(frame, faces, {.boxes = true, .scores = true});
}

/// Says which size and format all frames have, and how they are encoded.
struct Plan {
  const AVOutputFormat* format = nullptr;
  video::FrameTarget frames;
  video::EncoderSetup encoder;
};

/// Makes the plan from the first picture and the output's format. If pictures are stored rotated,
/// the frames become upright.
Plan plan_for(const VideoReader& reader, const AVFrame& first, const std::string& output,
              video::Notices& notices) {
  Plan plan;
  plan.format = &video::muxer_for(output);
  const video::PictureFacts pictures = reader.decoder().facts_of(first);
  plan.frames.size = pictures.size;
  plan.frames.rotate = video::orientation_of(reader.demuxer(), first, notices);
  plan.encoder.plan = video::plan_encoder(video::choose_codec({}, *plan.format, output, notices),
                                          pictures.format, plan.frames.stored(), output, notices);
  plan.frames.format = plan.encoder.plan.working;
  plan.encoder.frame_rate = reader.demuxer().frame_rate();
  plan.encoder.fixed_frame_rate = video::has_fixed_frame_rate(*plan.format);
  plan.encoder.in_shown_order = video::stores_decoding_order_alone(*plan.format);
  plan.encoder.global_header = (plan.format->flags & AVFMT_GLOBALHEADER) != 0;
  plan.encoder.output = output;
  return plan;
}

std::unique_ptr<video::Muxer> open_output(const Plan& plan, const video::Demuxer& demuxer,
                                          const video::Encoder& encoder, const Frame& first,
                                          video::Notices& notices) {
  video::MuxerOptions options;
  options.output = plan.encoder.output;
  options.format = plan.format;
  // Time stamps don't change, unless the first one is below zero: not every format can store such
  // stamps.
  options.offset_us = std::min<std::int64_t>(demuxer.origin_us(), 0);
  video::VideoStreamInfo video;
  video.parameters = encoder.parameters();
  video.time_base = encoder.time_base();
  video.frame_rate = plan.encoder.frame_rate;
  video.sample_aspect = first.sample_aspect;
  return std::make_unique<video::Muxer>(demuxer, std::move(options),
                                        video::plan_streams(demuxer, *plan.format), video, notices);
}

void annotate_video(const std::string& input, const std::string& output, const std::string& model) {
  video::Notices notices(input);
  VideoReader reader(input, notices);
  std::optional<video::DecodedPicture> picture = reader.next();
  if (!picture) throw Error(ErrorKind::input, input + ": no frame could be decoded");
  const Plan plan = plan_for(reader, *picture->picture, output, notices);
  const auto frames = reader.decoder().make_frames(*picture->picture, plan.frames);
  detector::DetectorOptions options;
  options.model = model;
  const auto factory = detector::make_detector_factory({}, options);
  const auto detector = factory->detector(plan.frames.upright());
  nms::CpuSuppressor suppressor({}, nms::kMaxNmsCapacity);

  Frame frame = frames->make(std::move(*picture)).frame;
  const auto encoder = video::make_cpu_encoder(plan.encoder, frame, notices);
  const auto muxer = open_output(plan, reader.demuxer(), *encoder, frame, notices);
  const auto write = [&](video::EncodedFrame encoded) {
    if (!muxer->write_video(std::move(encoded.packet)))
      throw Error(ErrorKind::output, output + ": " + write_failure(muxer->full()));
  };
  while (true) {
    annotate(frame, *detector, suppressor);
    encoder->encode(std::move(frame), {}, write);
    picture = reader.next();
    for (video::UniqueAVPacket& packet : reader.take_others()) muxer->write_side(std::move(packet));
    if (!picture) break;
    frame = frames->make(std::move(*picture)).frame;
  }
  encoder->flush(write);
  if (reader.demuxer().failure()) throw Error(*reader.demuxer().failure());
  muxer->finish();  // gives the file its name; after an exception there is no file
}

}  // namespace
}  // namespace facepipe

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw std::runtime_error("usage: example_annotate INPUT OUTPUT MODEL");
    facepipe::annotate_video(argv[1], argv[2], argv[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "example_annotate: %s\n", error.what());
    return 1;
  }
}
