#include "pipeline/job.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "pipeline/channel.h"
#include "pipeline/record_order.h"
#include "pipeline/runner.h"
#include "pipeline/stages.h"
#include "pipeline/statistics.h"
#include "pipeline/work_item.h"
#include "video/container.h"
#include "video/decoder.h"
#include "video/demuxer.h"
#include "video/ffmpeg_compat.h"

namespace facepipe {
namespace {

// Enough to keep the decoder busy while the disk is slow; a frame's total time begins in this
// queue.
constexpr int kPacketsQueued = 8;

// Of pictures in flight together; but two are let in, however large.
constexpr std::int64_t kPixelsInFlight = std::int64_t{1} << 27;

int frames_in_flight(const JobOptions& options, const AVCodecParameters& video) {
  const std::int64_t pixels = std::int64_t{video.width} * video.height;
  const auto most = static_cast<int>(std::clamp<std::int64_t>(kPixelsInFlight / pixels, 2, 1024));
  return std::min(options.frames_in_flight, most);
}

/// One run: the stages as member functions, each the body of one thread, in the order of a frame.
class Job {
 public:
  Job(const JobOptions& options, std::unique_ptr<Stages> stages, const JobObserver& observer,
      std::stop_token stop);

  JobResult run();

 private:
  // Stages, in the order in which a frame meets them.
  void read();
  void decode();
  void preprocess();
  void detect();
  void overlay();
  void encode();
  void mux();
  void record();

  [[nodiscard]] bool writes_video() const { return muxer_ != nullptr; }
  [[nodiscard]] AVRational time_base_of(const AVPacket& packet) const {
    return demuxer_.format().streams[packet.stream_index]->time_base;
  }
  [[nodiscard]] PictureTarget choose_target(const AVFrame& first, Orientation orientation);
  void refuse_8bit(const AVFrame& first) const;
  void open_output();
  void discard_unwanted();
  void open_encoder(const Frame& first);
  void finish_record(FrameRecord record);
  void check_complete();
  JobResult result();
  void finish_output(JobResult& result);

  Statistics statistics_;  // its clock starts before the input is opened
  const JobOptions& options_;
  std::unique_ptr<Stages> stages_;
  const JobObserver& observer_;
  std::stop_token stop_;
  std::stop_source ending_;  // the input ends: by stop_, or because the disk is full
  const std::stop_callback<std::function<void()>> stop_ends_{stop_,
                                                             [this] { ending_.request_stop(); }};
  Notices notices_;
  Demuxer demuxer_;
  std::unique_ptr<Decoder> decoder_;
  const AVOutputFormat* format_ = nullptr;
  std::unique_ptr<Muxer> muxer_;  // nullptr without video
  EncoderPlan encoder_plan_;
  std::unique_ptr<Encoder> encoder_;

  Runner runner_;
  Slots in_flight_;
  Channel<ReadPacket> packets_;
  Channel<WorkItem> decoded_;
  Channel<WorkItem> started_;
  Channel<WorkItem> detected_;
  Channel<WorkItem> drawn_;
  Channel<MuxItem> to_mux_;

