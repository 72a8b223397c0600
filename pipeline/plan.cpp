#include "pipeline/plan.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include "core/error.h"
#include "video/bitstream/cuts.h"
#include "video/ffmpeg_compat.h"
#include "video/frames/pictures.h"
#include "video/frames/working_format.h"
#include "video/read/start_search.h"
#include "video/read/stored_orientation.h"
#include "video/write/container.h"
#include "video/write/image_sequence.h"
#include "video/write/picture_data.h"
#include "video/write/trial_muxer.h"
#include "video/write/watched_encoder.h"

namespace facepipe::pipeline {
namespace {

// To start a lane takes as long as some 70 frames of 1080p on an H100.
constexpr std::int64_t kFramesOfLane = 250;
// So many frames of a lane keep an H100 busy; more would only wait. Several lanes need fewer each;
// if they encode, one frame can be searched while another is encoded.
constexpr int kInFlight = 4;
constexpr int kInFlightOfLanes = 1;
constexpr int kInFlightOfEncodingLanes = 2;
constexpr std::int64_t kPixelsInFlight = std::int64_t{1} << 27;

// So many frames of a lane that hides are on their way to the tracker, between its two threads, in
// the second one's hand, and on their way back.
constexpr int kBetweenStages = 4;
// A lane's encoder and the queue before it hold so many hidden frames, besides those that wait.
constexpr int kHiddenInFlight = 4;
// Frames of a lane that wait for their segment's turn: so many are worth another lane, and no more
// are of use where there is a cut each few seconds.
constexpr int kLeastOfLane = 32;
constexpr int kMostOfLane = 256;
// What waits in lanes takes such a part of a device's free memory at most.
constexpr std::int64_t kShareOfFreeMemory = 4;
// Room that the segment whose turn it is always has, beside the look-ahead.
constexpr int kRoomOfHead = 16;

/// Whether the device works on more than one lane at once, of this job or of several.
bool several_lanes(const JobOptions& options, const LanePlan& lanes) {
  return lanes.count > 1 || options.shared;
}

/// Frames that the look-ahead needs.
int frames_ahead(const HideJob& hide, const video::Demuxer& demuxer) {
  if (hide.known) return 0;
  const double rate = static_cast<double>(demuxer.frame_rate().num) / demuxer.frame_rate().den;
  const double wanted = std::ceil(hide.tracks.look_ahead_s * rate) + 1;
  return static_cast<int>(std::clamp<double>(wanted, 1, track::kMostWaitingFrames));
}

/// Returns how many waiting frames `memory` holds. A frame takes six bytes for each two pixels, or
/// its small luma if pictures aren't kept.
int frames_in(std::int64_t memory, const video::Demuxer& demuxer, bool keeps_pictures) {
  const AVCodecParameters& video = *demuxer.video().codecpar;
  const std::int64_t pixels = std::int64_t{video.width} * video.height;
  const std::int64_t bytes = std::max<std::int64_t>(1, keeps_pictures ? pixels * 3 : pixels / 2);
  return static_cast<int>(std::min<std::int64_t>(memory / bytes, INT_MAX));
}

/// Returns how many of the tracker's frames count as held.
int held_by_tracker(const JobOptions& options, const HideCapacity& frames) {
  return options.output.empty() ? 0 : frames.waiting;
}

/// Counts frames for one lane: some that are held are between the stages, not waiting.
HideCapacity frames_to_hide(const JobOptions& options, const video::Demuxer& demuxer,
                            int in_flight) {
  const HideJob& hide = *options.hide;
  HideCapacity frames;
  frames.waiting =
      std::min(frames_ahead(hide, demuxer), std::max(1, frames_in(hide.most_bytes, demuxer, true)));
  frames.held = held_by_tracker(options, frames) + kBetweenStages + in_flight;
  frames.pictures = frames.waiting + kBetweenStages + kHiddenInFlight;
  return frames;
}

FlightLimits flight_limits(const JobOptions& options, const video::Demuxer& demuxer,
                           const Backend& backend) {
  const AVCodecParameters& video = *demuxer.video().codecpar;
  const std::int64_t pixels = std::int64_t{video.width} * video.height;
  const auto most = static_cast<int>(std::clamp<std::int64_t>(kPixelsInFlight / pixels, 2, 1024));
  constexpr int kDecodedAndBetween = 2;
  const bool one = demuxer.is_still_image();
  FlightLimits limits;
  const int wanted = options.frames_in_flight > 0 ? options.frames_in_flight : kInFlight;
  limits.frames = one ? 1 : std::min(wanted, most);
  // What waits for a frame that is searched is on its way, too; where faces are hidden, it waits
  // behind that.
  if (!one && !options.hide) limits.frames += options.every - 1;
  if (options.hide) limits.hiding = frames_to_hide(options, demuxer, limits.frames);
  limits.frames_alive =
      one ? 1 : limits.frames + backend.frames_held_by_codecs() + kDecodedAndBetween;
  return limits;
}

/// Does a step for each lane, without those of devices that fail at it.
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
      notices.add(to_string(device) + " failed: " + error.what() + "; the others go on without it");
      failed.push_back({device, 0, 0, error.what()});
    }
  }
  job.plan.lanes.count -= static_cast<int>(std::erase_if(lanes, has_failed));
}

