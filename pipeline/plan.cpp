#include "pipeline/plan.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <utility>

#include "core/error.h"
#include "pipeline/flight_limits.h"
#include "pipeline/job_parts.h"
#include "pipeline/parts/part_packets.h"
#include "video/bitstream/cuts.h"
#include "video/ffmpeg_compat.h"
#include "video/frames/pictures.h"
#include "video/frames/working_format.h"
#include "video/read/start_search.h"
#include "video/read/stored_orientation.h"
#include "video/write/container.h"
#include "video/write/image_sequence.h"
#include "video/write/picture_data.h"

namespace facepipe::pipeline {
namespace {

// A lane is started only if it gets at least this many frames. The start takes as long as the work
// on some 70 frames of 1080p on an H100.
constexpr std::int64_t kFramesOfLane = 250;

class Planning {
 public:
  Planning(const JobOptions& options, Backend& backend, JobDiagnostics diagnostics,
           const std::stop_token& stop)
      : options_(options),
        all_(backend),
        backend_(backend.for_lane(options.resources.shared ? options.resources.shared->own : 0)),
        diagnostics_(diagnostics),
        stop_(stop) {}

  PlannedJob run(std::unique_ptr<video::Source> opened);

 private:
  void open_input(std::unique_ptr<video::Source> opened);
  void note_look_ahead();
  void plan_output();
  [[nodiscard]] video::EncoderOptions encoder_options() const;
  [[nodiscard]] std::int64_t output_offset_us() const;
  void plan_streams();
  void discard_unwanted();
  void read_until_first();
  void plan_decoding();
  void note_left_out();
  void note_lost_transparency(const AVFrame& first, const video::PictureFacts& pictures);
  void plan_frames();
  void plan_encoder(const video::PictureFacts& pictures, Size encoded);
  void plan_picture_data(const AVFrame& first);
  void plan_lanes();
  [[nodiscard]] bool begins_again() const;
  [[nodiscard]] int most_lanes() const;
  [[nodiscard]] std::int64_t frames_of_job() const;
  void note_idle_devices();
  void fit_lanes_to_input();
  void fit_lanes_to_memory();
  [[nodiscard]] std::string reason_for_one_lane() const;
  void open_lanes(const AVFrame& first);
  void refuse_8bit(const video::PictureFacts& pictures) const;
  [[nodiscard]] std::string nothing_decoded() const;
  [[nodiscard]] const AVOutputFormat& format() const { return *job_.plan.output->muxer.format; }
  [[nodiscard]] video::Demuxer& demuxer() const { return job_.input.demuxer(); }
  [[nodiscard]] bool output_tags_rotation() const {
    return !job_.plan.output || video::compat::muxer_writes_rotation(format());
  }

