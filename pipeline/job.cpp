#include "pipeline/job.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "core/add_once.h"
#include "core/machine.h"
#include "pipeline/backend.h"
#include "pipeline/detection_report.h"
#include "pipeline/finish_output.h"
#include "pipeline/hide/hiding.h"
#include "pipeline/job_end.h"
#include "pipeline/job_options.h"
#include "pipeline/job_parts.h"
#include "pipeline/job_plan.h"
#include "pipeline/job_result.h"
#include "pipeline/job_trial.h"
#include "pipeline/lanes/job_records.h"
#include "pipeline/lanes/lane.h"
#include "pipeline/lanes/lane_connections.h"
#include "pipeline/lanes/lane_group.h"
#include "pipeline/lanes/presentation.h"
#include "pipeline/lanes/reader.h"
#include "pipeline/lanes/runner.h"
#include "pipeline/lanes/tracking_threads.h"
#include "pipeline/lanes/writer.h"
#include "pipeline/parts/joining.h"
#include "pipeline/parts/part_file.h"
#include "pipeline/parts/part_maker.h"
#include "pipeline/parts/part_packets.h"
#include "pipeline/parts/searched_frames.h"
#include "pipeline/plan.h"
#include "pipeline/statistics.h"
#include "pipeline/time_limit.h"
#include "video/write/pictured_encoder.h"

