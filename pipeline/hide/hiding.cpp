#include "pipeline/hide/hiding.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"

namespace facepipe::pipeline {
namespace {

MotionOfSteps make_motion(const ProcessorSetup& setup, HidingDevice& device) {
  if (!follows_hidden_faces(setup.options)) return {};
  return {device.make_motion(HidingStep::follow), device.make_motion(HidingStep::decide)};
}

std::unique_ptr<HiddenFrames> make_source(const ProcessorSetup& setup,
                                          const MotionOfSteps& motion) {
  const HideJob& job = *setup.options.hide;
  track::TrackFileInput input;
  input.size = setup.first.upright();
  input.time_base = setup.first.time_base;
  const std::optional<PartJob>& part = setup.options.part;
  if (job.known)
    return known_frames(*job.known, input,
                        {!setup.options.input.start_s && (!part || part->begins_input),
                         !setup.options.input.end_s && (!part || part->ends_input)});
  if (part && part->searches_only) return found_frames();
  return track_frames(job, setup.options.search.scales, motion, setup.hiding.waiting, input);
}

/// Returns the appearance of hidden regions. The regions are hidden exactly as the user has drawn
/// them: the shape and the growth of faces' masks don't apply.
overlay::HideOptions as_drawn(overlay::HideOptions appearance) {
  appearance.shape = overlay::MaskShape::box;
  appearance.grow = 0;
  return appearance;
}

bool lies_in_any(const Box& box, const std::vector<Box>& regions, Size picture) {
  return std::ranges::any_of(regions,
                             [&](const Box& region) { return lies_in(box, region, picture); });
}

/// Removes a detector's boxes that lie in one of the regions `kept`.
void leave_out_kept(HiddenFrame& known, const std::vector<Box>& kept, Size picture) {
  if (kept.empty()) return;
  std::erase_if(known.areas, [&](const HiddenArea& area) {
    return !area.by_person && lies_in_any(area.box, kept, picture);
  });
  const HiddenFrame all = std::exchange(known, {known.all, std::move(known.areas), {}, {}});
  for (std::size_t i = 0; i < all.faces.size(); ++i) {
    if (lies_in_any(all.faces.boxes[i], kept, picture)) continue;
    known.faces.push_back(all.faces.boxes[i], all.faces.scores[i], all.faces, i);
    known.face_tracks.push_back(all.face_tracks[i]);
  }
}

/// Throws unless the frame begins a scene.
void expect_scene(const track::TrackStep& followed, const FrameToHide& frame,
                  const std::string& input) {
  if (followed.frame.cut) return;
  throw Error(ErrorKind::input,
              input + ": no scene begins at " + std::to_string(frame.time_s) +
                  " s, where one began when the video was split; hide it as a whole");
}

std::unique_ptr<SearchedFrames> make_searched(const JobOptions& options) {
  if (!options.part || options.part->searched.empty()) return nullptr;
  return std::make_unique<SearchedFrames>(options.part->searched);
}

/// Returns whether pictures are hidden and encoded. A job that only searches plans its output, too,
/// so that it searches the same pictures as a job that encodes them.
bool writes_pictures(const JobOptions& options) {
  return !options.output.path.empty() && !(options.part && options.part->searches_only);
}

/// Releases the frame's picture.
void forget_picture(Frame& frame) {
  frame.planes = {};
  frame.owner.reset();
}

}  // namespace

void refuse_ignored(std::uint32_t candidates) {
  if (candidates == 0) return;
  throw Error(ErrorKind::device, "a frame has " + std::to_string(candidates) +
                                     " more candidates for faces than facepipe can look at; it "
                                     "would not hide all faces");
}

LaneHiding::LaneHiding(const ProcessorSetup& setup, HidingDevice& device,
                       const RegionClock& regions)
    : job_(*setup.options.hide),
      writes_(writes_pictures(setup.options)),
      picture_(setup.first.upright()),
      device_(device),
      regions_(regions),
      searched_(make_searched(setup.options)),
      motion_(follows_hidden_faces(setup.options) ? device.make_lane_motion() : nullptr),
      second_looker_(looks_again(setup.options) ? device.make_second_looker() : nullptr),
      keeper_(writes_ || second_looker_ ? device.make_keeper() : nullptr),
      pixels_(device.make_pixels(job_.appearance)) {}

// The device computes the small luma picture while it copies the frame.
TrackQueue::Given LaneHiding::look(WorkItem& item) {
  const ScopedCpuTime cpu(item.record.times, StageId::overlay);
  TrackQueue::Given given;
  if (searched_ && !item.begins_next_part) take_searched(item);
  given.frame = {item.record.index,
                 item.record.pts_s,
                 item.frame.pts,
                 item.record.damaged,
                 item.record.searched,
                 item.begins_next_part,
                 std::exchange(item.record.faces, {})};
  given.coded = item.coded;
  const bool follows = motion_ && !item.record.damaged;
  if (follows) given.picture = std::exchange(item.picture, nullptr);
  const bool looks = follows && !given.picture;
  if (looks) given.picture = motion_->make_picture(item.frame);
  if (keeper_) item.frame = keeper_->kept(std::move(item.frame));
  if (looks) motion_->wait();
  if (keeper_) keeper_->wait();
  if (second_looker_ && !item.record.damaged)
    // The tracker looks at the samples before the frame gets its verdict, so they are unchanged.
    given.frame.second_look =
        [looker = second_looker_, frame = std::make_shared<const Frame>(view_of(item.frame))](
            std::span<const Box> faces) { return looker->scores_of(*frame, faces); };
  if (!writes_) forget_picture(item.frame);
  item.in_flight.release();  // from now on, WorkItem::room limits the frame
  given.compared = compared(given.picture);
  return given;
}

/// Fills in what the search of another job has found in the frame.
void LaneHiding::take_searched(WorkItem& item) {
  FrameRecord found = searched_->next(item.coded);
  FrameRecord& record = item.record;
  record.candidates = found.candidates;
  record.searched = found.searched;
  record.faces = std::move(found.faces);
  // A decoder that began at a cut may have met damage that this one has not.
  record.damaged = record.damaged || found.damaged;
}

/// Compares the picture with the lane's previous picture. The tracker can use this result, except
/// for the first picture of a segment. So all lanes compare pictures at the same time, and the
/// tracker needn't compare these pictures again.
std::optional<track::ComparedPictures> LaneHiding::compared(
    const std::shared_ptr<const track::MotionPicture>& picture) {
  if (!picture) return std::nullopt;
  std::shared_ptr<const track::MotionPicture> before = std::exchange(last_picture_, picture);
  if (!before) return std::nullopt;
  const track::PictureChange change = motion_->compare(*before, *picture);
  return track::ComparedPictures{std::move(before), change};
}

void LaneHiding::apply(Verdict verdict, WorkItem& item) {
  const ScopedInterval interval(item.record.times[StageId::overlay]);
  const ScopedCpuTime cpu(item.record.times, StageId::overlay);
  FrameRecord& record = item.record;
  if (verdict.lane_frame_index != record.index)
    throw Error(ErrorKind::internal, "hide: another frame's verdict");
  const RegionClock::Now regions = regions_.at(verdict.pts);
  leave_out_kept(verdict.hidden, regions.kept, picture_);
  if (writes_) hide(verdict.hidden, regions, record.damaged, item.frame);
  record.index = verdict.index;
  record.pts_s = verdict.time_s;
  record.faces = std::move(verdict.hidden.faces);
  record.face_tracks = std::move(verdict.hidden.face_tracks);
  record.face_count = record.faces.size();
  record.times.cpu_ms[static_cast<std::size_t>(StageId::overlay)] += verdict.cpu_ms;
}

void LaneHiding::hide(const HiddenFrame& known, const RegionClock::Now& regions, bool damaged,
                      Frame& frame) {
  if (known.all || regions.all_hidden || damaged) {
    pixels_->hide_all(frame);
    return;
  }
  std::map<GrownStyle, std::vector<Box>> boxes;
  for (const HiddenArea& area : known.areas) boxes[{area.style, area.grow}].push_back(area.box);
  for (const auto& [look, faces] : boxes) pixels_for(look).hide(frame, faces);
  if (regions.hidden.empty()) return;
  if (!region_pixels_) region_pixels_ = device_.make_pixels(as_drawn(job_.appearance));
  region_pixels_->hide(frame, regions.hidden);
}

HidingPixels& LaneHiding::pixels_for(const GrownStyle& look) {
  const auto& [style, grow] = look;
  if (style.empty() && !grow) return *pixels_;
  std::unique_ptr<HidingPixels>& pixels = styles_[look];
  if (pixels) return *pixels;
  overlay::HideOptions appearance = job_.appearance;
  if (!style.empty()) {
    const auto known = job_.known->styles.find(style);
    if (known == job_.known->styles.end())
      throw Error(ErrorKind::internal, "a track's style that nobody has read");
    appearance = known->second;
  }
  if (grow) appearance.grow = *grow;
  pixels = device_.make_pixels(appearance);
  return *pixels;
}

Hiding::Hiding(const ProcessorSetup& setup, std::unique_ptr<HidingDevice> device)
    : input_(setup.options.input.name),
      follows_(follows_hidden_faces(setup.options)),
      device_(std::move(device)),
      regions_(setup.options.hide->regions, setup.first.upright(), setup.first.time_base,
               setup.origin_us),
      motion_(make_motion(setup, *device_)),
      source_(make_source(setup, motion_)),
      region_use_(setup.options.hide->regions, regions_) {}

void Hiding::follow(TrackQueue& queue, Presentation* presentation, PendingVerdicts& pending) {
  while (std::optional<TrackQueue::Given> given = queue.next())
    pending.push(follow(std::move(*given), presentation));
  followed_all_ = true;
}

Hiding::PendingVerdict Hiding::follow(TrackQueue::Given given, Presentation* presentation) {
  const double begin_ms = ScopedCpuTime::thread_cpu_ms();
  FrameToHide& frame = given.frame;
  Verdict verdict;
  verdict.lane_frame_index = frame.index;
  if (presentation != nullptr) {
    const Frame place = presentation->next(given.coded);
    frame.index = place.index;
    frame.time_s = place.seconds();
    frame.pts = place.pts;
  }
  verdict.index = frame.index;
  verdict.time_s = frame.time_s;
  verdict.pts = frame.pts;
  track::TrackStep tracks =
      source_->follow(frame, std::move(given.picture), std::move(given.compared));
  frame.second_look = nullptr;  // it holds the picture
  if (frame.begins_next_part) {
    if (follows_) expect_scene(tracks, frame, input_);
    next_part_ = given.coded;
  }
  verdict.cpu_ms = static_cast<float>(ScopedCpuTime::thread_cpu_ms() - begin_ms);
  return {std::move(frame), std::move(tracks), std::move(verdict)};
}

void Hiding::decide(PendingVerdicts& pending, TrackQueue& queue,
                    const std::function<bool()>& cut_short) {
  while (std::optional<PendingVerdict> next = pending.pop()) {
    if (next->frame.begins_next_part) {
      answer(source_->hand_over(std::move(next->tracks)), queue);
      next->verdict.of_next_part = true;
      queue.answer(std::move(next->verdict));
      continue;
    }
    const double begin_ms = ScopedCpuTime::thread_cpu_ms();
    std::vector<HiddenFrame> known = source_->decide(next->frame, std::move(next->tracks));
    next->verdict.cpu_ms += static_cast<float>(ScopedCpuTime::thread_cpu_ms() - begin_ms);
    waiting_.push_back(std::move(next->verdict));
    answer(std::move(known), queue);
  }
  if (!followed_all_) return;
  std::vector<HiddenFrame> last = source_->flush();
  if (cut_short())
    for (HiddenFrame& frame : last) frame.all = true;
  answer(std::move(last), queue);
}

void Hiding::answer(std::vector<HiddenFrame> known, TrackQueue& queue) {
  for (HiddenFrame& frame : known) {
    if (waiting_.empty()) throw Error(ErrorKind::internal, "a frame that nobody waits for");
    Verdict verdict = std::move(waiting_.front());
    waiting_.pop_front();
    region_use_.see(verdict.pts);
    verdict.hidden = std::move(frame);
    queue.answer(std::move(verdict));
  }
}

void Hiding::check_instructions(const JobOptions& options, video::Notices& notices) const {
  std::vector<InstructionUse> uses{region_use_.sum()};
  if (std::optional<InstructionUse> tracks = source_->use()) uses.push_back(std::move(*tracks));
  warn_of_unused(uses, options.input.name, options.output.strict, notices);
}

}  // namespace facepipe::pipeline