  const JobOptions& options_;
  Backend& all_;      // all devices
  Backend& backend_;  // the first lane's device
  const JobDiagnostics diagnostics_;
  const std::stop_token& stop_;
  PlannedJob job_;
};

PlannedJob Planning::run(std::unique_ptr<video::Source> opened) {
  open_input(std::move(opened));
  job_.plan.part = options_.part;
  job_.plan.limits = flight_limits(options_, demuxer(), backend_);
  note_look_ahead();
  if (!options_.output.path.empty()) plan_output();
  discard_unwanted();
  read_until_first();
  note_left_out();
  if (job_.input.begin.picture)
    plan_frames();
  else if (!stop_.stop_requested())
    throw Error(ErrorKind::input, options_.input.name + ": " + nothing_decoded());
  return std::move(job_);
}

void Planning::open_input(std::unique_ptr<video::Source> opened) {
  if (opened)
    opened->stop_with(stop_);
  else
    opened = std::make_unique<video::Demuxer>(
        options_.input.name, stop_,
        options_.input.allow_references ? video::References::open : video::References::refuse,
        options_.input.max_pixels);
  job_.input.source = std::move(opened);
}

void Planning::note_look_ahead() {
  if (!options_.hide || options_.hide->known || options_.output.path.empty()) return;
  const int waiting = job_.plan.limits.hiding.waiting;
  const int wanted = frames_ahead(*options_.hide, demuxer());
  if (waiting < wanted)
    diagnostics_.notices.add("the look-ahead is " + std::to_string(waiting) +
                             " frames instead of " + std::to_string(wanted) +
                             ": --lookahead-memory allows no more");
}

/// Plans those parts of the output that don't depend on the first picture.
void Planning::plan_output() {
  OutputPlan& output = job_.plan.output.emplace();
  video::MuxerOptions& muxer = output.muxer;
  muxer.output = options_.output.path;
  muxer.format = &video::muxer_for(options_.output.path, options_.output.format);
  muxer.existing = options_.output.existing;
  muxer.stop = stop_;
  muxer.strict = options_.output.strict;
  if (options_.hide) {
    muxer.kept_tags = options_.hide->kept_tags;
    muxer.originals = video::Originals::leave_out;
  }
  muxer.sequence = video::is_image_format(format()) && !demuxer().is_still_image() &&
                   video::is_sequence_name(muxer.output);
  muxer.offset_us = output_offset_us();
  video::EncoderSetup& encoder = output.encoder;
  encoder.options = encoder_options();
  encoder.frame_rate = demuxer().frame_rate();
  encoder.fixed_frame_rate = video::has_fixed_frame_rate(format());
  encoder.in_shown_order = video::stores_decoding_order_alone(format());
  encoder.global_header = (format().flags & AVFMT_GLOBALHEADER) != 0;
  encoder.threads = options_.resources.encoder_threads > 0 ? options_.resources.encoder_threads
                                                           : options_.resources.threads;
  encoder.one_picture = demuxer().is_still_image();
  encoder.output = options_.output.path.string();
  encoder.plan.codec =
      &video::choose_codec(options_.output.encoder, format(), encoder.output, diagnostics_.notices);
  backend_.check_encoder(*encoder.plan.codec);
  if (!options_.part) plan_streams();
}

/// Returns the encoder's options. Drops --preset and --crf if the output is a picture and the user
/// named no encoder: these options are meant for the videos of a folder, not for its photos.
video::EncoderOptions Planning::encoder_options() const {
  video::EncoderOptions options = options_.output.encoder;
  if (!video::is_image_format(format()) || !options.codec.empty()) return options;
  const auto leave_out = [&](const char* name) {
    diagnostics_.notices.add(
        std::string(name) + " has no effect: it is for encoders of videos, but the output is " +
        format().name + " pictures (--encoder-option sets options of their encoder)");
  };
  if (!std::exchange(options.preset, {}).empty()) leave_out("--preset");
  if (std::exchange(options.crf, std::nullopt)) leave_out("--crf");
  return options;
}

/// Returns the time that is subtracted from all time stamps. If no part of the input was chosen,
/// the stamps don't change, unless the container can't hold them.
std::int64_t Planning::output_offset_us() const {
  const std::int64_t origin = demuxer().origin_us();
  if (options_.input.start_s) return origin + std::llround(*options_.input.start_s * AV_TIME_BASE);
  return video::has_fixed_frame_rate(format()) ? origin : std::min<std::int64_t>(origin, 0);
}

void Planning::plan_streams() {
  OutputPlan& output = *job_.plan.output;
  output.streams = video::plan_streams(demuxer(), format(), output.muxer.originals);
  for (const video::StreamPlan& stream : output.streams)
    note_stream(stream, output, diagnostics_.notices);
}

void Planning::discard_unwanted() {
  for (unsigned i = 0; i < demuxer().format().nb_streams; ++i) {
    const bool kept = job_.plan.output && video::keeps(job_.plan.output->streams, i);
    if (static_cast<int>(i) != demuxer().video_index() && !kept)
      demuxer().discard(static_cast<int>(i));
  }
}

void Planning::plan_decoding() {
  video::DecoderOptions& result = job_.plan.decoding.options;
  result.threads = options_.resources.threads;
  result.start_s = options_.input.start_s;
  result.end_s = options_.input.end_s;
  result.scale_on_change = options_.input.scale_on_size_change;
  result.tags_rotation = output_tags_rotation();
  result.frames_alive = job_.plan.limits.frames_alive;
  // Damaged frames are hidden as a whole, so the decoder must report damage. If the user has chosen
  // a decoder, it isn't replaced, even if it can't report damage.
  result.must_tell_damage =
      options_.hide && options_.input.decoder == video::DecoderChoice::automatic;
}

void Planning::read_until_first() {
  if (options_.input.start_s && *options_.input.start_s > 0 && !demuxer().lacks_time_stamps())
    video::seek_to_start(demuxer(), *options_.input.start_s);
  plan_decoding();
  DecodingPlan& decoding = job_.plan.decoding;
  const auto open = [&](video::DecoderChoice choice) {
    return backend_.make_decoder(demuxer(), decoding.options, choice, diagnostics_.notices,
                                 diagnostics_.copies);
  };
  const auto wants = [&](const AVPacket& packet, const video::Decoder& chosen) {
    note_late_stream(job_.plan, demuxer(), packet, diagnostics_.notices);
    return wants_packet(job_.plan, demuxer(), chosen, packet);
  };
  video::FirstPicture& begin = job_.input.begin;
  begin = video::read_first_picture(*job_.input.source, open, options_.input.decoder, wants,
                                    diagnostics_.notices);
  decoding.choice =
      begin.decoder->may_refuse() ? options_.input.decoder : video::DecoderChoice::cpu;
}

/// Reports each thing in the input that won't be decoded (Demuxer::left_out()).
void Planning::note_left_out() {
  for (const std::string& sentence : demuxer().left_out())
    video::note_lost(diagnostics_.notices, sentence, options_.output.strict, options_.input.name);
}

void Planning::note_lost_transparency(const AVFrame& first, const video::PictureFacts& pictures) {
  const bool decoded = video::has_alpha(static_cast<AVPixelFormat>(first.format));
  const auto note = [this](const std::string& why) {
    video::note_lost(diagnostics_.notices, "transparency dropped, which " + why,
                     options_.output.strict, options_.input.name);
  };
  if (!decoded && demuxer().has_separate_transparency())
    note("the decoder " + job_.input.begin.decoder->name() + " doesn't give");
  if (!decoded || !job_.plan.output) return;
  const AVPixelFormat encoded = job_.plan.output->encoder.plan.encoded;
  // The decoder has already dropped the transparency and added a notice.
  const bool has_notice_of_format = !video::has_alpha(pictures.format);
  if (!video::has_alpha(encoded) && (!has_notice_of_format || options_.output.strict))
    note(std::string(av_get_pix_fmt_name(encoded)) + " doesn't have");
}

void Planning::plan_frames() {
  OpenInput& input = job_.input;
  video::Decoder& decoder = *input.begin.decoder;
  const AVFrame& first = *input.begin.picture->picture;
  const video::PictureFacts pictures = decoder.facts_of(first);
  const Orientation orientation = video::orientation_of(demuxer(), first, diagnostics_.notices);
  video::FrameTarget& frames = job_.plan.frames;
  frames.size = pictures.size;
  frames.format = video::working_format(pictures.format);
  frames.orientation = orientation;
  if (job_.plan.output && !orientation.upright() && !output_tags_rotation()) {
    frames.rotate = orientation;
    frames.orientation = {};
    diagnostics_.notices.add(std::string("rotation applied to the pixels, because ") +
                             format().name + " has no tag for it here");
  }
  if (job_.plan.output) {
    plan_encoder(pictures, frames.stored());
    if (!options_.output.allow_8bit) refuse_8bit(pictures);
    plan_picture_data(first);
    frames.format = job_.plan.output->encoder.plan.working;
  }
  note_lost_transparency(first, pictures);
  plan_lanes();
  open_lanes(first);
  LaneDecoding& decoding = input.lanes.front().decoding;
  const video::UniqueAVFrame picture = video::reference(first);
  input.first = decoding.frames->make(std::move(*input.begin.picture));
  input.begin.picture.reset();
  std::deque<video::ReadPacket> kept = std::exchange(input.begin.kept, {});
  if (!begins_again()) return;
  if (kept.empty())
    throw Error(ErrorKind::input,
                options_.input.name + ": can't be cut: its first picture comes too late");
  input.begin.packets = std::move(kept);
  decoding.decoder->begin_again();
  // The encoder and the records of a part need frames that are numbered from 0 on.
  if (options_.part) decoding.frames = decoding.decoder->make_frames(*picture, frames);
}

/// Returns whether the job reads all packets again that have led to the first picture.
bool Planning::begins_again() const {
  return job_.plan.lanes.count > 1 || options_.part || options_.join;
}

/// Makes the decoders of all lanes; the first lane has its decoder already.
void Planning::open_lanes(const AVFrame& first) {
  OpenInput& input = job_.input;
  input.lanes.emplace_back().backend = &backend_;
  input.lanes.front().decoding.decoder = std::move(input.begin.decoder);
  if (!options_.resources.shared)
    for (int i = 1; i < job_.plan.lanes.count; ++i)
      input.lanes.emplace_back().backend = options_.hide ? &backend_ : &all_.for_lane(i);
  else if (job_.plan.lanes.count > 1)
    input.picture = video::reference(first);
  open_decoders(job_, first, diagnostics_);
}

void Planning::plan_lanes() {
  LanePlan& lanes = job_.plan.lanes;
  lanes.count = 1;
  // Part files about hidden faces hold what one lane knows of its part.
  if (options_.join || (options_.part && options_.hide)) return;
  lanes.count = most_lanes();
  if (lanes.count > 1) {
    lanes.why_one = reason_for_one_lane();
    const bool exactly = options_.resources.lanes > 0 && !options_.resources.shared;
    if (!exactly && lanes.why_one.empty()) fit_lanes_to_input();
    if (!lanes.why_one.empty()) lanes.count = 1;
    if (options_.hide && lanes.count > 1) fit_lanes_to_memory();
  } else if (options_.resources.shared) {
    lanes.why_one = "other inputs have the other lanes";
  }
  if (!options_.resources.shared && options_.resources.lanes != 1) note_idle_devices();
  // With several threads, an encoder returns pictures late, and other lanes would wait for them.
  if (job_.plan.output && lanes.count > 1) job_.plan.output->encoder.threads = 1;
  if (several_lanes(options_, lanes) && options_.resources.frames_in_flight == 0)
    job_.plan.limits.frames = frames_of_each_lane(options_);
}

/// Returns the most lanes that options and devices allow, if the input can be cut into segments.
int Planning::most_lanes() const {
  if (options_.resources.shared && !options_.resources.shared->may_grow) return 1;
  if (options_.resources.lanes > 0) return options_.resources.lanes;
  const Backend& devices = options_.hide ? backend_ : all_;
  const int decoders = devices.decoders(*demuxer().video().codecpar, *job_.input.begin.decoder);
  return std::max(1, options_.resources.shared
                         ? std::min(options_.resources.shared->count, decoders)
                         : decoders);
}

/// Returns about how many frames the input or the part has; 0 if that is unknown.
std::int64_t Planning::frames_of_job() const {
  const std::int64_t all = demuxer().expected_frames();
  if (!options_.part) return all;
  const std::int64_t end = end_packet(*options_.part).value_or(all);
  return std::max<std::int64_t>(0, end - first_packet(*options_.part));
}

void Planning::note_idle_devices() {
  const LanePlan& lanes = job_.plan.lanes;
  const Device works = backend_.device();
  const bool all_work = lanes.count > 1 && !options_.hide;
  if (all_work || all_.for_lane(1).device() == works) return;
  diagnostics_.notices.add(
      "only " + to_string(works) + " works on it: " +
      (lanes.why_one.empty() ? "faces are followed on one device" : lanes.why_one));
}

/// Reduces the number of lanes, so that each lane gets at least kFramesOfLane frames.
void Planning::fit_lanes_to_input() {
  LanePlan& lanes = job_.plan.lanes;
  const AVIOContext* const io = demuxer().format().pb;
  const std::int64_t frames = frames_of_job();
  if (io == nullptr || (io->seekable & AVIO_SEEKABLE_NORMAL) == 0)
    lanes.why_one = "it may be live, and a search for cuts would delay its pictures";
  else if (frames > 0 && frames < 2 * kFramesOfLane)
    lanes.why_one = "it is too short for several lanes";
  else if (frames > 0)
    lanes.count = static_cast<int>(std::min<std::int64_t>(frames / kFramesOfLane, lanes.count));
}

/// Reduces the number of lanes, so that the frames that wait for their segment's turn fit into
/// memory. These frames may use HideJob::most_bytes, but at most a part of the device's free memory
/// (lent_by_device()).
void Planning::fit_lanes_to_memory() {
  LanePlan& lanes = job_.plan.lanes;
  FlightLimits& limits = job_.plan.limits;
  const std::int64_t of_device = lent_by_device(backend_);
  const std::int64_t of_user = options_.hide->most_bytes;
  const LaneRoom room(options_, demuxer(), limits, std::min(of_user, of_device));
  const int wanted = lanes.count;
  lanes.count = std::min(room.lanes(), wanted);
  const std::string why = (of_user <= of_device ? "--lookahead-memory" : "the device's memory") +
                          std::string(" has no room for the frames of more lanes");
  if (lanes.count < wanted)
    diagnostics_.notices.add(std::to_string(lanes.count) + (lanes.count == 1 ? " lane" : " lanes") +
                             " instead of " + std::to_string(wanted) + ": " + why);
  if (lanes.count == 1)
    lanes.why_one = why;
  else
    room.give(lanes.count, limits);
}

/// Returns why there is only one lane; empty if there may be several.
std::string Planning::reason_for_one_lane() const {
  if ((options_.follow && !options_.hide) || options_.search.every > 1) {
    std::string reason = "tracking needs the pictures in their order";
    if (options_.resources.lanes > 1 && !options_.resources.shared)
      throw Error(ErrorKind::usage,
                  "--lanes " + std::to_string(options_.resources.lanes) + ": " + reason);
    return reason;
  }
  if (job_.plan.output &&
      !video::encodes_one_by_one(*job_.plan.output->encoder.plan.codec, options_.output.encoder)) {
    const std::string codec = job_.plan.output->encoder.plan.codec->name;
    const std::string with = options_.output.encoder.options.empty() ? "" : ", with its options,";
    std::string reason = codec + with + " needs the pictures in their order";
    if (options_.resources.lanes > 1)
      throw Error(ErrorKind::usage,
                  "--lanes " + std::to_string(options_.resources.lanes) + ": " + reason);
    return reason;
  }
  const std::int64_t frames = frames_of_job();
  if (frames > 0 && frames < 2 * video::kShortestSegment) return "it is too short to be cut";
  if ((options_.input.start_s || options_.input.end_s) && demuxer().lacks_time_stamps())
    return "its frames have no time stamps by which to find the chosen range";
  if (job_.input.begin.kept.empty()) return "its first picture comes too late";
  return {};
}

void Planning::plan_encoder(const video::PictureFacts& pictures, Size encoded) {
  video::EncoderPlan& plan = job_.plan.output->encoder.plan;
  plan = backend_.plan_encoder(*plan.codec, pictures, encoded, options_, diagnostics_.notices);
}

/// Plans the side data of the whole stream. They come from the container or the first picture.
void Planning::plan_picture_data(const AVFrame& first) {
  OutputPlan& output = *job_.plan.output;
  output.encoder.stream_data = video::stream_data_of(demuxer().video(), first);
  for (const std::string& lost :
       video::lost_stream_data(demuxer().video(), first, output.encoder, format()))
    video::note_lost(diagnostics_.notices, lost, output.muxer.strict, output.encoder.output);
}

/// Throws Error(output) if the encoder keeps fewer bits than the pictures have.
void Planning::refuse_8bit(const video::PictureFacts& pictures) const {
  const AVCodec& codec = *job_.plan.output->encoder.plan.codec;
  const bool deep = video::bits_of(pictures.format) > 8;
  if (!video::narrows_to_8_bits(codec) || !deep) return;
  if (video::is_image_format(format())) return;  // a picture keeps its own format
  throw Error(ErrorKind::output, options_.output.path.string() + ": " + codec.name +
                                     " keeps only 8 bits, but the pictures have more; --allow-8bit "
                                     "accepts that, --codec libx264 keeps 10");
}

std::string Planning::nothing_decoded() const {
  const bool empty_range = job_.input.begin.decoder->ledger().packets == 0 &&
                           (options_.input.start_s || options_.input.end_s);
  return empty_range ? "no frame in the chosen range" : "no frame could be decoded";
}

/// Moves the input of a part from its first picture to the packets before the part. Returns false
/// if the input can't go on there or here, so that it must be opened again.
bool go_to_part(OpenInput& input, const video::PacketPlace& before) {
  auto packets = video::go_to(input.demuxer(), before);
  if (!packets) return false;
  input.begin.packets = std::move(*packets);
  input.begin.other_packets.clear();
  input.packets_before = before.index;
  return true;
}

}  // namespace

PlannedJob plan_job(const JobOptions& options, Backend& backend, JobDiagnostics diagnostics,
                    const std::stop_token& stop, std::unique_ptr<video::Source> opened) {
  {
    PlannedJob job = Planning(options, backend, diagnostics, stop).run(std::move(opened));
    const bool is_far = options.part && options.part->before && job.input.first &&
                        !job.input.begin.ended && job.input.demuxer().remote() == nullptr;
    if (!is_far || go_to_part(job.input, *options.part->before)) return job;
  }
  return Planning(options, backend, diagnostics, stop).run(nullptr);
}

}  // namespace facepipe::pipeline