namespace facepipe::pipeline {
namespace {

/// Throws Error(input) unless the input is still InputOptions::same_file.
/// @param opened  the file that was opened as the input; it must be the same file, too
void check_same_input(const JobOptions& options, const std::optional<FileIdentity>& opened) {
  if (!options.input.same_file) return;
  if (opened == options.input.same_file && identity_of(options.input.name) == opened) return;
  throw Error(ErrorKind::input,
              options.input.name +
                  ": was replaced or changed while facepipe worked on it, so the faces that were "
                  "found may not be those that it shows; no output is kept");
}

void add_share(const Lane& lane, const LaneDevices& devices, std::vector<DeviceShare>& shares) {
  auto share = std::ranges::find(shares, lane.device(), &DeviceShare::device);
  if (share == shares.end())
    share = shares.insert(share, {lane.device(), 0, 0, devices.failure(lane.device())});
  ++share->lanes;
  share->frames += lane.frames();
}

/// Returns whether lanes of the job can be on several devices. If one of these devices fails,
/// another device can repeat its unfinished work.
bool of_several_devices(const JobOptions& options, const JobPlan& plan, const OpenInput& input,
                        Backend& backend) {
  if (plan.lanes.count == 1 || options.hide) return false;
  const Device first = input.lanes.front().backend->device();
  const auto is_other = [&](const Backend& lane) { return lane.device() != first; };
  if (!options.resources.shared)
    return std::ranges::any_of(input.lanes, is_other,
                               [](const LaneParts& lane) -> Backend& { return *lane.backend; });
  const auto numbers = std::views::iota(0, options.resources.shared->count);
  return std::ranges::any_of(numbers, is_other,
                             [&](int lane) -> Backend& { return backend.for_lane(lane); });
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

/// Returns the limits of the queues that connect the lanes with each other and with other threads.
LaneConnections::Limits connection_limits(const JobOptions& options, const JobPlan& plan,
                                          const OpenInput& input, Backend& backend) {
  LaneConnections::Limits limits;
  limits.lanes = plan.lanes.count;
  limits.several_devices = of_several_devices(options, plan, input, backend);
  limits.order = {plan.limits.packets, plan.limits.bytes_behind};
  const bool only_searches = options.part && options.part->searches_only;
  if (options.hide)
    limits.tracks = {plan.limits.hiding.held, plan.limits.max_held_later_segments,
                     options.output.path.empty() || only_searches};
  return limits;
}

/// If there is only one lane, gives it the first frame, which is already decoded. The only lane of
/// a part begins with another frame.
OpenInput with_first_frame(OpenInput input, const JobPlan& plan) {
  if (plan.lanes.count > 1) return input;
  if (plan.part)
    input.lanes.front().decoding.window.emplace(*plan.part);
  else
    input.lanes.front().decoding.first = std::move(input.first);
  return input;
}

/// Runs a planned job: one thread reads, lanes work on the frames, and one thread writes. Its
/// twelve members are the lanes, these threads, and the objects that they use. Each member uses
/// only members above it.
class Job {
 public:
  Job(const JobOptions& options, Backend& backend, const JobObserver& observer, PlannedJob planned,
      JobTarget target, Statistics& statistics, JobDiagnostics diagnostics,
      std::stop_source ending);

  /// Runs all threads to the end of the input.
  void run();

  /// Must be called after run(). Completes the output and fills in the result.
  /// @param backend  the job's
  void finish(const Backend& backend, JobResult& result);

  /// Must be called after finish(). Returns nothing but zeros without a video.
  [[nodiscard]] video::OutputBytes output_bytes() const {
    const video::Muxer* const muxer = writer_.muxer();
    return muxer != nullptr ? muxer->bytes() : video::OutputBytes{};
  }

 private:
  void add_threads();
  /// Makes the object that gives frames their numbers and time stamps in the stream's order.
  /// Returns nullptr if there is one lane, because a single lane does this itself.
  [[nodiscard]] std::unique_ptr<Presentation> presentation(const video::Encoder* encoder) const;
  [[nodiscard]] bool cut_short() const;
  void fill_ledger(JobResult& result) const;
  void fill_lanes(JobResult& result) const;
  void fill_detection(JobResult& result) const;
  void check_part(const JobResult& result) const;
  [[nodiscard]] HiddenPart hidden_part();
  void take_search(PartFacts& facts) const;
  void finish_part(const Backend& backend, std::vector<std::string> told, JobResult& result);

  const JobOptions& options_;
  const JobDiagnostics diagnostics_;
  Statistics& statistics_;
  const JobPlan plan_;
  OpenInput input_;
  JobEnd end_;
  Runner runner_;
  LaneConnections connections_;
  Reader reader_;
  LaneGroup lanes_;
  std::optional<TrackingThreads> tracking_;  // if faces are hidden
  Writer writer_;
};

Job::Job(const JobOptions& options, Backend& backend, const JobObserver& observer,
         PlannedJob planned, JobTarget target, Statistics& statistics, JobDiagnostics diagnostics,
         std::stop_source ending)
    : options_(options),
      diagnostics_(diagnostics),
      statistics_(statistics),
      plan_(std::move(planned.plan)),
      input_(with_first_frame(std::move(planned.input), plan_)),
      end_(std::move(ending), options.hide && target.muxer),
      connections_(connection_limits(options, plan_, input_, backend), diagnostics.notices,
                   runner_.failed()),
      reader_(plan_, input_, connections_, diagnostics.notices),
      lanes_({options, backend, plan_, input_, diagnostics}, connections_, end_, reader_,
             runner_.failed()),
      writer_(connections_.order, end_, std::move(target), presentation(lanes_.first().encoder()),
              JobRecords(statistics, observer, expected_frames(input_.demuxer(), options))) {
  if (connections_.tracks)
    tracking_.emplace(*input_.hiding, *connections_.tracks, end_, lanes_.first(),
                      presentation(nullptr), runner_.failed());
  add_threads();
}

std::unique_ptr<Presentation> Job::presentation(const video::Encoder* encoder) const {
  if (plan_.lanes.count == 1) return nullptr;
  return std::make_unique<Presentation>(input_.demuxer(), encoder, diagnostics_.notices);
}

void Job::add_threads() {
  const std::stop_token failed = runner_.failed();
  runner_.add(std::string(to_string(StageId::read)),
              [this, failed] { reader_.run(lanes_.first().decoder(), failed); });
  if (tracking_) {
    runner_.add("track", [this] { tracking_->follow(); });
    // "decide" calls cut_short() after the last followed frame. At that time it is known whether
    // there was a stop or a read error. Nobody sees the frames of a trial. So a trial hides its
    // last frames as the whole job does, and its size tells the size of the whole job.
    const bool is_seen = !plan_.output || !plan_.output->muxer.discard;
    runner_.add("decide", [this, is_seen] {
      tracking_->decide([this, is_seen] { return is_seen && cut_short(); });
    });
  }
  lanes_.add_threads(runner_);
  runner_.add(writer_.name(), [this] { writer_.run(); });
}

void Job::run() {
  const std::stop_callback ends_reading(runner_.failed(), [this] { end_.request(); });
  runner_.run();
  Clock::duration decoding = input_.begin.decoding;
  Clock::duration encoding{};
  for (const Lane& lane : lanes_.all()) {
    decoding += lane.decoding();
    encoding += lane.encoding();
  }
  statistics_.add_work(StageId::read, reader_.working());
  statistics_.add_work(StageId::decode, decoding);
  statistics_.add_work(StageId::encode, encoding);
  if (writer_.muxer() != nullptr) statistics_.add_work(StageId::mux, writer_.working());
}

/// Returns whether reading ended before the input's own end, or before the end that the user chose.
bool Job::cut_short() const { return end_.requested() || !input_.source->read_error().empty(); }

void Job::fill_ledger(JobResult& result) const {
  const bool whole_file = !end_.requested() && !reader_.ended_range() && !options_.input.start_s;
  video::FrameLedger ledger;
  for (const Lane& lane : lanes_.all()) ledger += lane.ledger();
  fill_input(*input_.source, lanes_.first().decoder().name(), ledger, whole_file, result,
             diagnostics_.notices);
  result.ledger.written = writer_.written();
  if (video::Muxer* const muxer = writer_.muxer()) {
    result.ledger.written -= muxer->left_out();
    result.side_packets_lost = muxer->side_packets_lost();
    muxer->note_left_out();
  }
}

void Job::fill_lanes(JobResult& result) const {
  result.resources.lanes = plan_.lanes;
  result.resources.lanes.count = static_cast<int>(lanes_.all().size());
  result.resources.cuts = reader_.cuts();
  for (const Lane& lane : lanes_.all())
    add_share(lane, connections_.devices, result.resources.devices);
  for (const DeviceShare& failed : plan_.lanes.failed) result.resources.devices.push_back(failed);
}

void Job::fill_detection(JobResult& result) const {
  const std::optional<DetectionFacts> detection = lanes_.first().processor().detection();
  if (!detection) return;
  std::int64_t ignored = 0;
  for (const Lane& lane : lanes_.all()) ignored += lane.processor().candidates_ignored();
  result.network.size = detection->detector.network;
  result.network.tiling = detection->detector.tiling;
  result.counts.candidates_ignored = ignored;
  note_ignored(ignored, detection->capacity, diagnostics_.notices);
}

/// Throws if the job has failed. Throws OtherPackets if it has read other packets than those that
/// were split, also if it has not read from the beginning, and packets seem to be missing.
void Job::check_part(const JobResult& result) const {
  if (result.failure) result.throw_failure();
  const bool seems_short = input_.packets_before > 0 && !result.early_end.empty();
  if (!reader_.read_part() || seems_short) throw OtherPackets(options_.input.name);
  if (plan_.part->next && !input_.hiding->next_part())
    throw Error(ErrorKind::input, options_.input.name +
                                      ": fewer frames could be decoded than when it was split; "
                                      "hide it as a whole");
}

HiddenPart Job::hidden_part() {
  HiddenPart hidden;
  hidden.tracks_begun = input_.hiding->tracks_begun();
  hidden.counts = input_.hiding->track_counts();
  if (options_.hide->collects_tracks) hidden.tracks = input_.hiding->collected_tracks();
  if (const auto& next = input_.hiding->next_part()) hidden.next_pts = next->pts;
  return hidden;
}

/// Adds what the jobs that have searched the part's frames say about it.
void Job::take_search(PartFacts& facts) const {
  PartFacts search = facts_of_search(plan_.part->searched, facts.maker);
  if (search.frames != writer_.part()->frames())
    throw Error(ErrorKind::input, options_.input.name +
                                      ": fewer frames could be decoded than were searched; hide it "
                                      "as a whole");
  facts.candidates_ignored = search.candidates_ignored;
  facts.capacity = search.capacity;
  facts.network = search.network;
  for (std::string& sentence : search.told) add_once(facts.told, std::move(sentence));
}

/// @param told  the notices without those about the ledger, which the joined job has, too
void Job::finish_part(const Backend& backend, std::vector<std::string> told, JobResult& result) {
  if (result.interrupted) return;
  check_part(result);
  PartFacts facts;
  facts.key = plan_.part->key;
  facts.maker = part_maker(backend, options_, lanes_.first().encoder(), plan_);
  if (input_.hiding) facts.hidden = hidden_part();
  facts.host = this_machine().host;
  facts.device = lanes_.first().device();
  facts.ledger = result.ledger;
  facts.candidates_ignored = result.counts.candidates_ignored;
  if (const auto detection = lanes_.first().processor().detection())
    facts.capacity = detection->capacity;
  facts.network = result.network;
  facts.decoder = result.codecs.decoder;
  facts.early_end = result.early_end;
  facts.told = std::move(told);
  if (!plan_.part->searched.empty()) take_search(facts);
  result.codecs.encoder = facts.maker.encoder;
  result.codecs.container = facts.maker.container;
  writer_.part()->finish(std::move(facts), result.damage());
  result.output = plan_.part->file;
}

void Job::finish(const Backend& backend, JobResult& result) {
  std::vector<std::string> told = diagnostics_.notices.all();
  check_same_input(options_, input_.demuxer().identity());
  fill_ledger(result);
  result.size = plan_.frames.upright();
  fill_lanes(result);
  result.failure = end_.failure();
  result.failure_passes = end_.failure_passes();
  // A source's failure means that bytes are missing which another run may get. Damaged bytes are no
  // failure, because another run would get the same bytes.
  if (const auto& failure = input_.source->failure(); failure && !result.failure) {
    result.failure.emplace(*failure);
    result.failure_passes = true;
  }
  fill_detection(result);
  if (input_.hiding) {
    result.tracks = input_.hiding->tracks();
    result.track_counts = input_.hiding->track_counts();
    input_.hiding->report(diagnostics_.notices);
    // Only the job that joins parts knows whether instructions apply to any part.
    if (!cut_short() && !plan_.part)
      input_.hiding->check_instructions(options_, diagnostics_.notices);
  }
  if (writer_.muxer() != nullptr)
    finish_output(options_, *plan_.output, *lanes_.first().encoder(), *writer_.muxer(), result);
  if (writer_.part() != nullptr) finish_part(backend, std::move(told), result);
  statistics_.fill(result);  // called here, because the time of the destructors doesn't count
}

/// Makes the encoder give pictures to the observer. With several lanes, no encoder gets the frames
/// in their order.
void add_pictures(PlannedJob& job, const JobOptions& options, const JobObserver& observer) {
  const video::Demuxer& demuxer = job.input.demuxer();
  const Rational rate = demuxer.frame_rate();
  const std::int64_t frames = expected_frames(demuxer, options);
  if (!observer.picture || job.input.lanes.size() != 1 || frames <= 0 || rate.num <= 0) return;
  std::unique_ptr<video::Encoder>& encoder = job.input.lanes.front().encoder;
  video::PictureWish wish;
  wish.duration_s = static_cast<double>(frames) * rate.den / rate.num;
  wish.take = observer.picture;
  encoder = video::with_pictures(std::move(encoder), std::move(wish));
}

/// Opens the encoders, and the video or the part file.
JobTarget open_target(PlannedJob& planned, const JobOptions& options, const JobObserver& observer,
                      bool discards, JobDiagnostics diagnostics) {
  JobTarget target;
  if (options.part) {
    if (planned.plan.output && !options.part->searches_only) open_encoders(planned, diagnostics);
    target.part = std::make_unique<PartWriter>(options.part->file);
  } else if (planned.plan.output) {
    planned.plan.output->muxer.discard = discards;
    target.muxer = open_output(planned, diagnostics);
    add_pictures(planned, options, observer);
  }
  return target;
}

/// Throws if the frames of the part were searched in another way than this job would search them.
void check_search(const JobOptions& options, const Backend& backend, const JobPlan& plan) {
  if (!options.part || options.part->searched.empty()) return;
  static_cast<void>(
      facts_of_search(options.part->searched, part_maker(backend, options, nullptr, plan)));
}

/// How a trial differs from a job.
struct TrialSetup {
  std::optional<double> limit_s;
  video::OutputBytes bytes;  ///< the result
};

/// @param trial  if it isn't null, the output is discarded
JobResult run(const JobOptions& options, Backend& backend, const JobObserver& observer,
              const std::stop_token& stop, std::unique_ptr<video::Source> opened,
              TrialSetup* trial) {
  Statistics statistics;  // its clock starts before the input is opened
  video::Notices notices(options.input.name);
  std::stop_source ending;
  const std::stop_callback ends(stop, [&ending] { ending.request_stop(); });
  CopyCounter copies;
  const JobDiagnostics diagnostics{notices, copies};
  PlannedJob planned =
      plan_job(options, backend, diagnostics, ending.get_token(), std::move(opened));
  check_same_input(options, planned.input.demuxer().identity());
  JobResult result;
  if (options.hide) result.turned_faces = options.hide->turned_too;
  if (planned.input.first) {
    check_search(options, backend, planned.plan);
    make_processors(planned, options, diagnostics);
    const bool discards = trial != nullptr;
    JobTarget target = open_target(planned, options, observer, discards, diagnostics);
    Job job(options, backend, observer, std::move(planned), std::move(target), statistics,
            diagnostics, ending);
    std::optional<TimeLimit> limit;
    if (trial != nullptr && trial->limit_s) limit.emplace(*trial->limit_s, ending);
    job.run();
    result.interrupted = stop.stop_requested() || (limit && limit->is_over());
    limit.reset();  // it must not end what has ended
    job.finish(backend, result);
    if (trial != nullptr) trial->bytes = job.output_bytes();
    if (backend.device().kind == DeviceKind::cuda) result.resources.copies = sums(copies);
    for (const DeviceShare& share : result.resources.devices)
      if (!share.failure.empty()) backend.give_up(share.device);
  } else {  // stopped before the first frame
    result.interrupted = true;
    const video::Decoder& decoder = *planned.input.begin.decoder;
    fill_input(*planned.input.source, decoder.name(), decoder.ledger(), false, result, notices);
    statistics.fill(result);
  }
  if (observer.times) observer.times(statistics.times());
  result.notices = notices.all();
  return result;
}

}  // namespace

JobResult run_job(const JobOptions& options, Backend& backend, const JobObserver& observer,
                  const std::stop_token& stop, std::unique_ptr<video::Source> opened) {
  if (options.join) return join_parts(options, backend, observer, stop, std::move(opened));
  if (!options.part || !options.part->before)
    return run(options, backend, observer, stop, std::move(opened), nullptr);
  try {
    return run(options, backend, observer, stop, std::move(opened), nullptr);
  } catch (const OtherPackets&) {
    // Demuxers may give other packets if they don't begin at the beginning.
    JobOptions from_beginning = options;
    from_beginning.part->before.reset();
    return run(from_beginning, backend, observer, stop, nullptr, nullptr);
  }
}

TrialResult try_job(const JobOptions& options, Backend& backend, const JobObserver& observer,
                    const std::stop_token& stop, std::optional<double> limit_s) {
  TrialSetup trial{limit_s, {}};
  JobResult result = run(options, backend, observer, stop, nullptr, &trial);
  return {std::move(result), trial.bytes};
}

}  // namespace facepipe::pipeline
