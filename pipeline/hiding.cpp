#include "pipeline/hiding.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "core/error.h"

namespace facepipe {
namespace {

/// @param motion  null where tracks are known
std::unique_ptr<HiddenFrames> make_source(const ProcessorSetup& setup, MotionEstimator* motion) {
  const HideJob& job = *setup.options.hide;
  TrackFileInput input;
  input.size = setup.first.upright();
  input.time_base = setup.first.time_base;
  if (job.known) return known_frames(*job.known, input, !setup.options.start_s);
  return track_frames(job, *motion, setup.waiting_frames, input);
}

/// A region is what a user has drawn: as it is, whatever the shape of faces' masks.
HideOptions as_drawn(HideOptions look) {
  look.shape = MaskShape::box;
  look.grow = 0;
  return look;
}

bool lies_in_any(const Box& box, const std::vector<Box>& regions, Size picture) {
  return std::ranges::any_of(regions,
                             [&](const Box& region) { return lies_in(box, region, picture); });
}

/// A detector's boxes that lie in regions where it is to hide nothing.
void leave_out_kept(HiddenFrame& known, const std::vector<Box>& kept, Size picture) {
  if (kept.empty()) return;
  std::erase_if(known.areas, [&](const HiddenArea& area) {
    return !area.by_person && lies_in_any(area.box, kept, picture);
  });
  const HiddenFrame all = std::exchange(known, {known.all, std::move(known.areas), {}, {}});
  for (std::size_t i = 0; i < all.faces.size(); ++i) {
    if (lies_in_any(all.faces.boxes[i], kept, picture)) continue;
    known.faces.push_back(all.faces.boxes[i], all.faces.scores[i]);
    known.face_tracks.push_back(all.face_tracks[i]);
  }
}

/// Nobody needs the picture any more.
void forget_picture(Frame& frame) {
  frame.planes = {};
  frame.owner.reset();
}

}  // namespace

void refuse_ignored(std::uint32_t candidates) {
  if (candidates == 0) return;
  throw Error(ErrorKind::device, "a frame has " + std::to_string(candidates) +
                                     " candidates for faces more than can be looked at; not all "
                                     "would be hidden");
}

Hiding::Hiding(const ProcessorSetup& setup, std::unique_ptr<HidingDevice> device)
    : job_(*setup.options.hide),
      writes_(!setup.options.output.empty()),
      picture_(setup.first.upright()),
      device_(std::move(device)),
      regions_(job_.regions, picture_, setup.first.time_base, setup.origin_us),
      motion_(job_.known ? nullptr : device_->make_motion()),
      source_(make_source(setup, motion_.get())),
      pixels_(device_->make_pixels(job_.look)) {}

void Hiding::push(WorkItem item, const FrameProcessor::Sink& sink) {
  std::vector<HiddenFrame> known;
  {
    const ScopedCpuTime cpu(item.record.times, StageId::overlay);
    known = track(item);
  }
  waiting_.push_back(std::move(item));
  give(std::move(known), sink);
}

/// The device looks for motion in the picture while it is copied.
std::vector<HiddenFrame> Hiding::track(WorkItem& item) {
  std::shared_ptr<const MotionPicture> picture;
  if (motion_ && !item.record.damaged) picture = motion_->look_at(item.frame);
  if (writes_) item.frame = pixels_->kept(std::move(item.frame));
  std::vector<HiddenFrame> known = source_->push({item.record, item.frame.pts}, std::move(picture));
  item.record.faces = {};  // of a whole file that waits they take much memory
  if (motion_) motion_->wait();
  pixels_->wait();
  if (!writes_) forget_picture(item.frame);
  item.in_flight.release();  // what waits is bounded by itself
  return known;
}

void Hiding::flush(const FrameProcessor::Sink& sink) { give(source_->flush(), sink); }

void Hiding::give(std::vector<HiddenFrame> known, const FrameProcessor::Sink& sink) {
  for (HiddenFrame& frame : known) {
    if (waiting_.empty()) throw Error(ErrorKind::internal, "a frame that nobody waits for");
    WorkItem item = std::move(waiting_.front());
    waiting_.pop_front();
    settle(std::move(frame), item);
    sink(std::move(item));
  }
}

void Hiding::settle(HiddenFrame known, WorkItem& item) {
  const ScopedInterval interval(item.record.times[StageId::overlay]);
  const ScopedCpuTime cpu(item.record.times, StageId::overlay);
  const RegionClock::Now regions = regions_.at(item.frame.pts);
  leave_out_kept(known, regions.kept, picture_);
  if (writes_) hide(known, regions, item.record.damaged, item.frame);
  item.record.faces = std::move(known.faces);
  item.record.face_tracks = std::move(known.face_tracks);
  item.record.face_count = item.record.faces.size();
}

void Hiding::hide(const HiddenFrame& known, const RegionClock::Now& regions, bool damaged,
                  Frame& frame) {
  if (known.all || regions.all_hidden || damaged) {
    pixels_->hide_all(frame);
    return;
  }
  std::map<std::string_view, std::vector<Box>> boxes;
  for (const HiddenArea& area : known.areas) boxes[area.style].push_back(area.box);
  for (const auto& [style, its] : boxes) pixels_for(style).hide(frame, its);
  if (regions.hidden.empty()) return;
  if (!region_pixels_) region_pixels_ = device_->make_pixels(as_drawn(job_.look));
  region_pixels_->hide(frame, regions.hidden);
}

HidingPixels& Hiding::pixels_for(std::string_view style) {
  if (style.empty()) return *pixels_;
  std::unique_ptr<HidingPixels>& pixels = styles_[style];
  if (pixels) return *pixels;
  const auto look = job_.known->styles.find(style);
  if (look == job_.known->styles.end())
    throw Error(ErrorKind::internal, "a track's style that nobody has read");
  pixels = device_->make_pixels(look->second);
  return *pixels;
}

void Hiding::report(JobResult& result, Notices& notices) const {
  result.tracks = source_->tracks();
  source_->report(notices);
}

}  // namespace facepipe
