#include "pipeline/job.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/backend.h"
#include "pipeline/lanes/feed.h"
#include "pipeline/lanes/lane.h"
#include "pipeline/lanes/order.h"
#include "pipeline/lanes/presentation.h"
#include "pipeline/lanes/record_order.h"
#include "pipeline/lanes/runner.h"
#include "pipeline/lanes/track_queue.h"
#include "pipeline/plan.h"
#include "pipeline/statistics.h"
#include "video/write/container.h"

namespace facepipe::pipeline {
namespace {

/// Where a job of several at once has met the end of a device's memory, it is done again, alone.
bool is_done_again(const JobOptions& options, const Error& failure) {
  return options.shared && failure.kind() == ErrorKind::device;
}

/// Error(input) where the input is no longer the file that it is to be.
/// @param opened  what was opened as the input: it is to be that file, too
void check_same_input(const JobOptions& options, const std::optional<FileIdentity>& opened) {
  if (!options.same_input) return;
  if (opened == options.same_input && identity_of(options.input) == opened) return;
  throw Error(ErrorKind::input,
              options.input +
                  ": was replaced or changed while it was worked on, so what was found in it may "
                  "not be what it shows; nothing is kept");
}

/// Completes the video under its name, or as a part under a partial one.
void finish_output(const JobOptions& options, const OutputPlan& plan, const video::Encoder& encoder,
                   video::Muxer& muxer, JobResult& result) {
  result.encoder = encoder.name();
  result.container = plan.muxer.format->name;
  const std::string name = options.output.string();
  if (const int full = muxer.full(); !result.failure && full != 0 && full != ECANCELED)
    result.failure.emplace(ErrorKind::output, name + ": " + write_failure(full));
  const bool one_picture = video::is_image_format(*plan.muxer.format) && !muxer.is_sequence();
  const bool worth_keeping =
      result.ledger.written > 0 && !one_picture && !is_stream_target(options.output);
  if (result.failure && (!worth_keeping || is_done_again(options, *result.failure)))
    throw Error(*result.failure);
  if (result.interrupted || result.failure) {
    result.output = muxer.finish_partial();
    return;
  }
  muxer.finish(result.damage());
  result.output = options.output;
}

/// What demuxer and decoders tell at the end.
void fill_input(const video::Demuxer& demuxer, const video::Decoder& decoder,
                const video::FrameLedger& all, bool whole_file, JobResult& result,
                video::Notices& notices) {
  video::FrameLedger& ledger = result.ledger;
  ledger = all;
  result.early_end = whole_file ? demuxer.shortfall() : demuxer.read_error();
  ledger.ended_early = !result.early_end.empty();
  if (ledger.ended_early) notices.add("ended early: " + result.early_end);
  if (ledger.lost > 0)
    notices.add(std::to_string(ledger.lost) + " frames lost: their packets gave no picture");
  if (ledger.damaged > 0) notices.add(std::to_string(ledger.damaged) + " frames damaged");
  result.decoder = decoder.name();
  result.video_codec = avcodec_get_name(demuxer.video().codecpar->codec_id);
}

void add_share(const Lane& lane, const LaneDevices& devices, std::vector<DeviceShare>& shares) {
  auto share = std::ranges::find(shares, lane.device(), &DeviceShare::device);
  if (share == shares.end())
    share = shares.insert(share, {lane.device(), 0, 0, devices.failure(lane.device())});
  ++share->lanes;
  share->frames += lane.frames();
}

/// Whether a job's lanes may be of several devices, so that one can do again what another left.
bool of_several_devices(const JobOptions& options, const JobPlan& plan, const OpenInput& input,
                        Backend& backend) {
  if (plan.lanes.count == 1 || options.hide) return false;
  const Device first = input.lanes.front().backend->device();
  const auto is_other = [&](const Backend& lane) { return lane.device() != first; };
  if (!options.shared)
    return std::ranges::any_of(input.lanes, is_other,
                               [](const LaneParts& lane) -> Backend& { return *lane.backend; });
  const auto numbers = std::views::iota(0, options.shared->count);
  return std::ranges::any_of(numbers, is_other,
                             [&](int lane) -> Backend& { return backend.of_lane(lane); });
}

std::vector<CopySum> sums(const CopyCounter& copies) {
  std::vector<CopySum> all;
  for (std::size_t i = 0; i < kCopyKinds; ++i) {
    const auto kind = static_cast<CopyKind>(i);
    const CopyTotal total = copies.total(kind);
    all.push_back(
        {std::string(name_of(kind)), std::string(direction_of(kind)), total.calls, total.bytes});
  }
  return all;
}

// Frames between the thread that follows faces and the one that settles what is hidden; the plan
// counts them (kBetweenStages).
constexpr std::int64_t kFollowedAhead = 1;

/// A planned run: lanes between a thread that reads and one that writes.
class Job {
 public:
  Job(const JobOptions& options, Backend& backend, const JobObserver& observer, PlannedJob planned,
      std::unique_ptr<video::Muxer> muxer, Statistics& statistics, JobTold told,
      std::stop_source ending);

