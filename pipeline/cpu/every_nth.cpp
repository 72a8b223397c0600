#include "pipeline/cpu/every_nth.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "pipeline/searched_classes.h"

namespace facepipe::pipeline {
namespace {

/// Returns options of greedy suppression with the same overlap threshold as the detector's faces.
nms::NmsOptions greedy_of(const nms::NmsOptions& nms) {
  nms::NmsOptions greedy;
  greedy.threshold = nms.threshold;
  return greedy;
}

/// Takes from a searched frame the data that neighbouring frames need: time, small picture,
/// detections.
track::SearchedFrame searched_of(WorkItem& item) {
  return {{item.record.pts_s, std::exchange(item.picture, nullptr)},
          std::exchange(item.to_follow, {})};
}

}  // namespace

void EveryNth::choose(WorkItem& item) {
  const ScopedCpuTime cpu(item.record.times, StageId::preprocess);
  item.picture = motion_.make_picture(item.frame);
  const bool cut = !last_ || track::may_be_cut(*last_, *item.picture);
  item.record.searched = cut || item.record.damaged || since_ + 1 >= every_;
  since_ = item.record.searched ? 0 : since_ + 1;
  last_ = item.picture;
}

FramesBetween::FramesBetween(const JobOptions& options)
    : search_(options.search),
      sizes_{options.search.min_face, options.search.max_face},
      wants_tracks_(options.follow.has_value()),
      suppressor_(greedy_of(options.search.nms), nms::nms_capacity(greedy_of(options.search.nms)),
                  overlaps_of(options.search)) {}

void FramesBetween::push(WorkItem item, std::vector<std::int64_t> tracks,
                         const FrameProcessor::Sink& sink) {
  if (!item.record.searched) {
    if (!before_) throw Error(ErrorKind::internal, "the first frame was not searched");
    waiting_.push_back(std::move(item));
    return;
  }
  Searched searched{searched_of(item), std::move(tracks)};
  fill(&searched, sink);
  sink(std::move(item));
  before_ = std::move(searched);
}

void FramesBetween::flush(const FrameProcessor::Sink& sink) { fill(nullptr, sink); }

void FramesBetween::fill(const Searched* after, const FrameProcessor::Sink& sink) {
  if (waiting_.empty()) return;
  fill_in(after);
  for (WorkItem& item : std::exchange(waiting_, {})) sink(std::move(item));
}

void FramesBetween::fill_in(const Searched* after) {
  FrameTimes& times = waiting_.front().record.times;
  const ScopedInterval interval(times[StageId::overlay]);
  const ScopedCpuTime cpu(times, StageId::overlay);
  std::vector<track::TimedPicture> between;
  for (WorkItem& item : waiting_)
    between.push_back({item.record.pts_s, std::exchange(item.picture, nullptr)});
  const std::vector<track::FacesBetween> faces = track::faces_between(
      motion_, before_->frame, between, after == nullptr ? nullptr : &after->frame, search_.scales);
  for (std::size_t i = 0; i < faces.size(); ++i) take(faces[i], after, waiting_[i].record);
}

float FramesBetween::least_score(std::uint16_t its_class) const {
  return search_.classes.empty() ? search_.face_score.value_or(0)
                                 : search_.classes[its_class].face_score;
}

/// Sets the record's faces: the faces with the wanted scores and sizes, after suppression.
void FramesBetween::take(const track::FacesBetween& all, const Searched* after,
                         FrameRecord& record) {
  Detections faces;
  std::vector<std::int64_t> tracks;
  for (std::size_t i = 0; i < all.faces.size(); ++i) {
    if (!(all.faces.scores[i] > least_score(all.faces.class_of(i)))) continue;
    faces.push_back(clipped(all.faces.boxes[i], record.size), all.faces.scores[i], all.faces, i);
    if (wants_tracks_) tracks.push_back(track_of(all, i, after));
  }
  const nms::NmsKept kept = suppressor_.run(faces);
  for (const std::uint32_t i : kept.indices) {
    if (!sizes_.wanted(faces.boxes[i])) continue;
    record.faces.push_back(faces.boxes[i], faces.scores[i], faces, i);
    if (wants_tracks_) record.face_tracks.push_back(tracks[i]);
  }
  record.face_count = record.faces.size();
}

std::int64_t FramesBetween::track_of(const track::FacesBetween& all, std::size_t i,
                                     const Searched* after) const {
  return all.after[i] ? after->tracks.at(*all.after[i]) : before_->tracks.at(*all.before[i]);
}

}  // namespace facepipe::pipeline