/// Opens a lane's decoder, and makes it where it isn't made yet, as the first one's is.
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
          input.demuxer->is_still_image(),
          plan.limits.hiding,
          several_lanes(options, plan.lanes),
          diagnostics.copies,
          input.demuxer->origin_us()};
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

/// Tells what becomes of a stream, if it isn't kept as it is.
void tell_stream(const video::StreamPlan& stream, const OutputPlan& output,
                 video::Notices& notices) {
  if (stream.notice.empty()) return;
  video::tell_lost(notices, stream.notice, stream.lost && output.muxer.strict,
                   output.encoder.output);
}

/// Only the muxer knows what it takes together with the video as it is encoded.
void fit_streams_to_muxer(OutputPlan& plan, const video::Demuxer& demuxer,
                          const video::VideoStreamInfo& video, video::Notices& notices) {
  for (const std::size_t dropped :
       video::drop_refused_streams(demuxer, *plan.muxer.format, video, plan.streams))
    tell_stream(plan.streams[dropped], plan, notices);
}

/// Frames of the video, at its rate, in front of the one that a chosen part begins with.
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

class Planning {
 public:
  Planning(const JobOptions& options, Backend& backend, JobDiagnostics diagnostics,
           const std::stop_token& stop)
      : options_(options),
        all_(backend),
        backend_(backend.for_lane(options.shared ? options.shared->own : 0)),
        diagnostics_(diagnostics),
        stop_(stop) {}

  PlannedJob run(std::unique_ptr<video::Demuxer> opened);

 private:
  void open_input(std::unique_ptr<video::Demuxer> opened);
  void tell_look_ahead();
  void plan_output();
  [[nodiscard]] video::EncoderOptions encoder_options() const;
  [[nodiscard]] std::int64_t output_offset_us() const;
  void plan_streams();
  void discard_unwanted();
  void read_until_first();
  void plan_decoding();
  void tell_left_out();
  void tell_lost_transparency(const AVFrame& first, const video::PictureFacts& pictures);
  void plan_frames();
  void plan_encoder(const video::PictureFacts& pictures, Size encoded);
  void plan_picture_data(const AVFrame& first);
  void plan_lanes();
  [[nodiscard]] int most_lanes() const;
  void tell_idle_devices();
  void fit_lanes_to_input();
  void fit_lanes_to_memory();
  [[nodiscard]] std::string reason_for_one_lane() const;
  void open_lanes(const AVFrame& first);
  void refuse_8bit(const video::PictureFacts& pictures) const;
  [[nodiscard]] std::string nothing_decoded() const;
  [[nodiscard]] const AVOutputFormat& format() const { return *job_.plan.output->muxer.format; }
  [[nodiscard]] video::Demuxer& demuxer() const { return *job_.input.demuxer; }
  [[nodiscard]] bool output_tags_rotation() const {
    return !job_.plan.output || video::compat::muxer_writes_rotation(format());
  }

  const JobOptions& options_;
  Backend& all_;      // devices
  Backend& backend_;  // of the first lane
  const JobDiagnostics diagnostics_;
  const std::stop_token& stop_;
  PlannedJob job_;
};

PlannedJob Planning::run(std::unique_ptr<video::Demuxer> opened) {
  open_input(std::move(opened));
  job_.plan.limits = flight_limits(options_, demuxer(), backend_);
  tell_look_ahead();
  if (!options_.output.empty()) plan_output();
  discard_unwanted();
  read_until_first();
  tell_left_out();
  if (job_.input.begin.picture)
    plan_frames();
  else if (!stop_.stop_requested())
    throw Error(ErrorKind::input, options_.input + ": " + nothing_decoded());
  return std::move(job_);
}