  /// Runs all threads to the end of the input.
  void run();

  /// After run(): completes the output, and fills in what the run's parts tell.
  void finish(JobResult& result);

 private:
  void read();
  void join();
  void follow(const Lane& first);
  void settle(const Lane& first);
  void write();

  Lane& add_lane(int number, LaneParts parts, const std::stop_token& failed);
  [[nodiscard]] bool may_join(int lane);
  [[nodiscard]] std::optional<LaneParts> parts_of(const Slots::Permit& lane);
  [[nodiscard]] bool finishes_what_fails() const { return options_.hide && muxer_; }
  template <typename Step>
  bool goes_on_after(Step step);
  void end_by(const Error& error);
  [[nodiscard]] bool cut_short() const;

  void read_into(Feed& feed);
  void write(FinishedFrame frame);
  bool write_video(FinishedFrame& frame);
  void finish_record(FrameRecord record);

  const JobOptions& options_;
  Backend& backend_;
  const JobObserver& observer_;
  Statistics& statistics_;
  const JobTold told_;
  std::stop_source ending_;  // the input is to end: somebody asks for it, or the disk is full
  const JobPlan plan_;
  OpenInput input_;
  std::unique_ptr<video::Muxer> muxer_;

  Runner runner_;
  LaneDevices devices_;
  Segments segments_;
  Order order_;
  std::optional<TrackQueue> tracks_;                // where faces are hidden
  std::optional<Hiding::FollowedFrames> followed_;  // likewise
  std::list<Lane> lanes_;
  const video::Decoder* first_decoder_ = nullptr;
  Device first_device_;                       // likewise of the first lane
  std::mutex joining_;                        // guards lanes_, and the input from being read
  std::optional<Presentation> presentation_;  // where lanes don't know it
  std::optional<Presentation> to_track_;      // likewise: of frames that are given to be tracked
  std::mutex failing_;                        // guards failure_
  std::optional<Error> failure_;              // that has ended the input

