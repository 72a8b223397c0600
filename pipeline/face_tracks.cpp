#include "pipeline/face_tracks.h"

#include <utility>

#include "track/matching.h"

namespace facepipe::pipeline {
namespace {

// A face and a detection are the same face if their IoU is larger than this threshold.
constexpr float kSameFace = 0.5F;

/// Returns the options without look-ahead, because only the tracks of the newest frame are needed.
track::TrackerOptions without_look_ahead(track::TrackerOptions options) {
  options.look_ahead_s = 0;
  return options;
}

}  // namespace

FaceTracks::FaceTracks(track::TrackerOptions options, const ScoreScales& scales,
                       std::unique_ptr<track::MotionEstimator> motion)
    : motion_(std::move(motion)), tracker_(*motion_, without_look_ahead(options), scales) {}

FaceTracks::Assignment FaceTracks::assign(const Frame& frame, const FrameRecord& record,
                                          const Detections& found,
                                          std::shared_ptr<const track::MotionPicture> picture) {
  track::TrackerInput input;
  input.time_s = record.pts_s;
  if (!record.damaged) input.picture = picture ? std::move(picture) : motion_->make_picture(frame);
  input.detections = &found;
  input.searched = record.searched;
  track::TrackerOutput known = tracker_.push(std::move(input));
  motion_->wait();
  Assignment tracks{std::vector<std::int64_t>(record.faces.size(), kNoTrack),
                    std::move(known.taken_by)};
  if (!record.searched) return tracks;
  for (const track::Match& match : track::match_greedily(record.faces, found))
    if (track::iou(record.faces.boxes[match.prediction], found.boxes[match.detection]) > kSameFace)
      tracks.faces[match.prediction] = tracks.found[match.detection];
  return tracks;
}

}  // namespace facepipe::pipeline