void Planning::open_input(std::unique_ptr<video::Demuxer> opened) {
  if (opened)
    opened->stop_with(stop_);
  else
    opened = std::make_unique<video::Demuxer>(
        options_.input, stop_,
        options_.allow_references ? video::References::open : video::References::refuse,
        options_.max_pixels);
  job_.input.demuxer = std::move(opened);
}

void Planning::tell_look_ahead() {
  if (!options_.hide || options_.hide->known || options_.output.empty()) return;
  const int waiting = job_.plan.limits.hiding.waiting;
  const int wanted = frames_ahead(*options_.hide, demuxer());
  if (waiting < wanted)
    diagnostics_.notices.add("the look-ahead is " + std::to_string(waiting) +
                             " frames instead of " + std::to_string(wanted) +
                             ": --lookahead-memory allows no more");
}

/// Plans all of the output that is known before the first picture.
void Planning::plan_output() {
  OutputPlan& output = job_.plan.output.emplace();
  video::MuxerOptions& muxer = output.muxer;
  muxer.output = options_.output;
  muxer.format = &video::muxer_for(options_.output, options_.format);
  muxer.existing = options_.existing;
  muxer.stop = stop_;
  muxer.strict = options_.strict;
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
  encoder.threads = options_.threads;
  encoder.one_picture = demuxer().is_still_image();
  encoder.output = options_.output.string();
  encoder.plan.codec =
      &video::choose_codec(options_.encoder, format(), encoder.output, diagnostics_.notices);
  backend_.check_encoder(*encoder.plan.codec);
  plan_streams();
}

/// In a folder of videos and photos what is said of the videos' encoder can't be meant for the
/// photos', which nobody has named.
video::EncoderOptions Planning::encoder_options() const {
  video::EncoderOptions options = options_.encoder;
  if (!video::is_image_format(format()) || !options.codec.empty()) return options;
  const auto leave_out = [&](const char* name) {
    diagnostics_.notices.add(
        std::string(name) + " left out: it is for encoders of videos, and the output is " +
        format().name + " pictures (--encoder-option sets what their encoder knows)");
  };
  if (!std::exchange(options.preset, {}).empty()) leave_out("--preset");
  if (std::exchange(options.crf, std::nullopt)) leave_out("--crf");
  return options;
}

/// What is subtracted from all stamps. Where no part was chosen they stay as they are, as far as a
/// container can hold them.
std::int64_t Planning::output_offset_us() const {
  const std::int64_t origin = demuxer().origin_us();
  if (options_.start_s) return origin + std::llround(*options_.start_s * AV_TIME_BASE);
  return video::has_fixed_frame_rate(format()) ? origin : std::min<std::int64_t>(origin, 0);
}

void Planning::plan_streams() {
  OutputPlan& output = *job_.plan.output;
  output.streams = video::plan_streams(demuxer(), format(), output.muxer.originals);
  for (const video::StreamPlan& stream : output.streams)
    tell_stream(stream, output, diagnostics_.notices);
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
  result.threads = options_.threads;
  result.start_s = options_.start_s;
  result.end_s = options_.end_s;
  result.scale_on_change = options_.scale_on_size_change;
  result.tags_rotation = output_tags_rotation();
  result.frames_alive = job_.plan.limits.frames_alive;
  // Which are hidden as a whole; but a decoder that was named isn't replaced.
  result.must_tell_damage = options_.hide && options_.decoder == video::DecoderChoice::automatic;
}

void Planning::read_until_first() {
  if (options_.start_s && *options_.start_s > 0 && !demuxer().lacks_time_stamps())
    video::seek_to_start(demuxer(), *options_.start_s);
  plan_decoding();
  DecodingPlan& decoding = job_.plan.decoding;
  const auto open = [&](video::DecoderChoice choice) {
    return backend_.make_decoder(demuxer(), decoding.options, choice, diagnostics_.notices,
                                 diagnostics_.copies);
  };
  const auto wants = [&](const AVPacket& packet, const video::Decoder& chosen) {
    tell_late_stream(job_.plan, demuxer(), packet, diagnostics_.notices);
    return wants_packet(job_.plan, demuxer(), chosen, packet);
  };
  video::FirstPicture& begin = job_.input.begin;
  begin = video::read_first_picture(demuxer(), open, options_.decoder, wants, diagnostics_.notices);
  decoding.choice = begin.decoder->may_refuse() ? options_.decoder : video::DecoderChoice::cpu;
}

