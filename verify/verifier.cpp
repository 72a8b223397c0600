#include "verify/verifier.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/error.h"
#include "track/matching.h"

namespace facepipe {
namespace {

constexpr float kSamePlace = 0.3F;  // IoU
constexpr double kFollow_s = 0.5;
constexpr double kHold_s = 0.4;  // longer than hiding does: what it let go of too early shows here
constexpr std::int64_t kMostWaitingPixels = std::int64_t{1} << 26;

TrackerOptions tracker_options(const VerifierOptions& options, Size size) {
  TrackerOptions tracks;
  tracks.start_score = tracks.lone_score = options.score;
  tracks.continue_score = std::min(tracks.continue_score, options.score);
  tracks.hold_s = kHold_s;
  const std::int64_t pixels = std::int64_t{size.width} * size.height;
  tracks.most_waiting = static_cast<int>(
      std::clamp<std::int64_t>(kMostWaitingPixels / pixels, 1, kMostWaitingFrames));
  return tracks;
}

Box scaled(const Box& box, Size from, Size to) {
  const float x = static_cast<float>(to.width) / static_cast<float>(from.width);
  const float y = static_cast<float>(to.height) / static_cast<float>(from.height);
  return {box.x1 * x, box.y1 * y, box.x2 * x, box.y2 * y};
}

bool is_among(const Box& box, const std::vector<Box>& boxes) {
  return std::ranges::any_of(boxes,
                             [&](const Box& other) { return iou(box, other) >= kSamePlace; });
}

bool is_cosmetic_style(const std::string& style) {
  return style.starts_with("blur") || style.starts_with("mosaic");
}

std::vector<Box> kept_at(const TrackFile& file, std::int64_t pts) {
  std::vector<Box> boxes;
  for (const FileTrack& track : file.tracks)
    if (track.action == TrackAction::keep)
      if (const std::optional<Box> box = box_at(track, pts)) boxes.push_back(*box);
  return boxes;
}

/// Detail that is there in part, and hardly any of it as it was.
bool is_weakened(const DetailLeft& detail) { return detail.left <= 1 - kHiddenShare; }

}  // namespace

Verifier::Verifier(const VerifierOptions& options, Looks original, Looks hidden)
    : options_(options),
      looks_at_original_(std::move(original)),
      looks_at_hidden_(std::move(hidden)),
      findings_(options.thumbnails) {
  check_tracker_options(tracker_options(options, {1, 1}));
}

void Verifier::push(const FramePair& pair, const std::stop_token& stop) {
  const Frame& original = pair.original;
  if (!tracker_) tracker_.emplace(motion_, tracker_options(options_, original.upright()));
  Waiting waiting{pair.number, pair.time_s, make_grey(original), make_grey(pair.hidden), {}};
  check_file(original, waiting);
  const Detections found = together(pair, waiting, stop);
  TrackerInput input;
  input.time_s = pair.time_s;
  input.detections = &found;
  if (!pair.damaged) input.picture = motion_.look_at(original);
  waiting_.push_back(std::move(waiting));
  examine(tracker_->push(std::move(input)));
}

std::vector<Finding> Verifier::finish() {
  if (tracker_) examine(tracker_->flush());
  std::vector<Finding> findings = findings_.take();
  std::erase_if(findings, [&](const Finding& finding) {
    return finding.source == FindingSource::detection && finding.best_score < options_.score;
  });
  return findings;
}

/// The boxes that the file hides at this time, and those that it keeps.
void Verifier::check_file(const Frame& original, Waiting& pair) {
  if (options_.tracks == nullptr) return;
  const Rational& base = options_.tracks->input.time_base;
  const std::int64_t pts = std::llround(original.seconds() * base.den / base.num);
  pair.kept = kept_at(*options_.tracks, pts);
  for (const HiddenBox& hidden : hidden_at(*options_.tracks, pts)) {
    ++counts_.from_file;
    const DetailLeft detail = detail_left(pair.original, pair.hidden, hidden.box);
    if (detail.gone >= kHiddenShare) continue;
    const bool cosmetic = is_cosmetic_style(hidden.track->style) || is_weakened(detail);
    findings_.add(cosmetic ? FindingKind::cosmetic : FindingKind::leak, FindingSource::edit_file,
                  hidden.track->id, {pair.number, pair.time_s, hidden.box, 0, detail}, pair.hidden,
                  pair.original.size);
  }
}

/// What is found in the original, and in the hidden picture at the same places.
Detections Verifier::together(const FramePair& pair, const Waiting& waiting,
                              const std::stop_token& stop) {
  Detections all = looks_at_original_.find(pair.original, stop);
  const Detections there = looks_at_hidden_.find(pair.hidden, stop);
  const std::vector<Box> known = all.boxes;
  Detections others;
  for (std::size_t i = 0; i < there.size(); ++i) {
    const Box box = scaled(there.boxes[i], waiting.hidden.size, waiting.original.size);
    if (is_among(box, known))
      all.push_back(box, there.scores[i]);
    else if (there.scores[i] >= options_.score)
      others.push_back(box, there.scores[i]);
  }
  tell_others(others, waiting);
  return looks_at_original_.merged(all);
}

/// Follows what only the hidden video shows, for the report alone: from box to box, without motion.
void Verifier::tell_others(const Detections& others, const Waiting& pair) {
  std::erase_if(
      others_, [&](const Followed& followed) { return pair.time_s - followed.time_s > kFollow_s; });
  std::vector<Box> before;
  for (const Followed& followed : others_) before.push_back(followed.box);
  std::vector<std::optional<std::size_t>> partner(others.size());
  for (const Match& match : match_greedily(before, others.boxes))
    partner[match.detection] = match.prediction;
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!partner[i]) {
      partner[i] = others_.size();
      others_.push_back({next_other_++, {}, 0});
    }
    Followed& followed = others_[*partner[i]];
    followed.box = others.boxes[i];
    followed.time_s = pair.time_s;
    findings_.add(FindingKind::only_there, FindingSource::detection, followed.id,
                  {pair.number, pair.time_s, others.boxes[i], others.scores[i], {}}, pair.hidden,
                  pair.original.size);
  }
}

void Verifier::examine(const TrackerOutput& known) {
  for (const TrackedFrame& frame : known.frames) {
    if (waiting_.empty()) throw Error(ErrorKind::internal, "a frame that nobody waits for");
    for (const TrackedBox& box : frame.boxes)
      if (box.hidden) examine(box, waiting_.front());
    waiting_.pop_front();
  }
}

void Verifier::examine(const TrackedBox& tracked, const Waiting& pair) {
  ++counts_.detected;
  const DetailLeft detail = detail_left(pair.original, pair.hidden, tracked.box);
  if (detail.gone >= kHiddenShare) return;
  FindingKind kind = is_weakened(detail) ? FindingKind::cosmetic : FindingKind::leak;
  if (is_among(tracked.box, pair.kept)) kind = FindingKind::kept;
  findings_.add(kind, FindingSource::detection, tracked.track,
                {pair.number, pair.time_s, tracked.box, tracked.score, detail}, pair.hidden,
                pair.original.size);
}

}  // namespace facepipe
