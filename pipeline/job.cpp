#include "pipeline/job.h"

#include <array>
#include <cerrno>
#include <memory>
#include <variant>

#include "core/slots.h"
#include "pipeline/backend.h"
#include "pipeline/channel.h"
#include "pipeline/plan.h"
#include "pipeline/record_order.h"
#include "pipeline/runner.h"
#include "pipeline/statistics.h"
#include "video/container.h"

namespace facepipe {
namespace {

/// Encoder or demuxer -> muxer.
struct SidePacket {
  UniqueAVPacket packet;
};
using MuxItem = std::variant<EncodedFrame, SidePacket>;

/// Completes the video under its name, or as a part under a partial one.
void finish_output(const JobOptions& options, const OutputPlan& plan, OpenOutput& output,
                   JobResult& result) {
  Muxer& muxer = *output.muxer;
  result.encoder = output.encoder->name();
  result.container = plan.muxer.format->name;
  const std::string name = options.output.string();
  if (const int full = muxer.full(); full != 0 && full != ECANCELED)
    result.output_error = name + ": " + write_failure(full);
  const bool one_picture = is_image_format(*plan.muxer.format) && !muxer.is_sequence();
  const bool worth_keeping =
      result.ledger.written > 0 && !one_picture && !is_stream_target(options.output);
  if (!result.output_error.empty() && !worth_keeping)
    throw Error(ErrorKind::output, result.output_error);
  if (result.interrupted || !result.output_error.empty()) {
    result.output = muxer.finish_partial();
    return;
  }
  muxer.finish();
  result.output = options.output;
}

/// What the decoder and the demuxer tell at the end.
void fill_input(const OpenInput& input, bool whole_file, JobResult& result, Notices& notices) {
  const Demuxer& demuxer = *input.demuxer;
  FrameLedger& ledger = result.ledger;
  ledger = input.begin.decoder->ledger();
  result.early_end = whole_file ? demuxer.shortfall() : demuxer.read_error();
  ledger.ended_early = !result.early_end.empty();
  if (ledger.ended_early) notices.add("ended early: " + result.early_end);
  if (ledger.lost > 0)
    notices.add(std::to_string(ledger.lost) + " frames lost: their packets gave no picture");
  if (ledger.damaged > 0) notices.add(std::to_string(ledger.damaged) + " frames damaged");
  result.decoder = input.begin.decoder->name();
  result.video_codec = avcodec_get_name(demuxer.video().codecpar->codec_id);
}

/// A planned run: each member function is the body of one thread, in the order of a frame.
class Job {
 public:
  Job(const JobOptions& options, const JobObserver& observer, PlannedJob planned,
      std::unique_ptr<FrameProcessor> processor, std::optional<OpenOutput> output,
      Statistics& statistics, std::stop_source ending)
      : options_(options),
        observer_(observer),
        statistics_(statistics),
        ending_(std::move(ending)),
        plan_(std::move(planned.plan)),
        input_(std::move(planned.input)),
        processor_(std::move(processor)),
        output_(std::move(output)),
        in_flight_(plan_.limits.frames),
        packets_(plan_.limits.packets, runner_.failed()),
        decoded_(plan_.limits.frames, runner_.failed()),
        started_(plan_.limits.frames, runner_.failed()),
        detected_(plan_.limits.frames, runner_.failed()),
        drawn_(plan_.limits.frames, runner_.failed()),
        to_mux_(plan_.limits.packets, runner_.failed(), 2),
        ended_range_(input_.begin.ended_range) {
    work_[static_cast<std::size_t>(StageId::read)] = input_.begin.reading;
    work_[static_cast<std::size_t>(StageId::decode)] = input_.begin.decoding;
    add_threads();
  }

  /// Runs all threads to the end of the input.
  void run() {
    const std::stop_callback ends_reading(runner_.failed(), [this] { ending_.request_stop(); });
    runner_.run();
    for (std::size_t i = 0; i < kStageCount; ++i)
      statistics_.add_work(static_cast<StageId>(i), work_[i]);
  }

  /// After run(): completes the output, and fills in what the run's parts tell.
  void finish(JobResult& result, Notices& notices) {
    const bool whole_file = !ending_.stop_requested() && !ended_range_ && !options_.start_s;
    fill_input(input_, whole_file, result, notices);
    result.ledger.written = written_;
    result.size = plan_.frames.upright();
    processor_->report(result, notices);
    if (output_) finish_output(options_, *plan_.output, *output_, result);
    statistics_.fill(result);  // before what the run has made is taken down, which is no part of it
  }

 private:
  void read() {
    for (UniqueAVPacket& packet : input_.begin.other_packets)
      to_mux_.push(SidePacket{std::move(packet)});
    while (!input_.begin.ended) {
      ReadPacket item = read_packet(*input_.demuxer);
      if (!item.packet) break;
      if (item.packet->stream_index == input_.demuxer->video_index()) {
        ended_range_ = input_.begin.decoder->past_end(*item.packet);
        if (ended_range_) break;
        packets_.push(std::move(item));
      } else if (wants_packet(plan_, *input_.demuxer, *input_.begin.decoder, *item.packet)) {
        to_mux_.push(SidePacket{std::move(item.packet)});
      }
    }
    packets_.close();
    if (output_) to_mux_.close();
  }