/// Tells what the decoder leaves out, as the video's packets say.
void Planning::tell_left_out() {
  for (const std::string& sentence : demuxer().left_out())
    video::tell_lost(diagnostics_.notices, sentence, options_.strict, options_.input);
}

void Planning::tell_lost_transparency(const AVFrame& first, const video::PictureFacts& pictures) {
  const bool decoded = video::has_alpha(static_cast<AVPixelFormat>(first.format));
  const auto tell = [this](const std::string& why) {
    video::tell_lost(diagnostics_.notices, "transparency dropped, which " + why, options_.strict,
                     options_.input);
  };
  if (!decoded && demuxer().has_transparency_beside())
    tell("the decoder " + job_.input.begin.decoder->name() + " doesn't give");
  if (!decoded || !job_.plan.output) return;
  const AVPixelFormat encoded = job_.plan.output->encoder.plan.encoded;
  const bool told = !video::has_alpha(pictures.format);  // by a decoder that has dropped it
  if (!video::has_alpha(encoded) && (!told || options_.strict))
    tell(std::string(av_get_pix_fmt_name(encoded)) + " doesn't have");
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
    if (!options_.allow_8bit) refuse_8bit(pictures);
    plan_picture_data(first);
    frames.format = job_.plan.output->encoder.plan.working;
  }
  tell_lost_transparency(first, pictures);
  plan_lanes();
  open_lanes(first);
  input.first = input.lanes.front().decoding.frames->make(std::move(*input.begin.picture));
  input.begin.picture.reset();
  std::deque<video::ReadPacket> kept = std::exchange(input.begin.kept, {});
  if (job_.plan.lanes.count == 1) return;
  input.begin.packets = std::move(kept);
  input.lanes.front().decoding.decoder->begin_again();
}

/// Opens the decoders of all lanes. The first lane has its decoder already. All give frames like
/// the first picture's.
void Planning::open_lanes(const AVFrame& first) {
  OpenInput& input = job_.input;
  input.lanes.emplace_back().backend = &backend_;
  input.lanes.front().decoding.decoder = std::move(input.begin.decoder);
  if (!options_.shared)
    for (int i = 1; i < job_.plan.lanes.count; ++i)
      input.lanes.emplace_back().backend = options_.hide ? &backend_ : &all_.for_lane(i);
  else if (job_.plan.lanes.count > 1)
    input.picture = video::reference(first);
  each_lane(job_, diagnostics_.notices, [&](LaneParts& lane) {
    open_decoder(lane, job_.plan, demuxer(), first, diagnostics_);
  });
}

void Planning::plan_lanes() {
  LanePlan& lanes = job_.plan.lanes;
  lanes.count = most_lanes();
  if (lanes.count > 1) {
    lanes.why_one = reason_for_one_lane();
    const bool exactly = options_.lanes > 0 && !options_.shared;
    if (!exactly && lanes.why_one.empty()) fit_lanes_to_input();
    if (!lanes.why_one.empty()) lanes.count = 1;
    if (options_.hide && lanes.count > 1) fit_lanes_to_memory();
  } else if (options_.shared) {
    lanes.why_one = "other inputs have the other lanes";
  }
  if (!options_.shared && options_.lanes != 1) tell_idle_devices();
  // An encoder of several threads gives pictures late.
  if (job_.plan.output && lanes.count > 1) job_.plan.output->encoder.threads = 1;
  if (several_lanes(options_, lanes) && options_.frames_in_flight == 0)
    job_.plan.limits.frames = job_.plan.output ? kInFlightOfEncodingLanes : kInFlightOfLanes;
}

/// Returns how many lanes there may be, before it is known whether the input can be cut.
int Planning::most_lanes() const {
  if (options_.shared && !options_.shared->may_grow) return 1;
  if (options_.lanes > 0) return options_.lanes;
  const Backend& devices = options_.hide ? backend_ : all_;
  const int decoders = devices.decoders(*demuxer().video().codecpar, *job_.input.begin.decoder);
  return std::max(1, options_.shared ? std::min(options_.shared->count, decoders) : decoders);
}

void Planning::tell_idle_devices() {
  const LanePlan& lanes = job_.plan.lanes;
  const Device works = backend_.device();
  const bool all_work = lanes.count > 1 && !options_.hide;
  if (all_work || all_.for_lane(1).device() == works) return;
  diagnostics_.notices.add(
      "only " + to_string(works) + " works on it: " +
      (lanes.why_one.empty() ? "faces are followed on one device" : lanes.why_one));
}

