#include "verify/verifier.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/error.h"
#include "verify/cells.h"

namespace facepipe::verify {
namespace {

// This is longer than the hold of `hide`, so the verifier finds faces that `hide` stopped hiding
// too early.
constexpr double kHold_s = 0.4;
constexpr std::int64_t kMostWaitingPixels = std::int64_t{1} << 26;

track::TrackerOptions tracker_options(const VerifierOptions& options, Size size) {
  track::TrackerOptions tracks;
  tracks.start_score = tracks.lone_score = options.score;
  tracks.continue_score = std::min(tracks.continue_score, options.score);
  tracks.hold_s = kHold_s;
  const std::int64_t pixels = std::int64_t{size.width} * size.height;
  tracks.most_waiting = static_cast<int>(
      std::clamp<std::int64_t>(kMostWaitingPixels / pixels, 1, track::kMostWaitingFrames));
  return tracks;
}

bool is_cosmetic_style(const std::string& style) {
  return style.starts_with("blur") || style.starts_with("mosaic");
}

std::vector<Box> kept_at(const track::TrackFile& file, std::int64_t pts) {
  std::vector<Box> boxes;
  for (const track::FileTrack& track : file.tracks)
    if (track.action == track::TrackAction::keep)
      if (const std::optional<Box> box = track::box_at(track, pts)) boxes.push_back(*box);
  return boxes;
}

}  // namespace

Verifier::Verifier(const VerifierOptions& options, Looks original, Looks hidden,
                   std::optional<TurnedSearch> turned)
    : options_(options),
      looks_at_original_(std::move(original)),
      looks_at_hidden_(std::move(hidden)),
      turned_(std::move(turned)),
      findings_(options.thumbnails) {
  track::check_tracker_options(tracker_options(options, {1, 1}));
}

void Verifier::push(const FramePair& pair, const std::stop_token& stop) {
  const Frame& original = pair.original;
  if (!tracker_)
    tracker_.emplace(motion_, tracker_options(options_, original.upright()),
                     looks_at_original_.scales());
  Waiting waiting{pair.number, pair.time_s, make_planes(original), make_planes(pair.hidden)};
  check_file(original, waiting);
  const Detections found = together(pair, waiting, stop);
  track::TrackerInput input;
  input.time_s = pair.time_s;
  input.detections = &found;
  if (!pair.damaged) input.picture = motion_.make_picture(original);
  waiting_.push_back(std::move(waiting));
  examine(tracker_->push(std::move(input)));
}

std::vector<Finding> Verifier::finish() {
  if (tracker_) examine(tracker_->flush());
  std::vector<Finding> findings = findings_.take();
  std::erase_if(findings, [&](const Finding& finding) {
    const ScoreScale& scale = looks_at_original_.scales().of(finding.clearest.found_class);
    return finding.source == FindingSource::detection &&
           scale.usual(finding.best_score) < options_.score;
  });
  return findings;
}

/// Examines the boxes that the edit file hides at this time, and notes the boxes that it keeps.
void Verifier::check_file(const Frame& original, Waiting& pair) {
  if (options_.tracks == nullptr) return;
  const Rational& base = options_.tracks->input.time_base;
  const std::int64_t pts = std::llround(original.seconds() * base.den / base.num);
  pair.kept = kept_at(*options_.tracks, pts);
  for (const track::HiddenBox& hidden : track::hidden_at(*options_.tracks, pts)) {
    ++counts_.from_file;
    const Planes* const before = waiting_.empty() ? nullptr : &waiting_.back().hidden;
    const Shown shown = shown_of(pair.original, {pair.hidden, before}, hidden.box);
    if (is_hidden(shown.detail)) continue;
    const bool cosmetic = is_cosmetic_style(hidden.track->style) || is_weakened(shown.detail);
    findings_.add(cosmetic ? FindingKind::cosmetic : FindingKind::leak, FindingSource::edit_file,
                  hidden.track->id,
                  {pair.number, pair.time_s, hidden.box, 0, shown.detail, shown.disguise},
                  pair.hidden.luma, pair.original.luma.size);
  }
}

Detections Verifier::of_original(const FramePair& pair, const std::stop_token& stop) {
  Detections all = looks_at_original_.find_in_all_planes(pair.original, stop);
  if (!turned_) return all;
  append(all, turned_->find(pair.original, pair.time_s, all, stop));
  return all;
}

/// Returns the detections in the original, and the detections in the hidden picture at the same
/// places.
Detections Verifier::together(const FramePair& pair, Waiting& waiting,
                              const std::stop_token& stop) {
  Detections all = of_original(pair, stop);
  const Detections there = looks_at_hidden_.find_in_all_planes(pair.hidden, stop);
  const std::vector<Box> known = all.boxes;
  Detections others;
  for (std::size_t i = 0; i < there.size(); ++i) {
    const Box box = scaled(there.boxes[i], waiting.hidden.luma.size, waiting.original.luma.size);
    if (is_among(box, known)) {
      all.push_back(box, there.scores[i]);
      all.set_class_of_last(there.class_of(i));
      if (usual(there, i) >= kSurelyFace) waiting.faces.push_back(box);
    } else if (usual(there, i) >= options_.score) {
      others.push_back(box, there.scores[i]);
      others.set_class_of_last(there.class_of(i));
    }
  }
  report_others(others, waiting);
  return looks_at_original_.merged(all);
}

/// Adds findings for detections that only the hidden video has. They are only for the report.
void Verifier::report_others(const Detections& others, const Waiting& pair) {
  const std::vector<std::int64_t> ids = others_.follow(others, pair.time_s);
  for (std::size_t i = 0; i < others.size(); ++i)
    findings_.add(FindingKind::only_there, FindingSource::detection, ids[i],
                  {pair.number,
                   pair.time_s,
                   others.boxes[i],
                   others.scores[i],
                   {},
                   Disguise::none,
                   others.class_of(i)},
                  pair.hidden.luma, pair.original.luma.size);
}

void Verifier::examine(const track::TrackerOutput& known) {
  for (const track::TrackedFrame& frame : known.frames) {
    if (waiting_.empty()) throw Error(ErrorKind::internal, "a frame that nobody waits for");
    for (const track::TrackedBox& box : frame.boxes)
      if (box.hidden) examine(box, waiting_.front());
    before_ = std::move(waiting_.front().hidden);
    waiting_.pop_front();
  }
}

void Verifier::examine(const track::TrackedBox& tracked, const Waiting& pair) {
  ++counts_.detected;
  const HiddenPictures hidden{pair.hidden, before_ ? &*before_ : nullptr,
                              waiting_.size() > 1 ? &waiting_[1].hidden : nullptr};
  const Shown shown = shown_of(pair.original, hidden, tracked.box);
  const bool surely = is_among(tracked.box, pair.faces);
  if (is_hidden(shown.detail) && !surely) return;
  FindingKind kind =
      is_weakened(shown.detail) && !surely ? FindingKind::cosmetic : FindingKind::leak;
  if (is_among(tracked.box, pair.kept)) kind = FindingKind::kept;
  findings_.add(kind, FindingSource::detection, tracked.track,
                {pair.number, pair.time_s, tracked.box, tracked.score, shown.detail, shown.disguise,
                 tracked.found_class},
                pair.hidden.luma, pair.original.luma.size);
}

}  // namespace facepipe::verify