  RecordOrder order_;
  std::array<Clock::duration, kStageCount> work_{};  // each of one thread
  std::int64_t written_ = 0;
  Size size_;
  bool reached_end_ = false;  // of the chosen range, before the end of the file
};

Job::Job(const JobOptions& options, std::unique_ptr<Stages> stages, const JobObserver& observer,
         std::stop_token stop)
    : options_(options),
      stages_(std::move(stages)),
      observer_(observer),
      stop_(std::move(stop)),
      notices_(options.input),
      demuxer_(options.input, ending_.get_token(),
               options.allow_references ? References::open : References::refuse,
               options.max_pixels),
      in_flight_(frames_in_flight(options, *demuxer_.video().codecpar)),
      packets_(kPacketsQueued),
      decoded_(options.frames_in_flight),
      started_(options.frames_in_flight),
      detected_(options.frames_in_flight),
      drawn_(options.frames_in_flight),
      to_mux_(kPacketsQueued, 2) {
  if (!options.output.empty()) open_output();
  discard_unwanted();
  DecoderOptions decoder_options;
  decoder_options.threads = options.threads;
  decoder_options.start_s = options.start_s;
  decoder_options.end_s = options.end_s;
  decoder_options.scale_on_change = options.scale_on_size_change;
  decoder_options.tags_rotation = format_ == nullptr || compat::muxer_writes_rotation(*format_);
  decoder_ = stages_->make_decoder(
      demuxer_, decoder_options,
      [this](const AVFrame& first, Orientation orientation) {
        return choose_target(first, orientation);
      },
      notices_);
}

void Job::open_output() {
  format_ = &muxer_for(options_.output, options_.format);
  MuxerOptions muxer_options;
  muxer_options.output = options_.output;
  muxer_options.format = format_;
  muxer_options.strict = options_.strict;
  muxer_options.existing = options_.existing;
  muxer_options.stop = stop_;
  muxer_options.sequence =
      is_image_format(*format_) && !demuxer_.is_still_image() && is_sequence_name(options_.output);
  if (options_.start_s)
    muxer_options.offset_us = demuxer_.origin_us() + std::llround(*options_.start_s * AV_TIME_BASE);
  encoder_plan_.codec =
      &choose_codec(options_.encoder, *format_, options_.output.string(), notices_);
  stages_->check_encoder(*encoder_plan_.codec);  // before there is a file
  muxer_ = std::make_unique<Muxer>(demuxer_, muxer_options, notices_);
}

void Job::discard_unwanted() {
  for (unsigned i = 0; i < demuxer_.format().nb_streams; ++i) {
    const bool video = static_cast<int>(i) == demuxer_.video_index();
    if (!video && !(writes_video() && muxer_->keeps(i))) demuxer_.discard(static_cast<int>(i));
  }
}

PictureTarget Job::choose_target(const AVFrame& first, Orientation orientation) {
  PictureTarget target{first.width, first.height, AV_PIX_FMT_NONE, {}};
  if (!writes_video()) {
    target.format = working_format(static_cast<AVPixelFormat>(first.format));
    return target;
  }
  if (!orientation.upright() && !compat::muxer_writes_rotation(*format_)) {
    target.rotate = orientation;
    notices_.add(std::string("rotation applied to the pixels, because ") + format_->name +
                 " has no tag for it here");
  }
  const Size encoded = upright_size({first.width, first.height}, target.rotate);
  encoder_plan_ = stages_->plan_encoder(*encoder_plan_.codec, first, encoded, notices_);
  if (!options_.allow_8bit) refuse_8bit(first);
  target.format = encoder_plan_.working;
  return target;
}

/// Who asks for fewer bits than the pictures have is to know it.
void Job::refuse_8bit(const AVFrame& first) const {
  const bool deep = bits_of(static_cast<AVPixelFormat>(first.format)) > 8;
  if (!narrows_to_8_bits(*encoder_plan_.codec) || !deep) return;
  if (is_image_format(*format_)) return;  // a picture keeps its own format
  throw Error(ErrorKind::output,
              options_.output.string() + ": " + encoder_plan_.codec->name +
                  " holds 8 bits, and the pictures have more; --allow-8bit lets it, "
                  "--codec libx264 keeps 10");
}

void Job::read() {
  if (options_.start_s && *options_.start_s > 0 && !demuxer_.lacks_time_stamps())
    demuxer_.seek_to_start(*options_.start_s);
  while (true) {
    ReadPacket item;
    {
      const ScopedInterval interval(item.read);
      item.packet = demuxer_.read();
    }
    if (!item.packet) break;
    if (item.packet->stream_index == demuxer_.video_index()) {
      if (decoder_->past_end(*item.packet)) {
        reached_end_ = true;
        break;
      }
      packets_.push(std::move(item));
    } else if (writes_video() && decoder_->in_range(*item.packet, time_base_of(*item.packet))) {
      to_mux_.push(SidePacket{std::move(item.packet)});
    }
  }
  packets_.close();
  if (writes_video()) to_mux_.close();
}

void Job::decode() {
  const auto sink = [this](DecodedFrame decoded) {
    WorkItem item;
    item.frame = std::move(decoded.frame);
    item.record.times = decoded.times;
    item.record.index = item.frame.index;
    item.record.pts_s = item.frame.seconds();
    item.record.size = item.frame.upright();
    item.in_flight = in_flight_.acquire(runner_.failed());
    decoded_.push(std::move(item));
  };
  while (std::optional<ReadPacket> item = packets_.pop())
    decoder_->decode(*item->packet, item->read, sink);
  decoder_->flush(sink);
  decoded_.close();
}

void Job::preprocess() {
  while (std::optional<WorkItem> item = decoded_.pop()) {
    size_ = item->frame.upright();
    stages_->start(*item, runner_.failed());
    started_.push(std::move(*item));
  }
  started_.close();
}

void Job::detect() {
  while (std::optional<WorkItem> item = started_.pop()) {
    stages_->finish(*item);
    detected_.push(std::move(*item));
  }
  detected_.close();
}

void Job::overlay() {
  while (std::optional<WorkItem> item = detected_.pop()) {
    stages_->draw(*item);
    drawn_.push(std::move(*item));
  }
  drawn_.close();
}

void Job::encode() {
  const auto sink = [this](EncodedFrame encoded) { to_mux_.push(std::move(encoded)); };
  while (std::optional<WorkItem> item = drawn_.pop()) {
    if (!encoder_) open_encoder(item->frame);
    encoder_->encode(std::move(item->frame), std::move(item->record), sink);
  }
  if (encoder_) encoder_->flush(sink);
  to_mux_.close();
}

void Job::open_encoder(const Frame& first) {
  EncoderSetup setup;
  setup.plan = encoder_plan_;
  setup.options = options_.encoder;
  setup.frame_rate = demuxer_.frame_rate();
  setup.fixed_frame_rate = has_fixed_frame_rate(*format_);
  setup.global_header = (format_->flags & AVFMT_GLOBALHEADER) != 0;
  setup.threads = options_.threads;
  setup.output = options_.output.string();
  encoder_ = stages_->make_encoder(setup, first, notices_);
  VideoStreamInfo info;
  info.parameters = encoder_->parameters();
  info.time_base = encoder_->time_base();
  info.frame_rate = setup.frame_rate;
  info.sample_aspect = first.sample_aspect;
  info.keep_rotation = !first.orientation.upright();
  to_mux_.push(std::move(info));
}

void Job::mux() {
  while (std::optional<MuxItem> item = to_mux_.pop()) {
    if (auto* info = std::get_if<VideoStreamInfo>(&*item)) muxer_->open(*info);
    if (auto* side = std::get_if<SidePacket>(&*item)) muxer_->write_side(std::move(side->packet));
    auto* encoded = std::get_if<EncodedFrame>(&*item);
    if (encoded == nullptr) continue;
    bool written = false;
    {
      const ScopedInterval interval(encoded->record.times[StageId::mux]);
      const ScopedCpuTime cpu(encoded->record.times, StageId::mux);
      written = muxer_->write_video(std::move(encoded->packet));
    }
    if (!written) {
      ending_.request_stop();  // the disk is full: what is on its way is dropped
      continue;
    }
    ++written_;
    order_.push(std::move(encoded->record),
                [this](FrameRecord record) { finish_record(std::move(record)); });
  }
}

void Job::record() {
  while (std::optional<WorkItem> item = detected_.pop()) finish_record(std::move(item->record));
}

void Job::finish_record(FrameRecord record) {
  if (observer_.frame) {
    // The last stage's work; without video there is none to book it to, and it is reported nowhere.
    const ScopedCpuTime cpu(record.times, StageId::mux);
    observer_.frame(record);
  }
  statistics_.add(record);
  if (observer_.progress) observer_.progress(statistics_.progress(demuxer_.expected_frames()));
}

JobResult Job::run() {
  for (Abortable* channel : std::initializer_list<Abortable*>{&packets_, &decoded_, &started_,
                                                              &detected_, &drawn_, &to_mux_})
    runner_.watch(*channel);
  const auto measured = [this](StageId stage, void (Job::*body)()) {
    runner_.stage(std::string(to_string(stage)), [this, stage, body] {
      const ScopedWork work(work_[static_cast<std::size_t>(stage)]);
      (this->*body)();
    });
  };
  measured(StageId::read, &Job::read);
  measured(StageId::decode, &Job::decode);
  runner_.stage("preprocess", [this] { preprocess(); });
  runner_.stage("detect", [this] { detect(); });
  if (writes_video()) {
    runner_.stage("overlay", [this] { overlay(); });
    measured(StageId::encode, &Job::encode);
    measured(StageId::mux, &Job::mux);
  } else {
    runner_.stage("record", [this] { record(); });
  }
  runner_.run();
  check_complete();
  return result();
}

void Job::check_complete() {
  const FrameLedger ledger = decoder_->ledger();
  if (ledger.decoded > 0) return;
  if (stop_.stop_requested()) return;
  const bool empty_range = ledger.packets == 0 && (options_.start_s || options_.end_s);
  throw Error(ErrorKind::input, options_.input + (empty_range ? ": no frame in the chosen range"
                                                              : ": no frame could be decoded"));
}

JobResult Job::result() {
  JobResult result;
  result.interrupted = stop_.stop_requested();
  result.ledger = decoder_->ledger();
  const bool whole_file = !ending_.stop_requested() && !reached_end_ && !options_.start_s;
  result.early_end = whole_file ? demuxer_.shortfall() : demuxer_.read_error();
  result.ledger.ended_early = !result.early_end.empty();
  if (result.ledger.ended_early) notices_.add("ended early: " + result.early_end);
  result.ledger.written = written_;
  if (result.ledger.lost > 0)
    notices_.add(std::to_string(result.ledger.lost) +
                 " frames lost: their packets gave no picture");
  if (result.ledger.damaged > 0)
    notices_.add(std::to_string(result.ledger.damaged) + " frames damaged");
  result.size = size_;
  stages_->report(result, notices_);
  result.decoder = decoder_->name();
  result.video_codec = avcodec_get_name(demuxer_.video().codecpar->codec_id);
  if (writes_video() && encoder_) finish_output(result);
  for (std::size_t i = 0; i < kStageCount; ++i)
    statistics_.add_work(static_cast<StageId>(i), work_[i]);
  statistics_.fill(result);
  if (observer_.times) observer_.times(statistics_.times());
  result.notices = notices_.all();
  return result;
}

void Job::finish_output(JobResult& result) {
  result.encoder = encoder_->name();
  result.container = format_->name;
  if (const int full = muxer_->full(); full != 0 && full != ECANCELED)
    result.output_error = options_.output.string() + ": " + write_failure(full);
  const bool one_picture = is_image_format(*format_) && !muxer_->is_sequence();
  const bool worth_keeping = written_ > 0 && !one_picture && !is_stream_target(options_.output);
  if (!result.output_error.empty() && !worth_keeping)
    throw Error(ErrorKind::output, result.output_error);
  if (result.interrupted || !result.output_error.empty()) {
    result.output = muxer_->finish_partial();
    return;
  }
  muxer_->finish();
  result.output = options_.output;
}

}  // namespace

JobResult run_job(const JobOptions& options, std::unique_ptr<Stages> stages,
                  const JobObserver& observer, const std::stop_token& stop) {
  return Job(options, std::move(stages), observer, stop).run();
}

JobResult run_job(const JobOptions& options, DetectorFactory& detectors,
                  const JobObserver& observer, const std::stop_token& stop) {
  return run_job(options, make_cpu_stages(options, detectors), observer, stop);
}

}  // namespace facepipe