/// Leaves as many of the lanes that there might be as are worth it.
void Planning::fit_lanes_to_input() {
  LanePlan& lanes = job_.plan.lanes;
  const AVIOContext* const io = demuxer().format().pb;
  const std::int64_t frames = demuxer().expected_frames();
  if (io == nullptr || (io->seekable & AVIO_SEEKABLE_NORMAL) == 0)
    lanes.why_one = "it may be live: to look for cuts would hold pictures back";
  else if (frames > 0 && frames < 2 * kFramesOfLane)
    lanes.why_one = "it is too short to be worth several";
  else if (frames > 0)
    lanes.count = static_cast<int>(std::min<std::int64_t>(frames / kFramesOfLane, lanes.count));
}

/// Leaves as many lanes as there is memory for, because frames wait for their segment's turn: the
/// memory that the user lends, as long as the device keeps most of what it has left.
void Planning::fit_lanes_to_memory() {
  LanePlan& lanes = job_.plan.lanes;
  FlightLimits& limits = job_.plan.limits;
  HideCapacity& frames = limits.hiding;
  const std::int64_t of_device = backend_.free_memory() / kShareOfFreeMemory;
  const std::int64_t of_user = options_.hide->most_bytes;
  int room = frames_in(std::min(of_user, of_device), demuxer(), !options_.output.empty());
  if (options_.shared) room /= options_.shared->count;
  const int of_head = held_by_tracker(options_, frames) + kRoomOfHead;
  const int wanted = lanes.count;
  lanes.count = std::clamp(1 + (room - of_head) / kLeastOfLane, 1, wanted);
  const std::string why = (of_user <= of_device ? "--lookahead-memory" : "the device's memory") +
                          std::string(" has no room for the frames of more");
  if (lanes.count < wanted)
    diagnostics_.notices.add(std::to_string(lanes.count) + (lanes.count == 1 ? " lane" : " lanes") +
                             " instead of " + std::to_string(wanted) + ": " + why);
  if (lanes.count == 1) {
    lanes.why_one = why;
    return;
  }
  frames.held = std::min<int>(room, of_head + lanes.count * kMostOfLane);
  frames.pictures = frames.held;
  limits.max_held_later_segments = frames.held - of_head;
}

/// Returns why there is only one lane; empty if there may be several.
std::string Planning::reason_for_one_lane() const {
  if ((options_.follow && !options_.hide) || options_.every > 1) {
    std::string reason = "tracking needs the pictures in their order";
    if (options_.lanes > 1 && !options_.shared)
      throw Error(ErrorKind::usage, "--lanes " + std::to_string(options_.lanes) + ": " + reason);
    return reason;
  }
  if (job_.plan.output &&
      !video::encodes_one_by_one(*job_.plan.output->encoder.plan.codec, options_.encoder)) {
    const std::string codec = job_.plan.output->encoder.plan.codec->name;
    const std::string with = options_.encoder.options.empty() ? "" : ", with its options,";
    std::string reason = codec + with + " needs the pictures in their order";
    if (options_.lanes > 1)
      throw Error(ErrorKind::usage, "--lanes " + std::to_string(options_.lanes) + ": " + reason);
    return reason;
  }
  const std::int64_t frames = demuxer().expected_frames();
  if (frames > 0 && frames < 2 * video::kShortestSegment) return "it is too short to be cut";
  if ((options_.start_s || options_.end_s) && demuxer().lacks_time_stamps())
    return "its frames have no time stamps by which to find the chosen range";
  if (job_.input.begin.kept.empty()) return "its first picture comes too late";
  return {};
}

void Planning::plan_encoder(const video::PictureFacts& pictures, Size encoded) {
  video::EncoderPlan& plan = job_.plan.output->encoder.plan;
  plan = backend_.plan_encoder(*plan.codec, pictures, encoded, options_, diagnostics_.notices);
}

/// Plans the data that hold for the whole stream, whoever gives them: the container, or the first
/// picture.
void Planning::plan_picture_data(const AVFrame& first) {
  OutputPlan& output = *job_.plan.output;
  output.encoder.stream_data = video::stream_data_of(demuxer().video(), first);
  for (const std::string& lost :
       video::lost_stream_data(demuxer().video(), first, output.encoder, format()))
    video::tell_lost(diagnostics_.notices, lost, output.muxer.strict, output.encoder.output);
}