  RecordOrder records_;
  Clock::duration reading_{};
  Clock::duration muxing_{};
  const std::int64_t expected_;  // frames
  std::int64_t written_ = 0;
  std::int64_t cuts_ = 0;
  bool ended_range_ = false;
};

Job::Job(const JobOptions& options, Backend& backend, const JobObserver& observer,
         PlannedJob planned, std::unique_ptr<video::Muxer> muxer, Statistics& statistics,
         JobTold told, std::stop_source ending)
    : options_(options),
      backend_(backend),
      observer_(observer),
      statistics_(statistics),
      told_(told),
      ending_(std::move(ending)),
      plan_(std::move(planned.plan)),
      input_(std::move(planned.input)),
      muxer_(std::move(muxer)),
      devices_(told.notices),
      segments_(plan_.lanes.count, runner_.failed(),
                of_several_devices(options, plan_, input_, backend)),
      order_({plan_.limits.packets, plan_.limits.bytes_behind}, runner_.failed()),
      reading_(input_.begin.reading),
      expected_(expected_frames(*input_.demuxer, options)),
      ended_range_(input_.begin.ended_range) {
  // A single lane goes on from the first frame.
  if (plan_.lanes.count == 1) input_.lanes.front().first = std::move(input_.first);
  if (options.hide) {
    followed_.emplace(kFollowedAhead, runner_.failed());
    tracks_.emplace(
        TrackQueue::Limits{plan_.limits.hiding.held, plan_.limits.held_behind,
                           options.output.empty()},
        [this](std::int64_t head) { order_.need(head); }, runner_.failed());
  }
  int number = options.shared ? options.shared->own : 0;
  for (LaneParts& parts : std::exchange(input_.lanes, {})) {
    devices_.add(parts.backend->device());
    add_lane(number++, std::move(parts), runner_.failed());
  }
  first_decoder_ = &lanes_.front().decoder();
  first_device_ = lanes_.front().device();
  if (plan_.lanes.count > 1) {
    presentation_.emplace(*input_.demuxer, lanes_.front().encoder(), told.notices);
    if (tracks_) to_track_.emplace(*input_.demuxer, nullptr, told.notices);
  }
  runner_.add(std::string(to_string(StageId::read)), [this] {
    const ScopedWork work(reading_);
    read();
  });
  if (tracks_) {
    runner_.add("track", [this, &first = lanes_.front()] { follow(first); });
    runner_.add("settle", [this, &first = lanes_.front()] { settle(first); });
  }
  for (Lane& lane : lanes_) lane.add_threads(runner_);
  if (options.shared)
    for (int i = 1; i < plan_.lanes.count; ++i) runner_.add("join", [this] { join(); });
  runner_.add(std::string(muxer_ ? to_string(StageId::mux) : "record"), [this] {
    const ScopedWork work(muxing_);
    write();
  });
}

void Job::run() {
  const std::stop_callback ends_reading(runner_.failed(), [this] { ending_.request_stop(); });
  runner_.run();
  Clock::duration decoding = input_.begin.decoding;
  Clock::duration encoding{};
  for (const Lane& lane : lanes_) {
    decoding += lane.decoding();
    encoding += lane.encoding();
  }
  statistics_.add_work(StageId::read, reading_);
  statistics_.add_work(StageId::decode, decoding);
  statistics_.add_work(StageId::encode, encoding);
  if (muxer_) statistics_.add_work(StageId::mux, muxing_);
}

Lane& Job::add_lane(int number, LaneParts parts, const std::stop_token& failed) {
  if (tracks_) parts.tracks = &*tracks_;
  Lane& lane = lanes_.emplace_back(number, std::move(parts), plan_.limits.frames, segments_, order_,
                                   devices_, failed);
  if (finishes_what_fails()) lane.finish_what_fails([this](const Error& error) { end_by(error); });
  return lane;
}

/// Does a step. False where it has failed, and what is written so far is worth to be kept.
template <typename Step>
bool Job::goes_on_after(Step step) {
  try {
    step();
    return true;
  } catch (const Error& error) {
    if (!finishes_what_fails()) throw;
    end_by(error);
    return false;
  }
}

/// What was hidden by then is good, and kept; what was drawn is made again just so.
void Job::end_by(const Error& error) {
  {
    const std::scoped_lock lock(failing_);
    if (!failure_) failure_ = error;
  }
  ending_.request_stop();
}

/// Whether the input ends before its own end, or the chosen one.
bool Job::cut_short() const {
  return ending_.stop_requested() || !input_.demuxer->read_error().empty();
}

/// Waits for a lane that no other job has, and works on segments with it.
void Job::join() {
  Slots::Permit permit;
  try {
    Slots lanes = options_.shared->lanes;
    permit = lanes.acquire(segments_.ended(), [this](int lane) { return may_join(lane); });
  } catch (const Stopped&) {
    return;  // there is nothing left for it to do
  }
  if (segments_.ended().stop_requested()) return;
  Runner runner(runner_.failed());
  {
    const std::scoped_lock lock(joining_);
    std::optional<LaneParts> parts = parts_of(permit);
    if (!parts || !devices_.add(parts->backend->device())) return;
    add_lane(permit.number(), std::move(*parts), runner.failed()).add_threads(runner);
  }
  runner.run();
}

/// Faces are followed on one device.
bool Job::may_join(int lane) {
  return !options_.hide || backend_.of_lane(lane).device() == first_device_;
}

/// Makes a lane; none where its device can't take it: the job goes on without it.
std::optional<LaneParts> Job::parts_of(const Slots::Permit& lane) {
  Backend& backend = backend_.of_lane(lane.number());
  try {
    return make_lane(backend, plan_, options_, input_, told_);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    told_.notices.add(to_string(backend.device()) +
                      " has no room for another lane: " + error.what());
    return std::nullopt;
  }
}

void Job::read() {
  const AVCodecParameters* const cut =
      plan_.lanes.count > 1 ? input_.demuxer->video().codecpar : nullptr;
  Feed feed(cut, plan_.limits.packets, segments_, order_, runner_.failed());
  for (video::UniqueAVPacket& packet : input_.begin.other_packets)
    feed.give(SidePacket{std::move(packet)});
  for (video::ReadPacket& packet : input_.begin.packets) feed.give(std::move(packet));
  if (!input_.begin.ended) read_into(feed);
  feed.finish();
  if (tracks_) tracks_->end(feed.segments());
  cuts_ = feed.segments() - 1;
}

/// Follows faces in all lanes' frames, on the device of the first.
void Job::follow(const Lane& first) {
  goes_on_after([&] {
    first.enter_thread();
    input_.hiding->follow(*tracks_, to_track_ ? &*to_track_ : nullptr, *followed_);
  });
  followed_->close();
}

void Job::settle(const Lane& first) {
  goes_on_after([&] {
    first.enter_thread();
    // What makes a stop, or an error of reading, known comes before the end of what is followed.
    input_.hiding->settle(*followed_, *tracks_, [this] { return cut_short(); });
  });
  tracks_->finish();
  while (followed_->pop()) {
    // After an error: who follows must not wait for room, or it would not see that it is to end.
  }
}

void Job::read_into(Feed& feed) {
  const video::Decoder& decoder = *first_decoder_;
  while (true) {
    video::ReadPacket item;
    {
      const std::scoped_lock lock(joining_);
      item = video::read_packet(*input_.demuxer);
    }
    if (!item.packet) return;
    if (item.packet->stream_index == input_.demuxer->video_index()) {
      ended_range_ = decoder.past_end(*item.packet);
      if (ended_range_) return;
      feed.give(std::move(item));
    } else {
      tell_late_stream(plan_, *input_.demuxer, *item.packet, told_.notices);
      if (wants_packet(plan_, *input_.demuxer, decoder, *item.packet))
        feed.give(SidePacket{std::move(item.packet)});
    }
  }
}

void Job::write() {
  bool goes_on = true;  // else what comes is dropped, so that nobody waits
  while (std::optional<OrderedItem> item = order_.next()) {
    if (!goes_on) continue;
    goes_on = goes_on_after([&] {
      if (auto* const side = std::get_if<SidePacket>(&*item))
        muxer_->write_side(std::move(side->packet));
      else
        write(std::get<FinishedFrame>(std::move(*item)));
    });
  }
  // Here, where a stop still ends the wait for a FIFO's reader.
  if (muxer_) goes_on_after([&] { muxer_->drain(); });
}

void Job::write(FinishedFrame frame) {
  frame.encoded.record.order_wait_ms =
      std::chrono::duration<double, std::milli>(Clock::now() - frame.given).count();
  if (presentation_) presentation_->settle(frame);
  if (muxer_ && !write_video(frame)) {
    ending_.request_stop();  // the disk is full: what is on its way is dropped
    return;
  }
  records_.push(std::move(frame.encoded.record),
                [this](FrameRecord record) { finish_record(std::move(record)); });
}

bool Job::write_video(FinishedFrame& frame) {
  FrameRecord& record = frame.encoded.record;
  const ScopedInterval interval(record.times[StageId::mux]);
  const ScopedCpuTime cpu(record.times, StageId::mux);
  const bool written = muxer_->write_video(std::move(frame.encoded.packet));
  if (written) ++written_;
  return written;
}

void Job::finish_record(FrameRecord record) {
  if (observer_.frame) {
    // The last stage's work; without video there is none to book it to, and it is reported nowhere.
    const ScopedCpuTime cpu(record.times, StageId::mux);
    observer_.frame(record);
  }
  statistics_.add(record);
  if (observer_.progress) observer_.progress(statistics_.progress(expected_));
}

void Job::finish(JobResult& result) {
  check_same_input(options_, input_.demuxer->identity());
  video::Notices& notices = told_.notices;
  const bool whole_file = !ending_.stop_requested() && !ended_range_ && !options_.start_s;
  video::FrameLedger ledger;
  for (const Lane& lane : lanes_) ledger += lane.ledger();
  fill_input(*input_.demuxer, lanes_.front().decoder(), ledger, whole_file, result, notices);
  result.ledger.written = written_ - (muxer_ ? muxer_->left_out() : 0);
  if (muxer_) {
    result.side_packets_lost = muxer_->side_packets_lost();
    muxer_->tell_left_out();
  }
  result.size = plan_.frames.upright();
  result.lanes = plan_.lanes;
  result.lanes.count = static_cast<int>(lanes_.size());
  result.cuts = cuts_;
  std::int64_t ignored = 0;
  for (const Lane& lane : lanes_) {
    ignored += lane.processor().candidates_ignored();
    add_share(lane, devices_, result.devices);
  }
  for (const DeviceShare& failed : plan_.lanes.failed) result.devices.push_back(failed);
  result.failure = failure_;
  // What is missing may come another time; what was damaged stays so.
  if (const auto& failure = input_.demuxer->failure(); failure && !result.failure)
    result.failure.emplace(*failure);
  lanes_.front().processor().report(ignored, result, notices);
  if (input_.hiding) input_.hiding->report(result, notices);
  if (input_.hiding && !cut_short()) input_.hiding->check_instructions(options_, notices);
  if (muxer_) finish_output(options_, *plan_.output, *lanes_.front().encoder(), *muxer_, result);
  statistics_.fill(result);  // before what the run has made is taken down, which is no part of it
}

}  // namespace

JobResult run_job(const JobOptions& options, Backend& backend, const JobObserver& observer,
                  const std::stop_token& stop, std::unique_ptr<video::Demuxer> opened) {
  Statistics statistics;  // its clock starts before the input is opened
  video::Notices notices(options.input);
  std::stop_source ending;
  const std::stop_callback ends(stop, [&ending] { ending.request_stop(); });
  CopyCounter copies;
  const JobTold told{notices, copies};
  PlannedJob planned = plan_job(options, backend, told, ending.get_token(), std::move(opened));
  check_same_input(options, planned.input.demuxer->identity());
  JobResult result;
  if (options.hide) result.turned_faces = options.hide->turned_too;
  if (planned.input.first) {
    make_processors(planned, options, told);
    std::unique_ptr<video::Muxer> muxer;
    if (planned.plan.output) muxer = open_output(planned, told);
    Job job(options, backend, observer, std::move(planned), std::move(muxer), statistics, told,
            ending);
    job.run();
    result.interrupted = stop.stop_requested();
    job.finish(result);
    if (backend.device().kind == DeviceKind::cuda) result.copies = sums(copies);
    for (const DeviceShare& share : result.devices)
      if (!share.failure.empty()) backend.give_up(share.device);
  } else {  // stopped before there was one
    result.interrupted = true;
    const video::Decoder& decoder = *planned.input.begin.decoder;
    fill_input(*planned.input.demuxer, decoder, decoder.ledger(), false, result, notices);
    statistics.fill(result);
  }
  if (observer.times) observer.times(statistics.times());
  result.notices = notices.all();
  return result;
}

}  // namespace facepipe::pipeline