  void decode() {
    push_frame(std::move(*input_.first));
    push_decoded();
    const auto decode_packet = [this](const ReadPacket& packet) {
      input_.begin.decoder->send(packet);
      push_decoded();
    };
    for (const ReadPacket& packet : input_.begin.packets) decode_packet(packet);
    while (const std::optional<ReadPacket> packet = packets_.pop()) decode_packet(*packet);
    input_.begin.decoder->finish();
    push_decoded();
    decoded_.close();
  }

  void preprocess() {
    while (std::optional<WorkItem> item = decoded_.pop()) {
      processor_->start(*item, runner_.failed());
      started_.push(std::move(*item));
    }
    started_.close();
  }

  void detect() {
    while (std::optional<WorkItem> item = started_.pop()) {
      processor_->finish(*item);
      detected_.push(std::move(*item));
    }
    detected_.close();
  }

  void draw() {
    while (std::optional<WorkItem> item = detected_.pop()) {
      processor_->draw(*item);
      drawn_.push(std::move(*item));
    }
    drawn_.close();
  }

  void encode() {
    const auto sink = [this](EncodedFrame encoded) { to_mux_.push(std::move(encoded)); };
    while (std::optional<WorkItem> item = drawn_.pop())
      output_->encoder->encode(std::move(item->frame), std::move(item->record), sink);
    output_->encoder->flush(sink);
    to_mux_.close();
  }

  void mux() {
    while (std::optional<MuxItem> item = to_mux_.pop()) {
      if (auto* const side = std::get_if<SidePacket>(&*item))
        output_->muxer->write_side(std::move(side->packet));
      else
        write(std::get<EncodedFrame>(std::move(*item)));
    }
  }

  void record() {
    while (std::optional<WorkItem> item = detected_.pop()) finish_record(std::move(item->record));
  }

  void add_threads() {
    const auto measured = [this](StageId stage, void (Job::*body)()) {
      runner_.add(std::string(to_string(stage)), [this, stage, body] {
        const ScopedWork work(work_[static_cast<std::size_t>(stage)]);
        (this->*body)();
      });
    };
    measured(StageId::read, &Job::read);
    measured(StageId::decode, &Job::decode);
    runner_.add("preprocess", [this] { preprocess(); });
    runner_.add("detect", [this] { detect(); });
    if (output_) {
      runner_.add("overlay", [this] { draw(); });
      measured(StageId::encode, &Job::encode);
      measured(StageId::mux, &Job::mux);
    } else {
      runner_.add("record", [this] { record(); });
    }
  }

  /// What the decoder has ready.
  void push_decoded() {
    while (std::optional<DecodedPicture> picture = input_.begin.decoder->next())
      push_frame(input_.frames->make(std::move(*picture)));
  }

  void push_frame(DecodedFrame decoded) {
    WorkItem item;
    item.frame = std::move(decoded.frame);
    item.record.times = decoded.times;
    item.record.index = item.frame.index;
    item.record.pts_s = item.frame.seconds();
    item.record.size = item.frame.upright();
    item.in_flight = in_flight_.acquire(runner_.failed());
    decoded_.push(std::move(item));
  }

  void write(EncodedFrame encoded) {
    bool written = false;
    {
      const ScopedInterval interval(encoded.record.times[StageId::mux]);
      const ScopedCpuTime cpu(encoded.record.times, StageId::mux);
      written = output_->muxer->write_video(std::move(encoded.packet));
    }
    if (!written) {
      ending_.request_stop();  // the disk is full: what is on its way is dropped
      return;
    }
    ++written_;
    order_.push(std::move(encoded.record),
                [this](FrameRecord record) { finish_record(std::move(record)); });
  }

  void finish_record(FrameRecord record) {
    if (observer_.frame) {
      // The last stage's work; without video there is none to book it to, and it is reported
      // nowhere.
      const ScopedCpuTime cpu(record.times, StageId::mux);
      observer_.frame(record);
    }
    statistics_.add(record);
    if (observer_.progress)
      observer_.progress(statistics_.progress(input_.demuxer->expected_frames()));
  }

  const JobOptions& options_;
  const JobObserver& observer_;
  Statistics& statistics_;
  std::stop_source ending_;  // the input is to end: somebody asks for it, or the disk is full
  const JobPlan plan_;
  OpenInput input_;
  std::unique_ptr<FrameProcessor> processor_;
  std::optional<OpenOutput> output_;

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
  bool ended_range_ = false;
};

}  // namespace

JobResult run_job(const JobOptions& options, Backend& backend, const JobObserver& observer,
                  const std::stop_token& stop, std::unique_ptr<Demuxer> opened) {
  Statistics statistics;  // its clock starts before the input is opened
  Notices notices(options.input);
  std::stop_source ending;
  const std::stop_callback ends(stop, [&ending] { ending.request_stop(); });
  PlannedJob planned = plan_job(options, backend, notices, ending.get_token(), std::move(opened));
  JobResult result;
  if (planned.input.first) {
    std::unique_ptr<FrameProcessor> processor = backend.make_processor(options, planned.input);
    std::optional<OpenOutput> output;
    if (planned.plan.output) output = open_output(planned, backend, notices);
    Job job(options, observer, std::move(planned), std::move(processor), std::move(output),
            statistics, ending);
    job.run();
    result.interrupted = stop.stop_requested();
    job.finish(result, notices);
  } else {  // stopped before there was one
    result.interrupted = true;
    fill_input(planned.input, false, result, notices);
    statistics.fill(result);
  }
  if (observer.times) observer.times(statistics.times());
  result.notices = notices.all();
  return result;
}

}  // namespace facepipe