/// Throws Error(output) if the encoder has fewer bits than the pictures, and nobody has allowed
/// that.
void Planning::refuse_8bit(const video::PictureFacts& pictures) const {
  const AVCodec& codec = *job_.plan.output->encoder.plan.codec;
  const bool deep = video::bits_of(pictures.format) > 8;
  if (!video::narrows_to_8_bits(codec) || !deep) return;
  if (video::is_image_format(format())) return;  // a picture keeps its own format
  throw Error(ErrorKind::output, options_.output.string() + ": " + codec.name +
                                     " holds 8 bits, and the pictures have more; --allow-8bit "
                                     "lets it, --codec libx264 keeps 10");
}

std::string Planning::nothing_decoded() const {
  const bool empty_range =
      job_.input.begin.decoder->ledger().packets == 0 && (options_.start_s || options_.end_s);
  return empty_range ? "no frame in the chosen range" : "no frame could be decoded";
}

}  // namespace

PlannedJob plan_job(const JobOptions& options, Backend& backend, JobDiagnostics diagnostics,
                    const std::stop_token& stop, std::unique_ptr<video::Demuxer> opened) {
  return Planning(options, backend, diagnostics, stop).run(std::move(opened));
}

bool wants_packet(const JobPlan& plan, const video::Demuxer& demuxer, const video::Decoder& decoder,
                  const AVPacket& packet) {
  const auto stream = static_cast<std::size_t>(packet.stream_index);
  return plan.output && video::keeps(plan.output->streams, stream) &&
         decoder.in_range(packet, demuxer.format().streams[stream]->time_base);
}

void tell_late_stream(const JobPlan& plan, const video::Demuxer& demuxer, const AVPacket& packet,
                      video::Notices& notices) {
  if (!plan.output || !demuxer.is_late(packet.stream_index)) return;
  const AVStream& stream = *demuxer.format().streams[packet.stream_index];
  tell_stream(video::plan_late_stream(stream, plan.output->muxer.originals), *plan.output, notices);
}

/// Counts as if frames came at a steady rate.
std::int64_t expected_frames(const video::Demuxer& demuxer, const JobOptions& options) {
  const std::int64_t all = demuxer.expected_frames();
  if (all <= 1 || (!options.start_s && !options.end_s)) return all;
  const Rational rate = demuxer.frame_rate();
  const std::int64_t duration_us = demuxer.duration_us();
  const double lasts_s = duration_us > 0 ? static_cast<double>(duration_us) / AV_TIME_BASE
                                         : static_cast<double>(all) * rate.den / rate.num;
  const double from_s = std::clamp(options.start_s.value_or(0), 0.0, lasts_s);
  const double to_s = std::clamp(options.end_s.value_or(lasts_s), from_s, lasts_s);
  const double frames = static_cast<double>(all) * (to_s - from_s) / lasts_s;
  return std::max<std::int64_t>(1, std::llround(frames));
}

std::unique_ptr<video::Muxer> open_output(PlannedJob& job, JobDiagnostics diagnostics) {
  OutputPlan& plan = *job.plan.output;
  const Frame& first = job.input.first->frame;
  each_lane(job, diagnostics.notices,
            [&](LaneParts& lane) { open_encoder(lane, plan, first, diagnostics); });
  const video::Encoder& encoder = *job.input.lanes.front().encoder;
  video::VideoStreamInfo info;
  info.parameters = encoder.parameters();
  info.time_base = encoder.time_base();
  info.frame_rate = plan.encoder.frame_rate;
  info.sample_aspect = first.sample_aspect;
  info.duration_us = job.input.demuxer->duration_us();
  info.side_data = plan.encoder.stream_data;
  if (first.orientation.upright())
    std::erase_if(info.side_data, [](const video::StreamData& data) {
      return data.type == AV_PKT_DATA_DISPLAYMATRIX;
    });
  fit_streams_to_muxer(plan, *job.input.demuxer, info, diagnostics.notices);
  video::MuxerOptions muxer = plan.muxer;
  muxer.timecode_delay = frames_before(*job.input.demuxer, first, muxer.offset_us);
  return std::make_unique<video::Muxer>(*job.input.demuxer, std::move(muxer), plan.streams, info,
                                        diagnostics.notices);
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

LaneParts make_lane(Backend& backend, const JobPlan& plan, const JobOptions& options,
                    const OpenInput& input, JobDiagnostics diagnostics) {
  LaneParts lane;
  lane.backend = &backend;
  open_decoder(lane, plan, *input.demuxer, *input.picture, diagnostics);
  make_processor(lane, plan, options, input, diagnostics);
  if (plan.output) open_encoder(lane, *plan.output, input.first->frame, diagnostics);
  return lane;
}

}  // namespace facepipe::pipeline
