#include "track/track_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/limits.h"
#include "track/matching.h"
#include "track/track_file_json.h"

namespace facepipe::track {
namespace {

constexpr std::size_t kMostStyleBytes = 200;
constexpr std::size_t kMostClassBytes = 64;
constexpr std::size_t kMostModelBytes = 200;
constexpr float kMostGrow = 4;

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string reason_against(const TrackFileInput& input) {
  if (!is_hash(input.sha256)) return "input: sha256 is not 64 digits in lower case";
  if (input.frames < 0) return "input: frames are under 0";
  const auto [width, height] = input.size;
  if (width < 1 || height < 1 || width > kMaxPictureSide || height > kMaxPictureSide)
    return "input: the picture's size is out of range";
  if (input.time_base.num < 1 || input.time_base.den < 1) return "input: time_base is not over 0";
  return {};
}

std::string reason_against(const Box& box, Size picture) {
  for (const float edge : {box.x1, box.y1, box.x2, box.y2})
    if (!std::isfinite(edge)) return "an edge is not finite";
  if (!(box.x1 < box.x2)) return "x1 is not under x2";
  if (!(box.y1 < box.y2)) return "y1 is not under y2";
  if (box.x2 <= 0 || box.y2 <= 0 || box.x1 >= static_cast<float>(picture.width) ||
      box.y1 >= static_cast<float>(picture.height))
    return "lies outside of the picture";
  return {};
}

std::string reason_against(const FileTrack& track, Size picture) {
  if (track.id < 0) return "id is under 0";
  if (!(track.score_max >= 0 && track.score_max <= 1)) return "score_max is not from 0 to 1";
  if (track.style.size() > kMostStyleBytes)
    return "style has more than " + std::to_string(kMostStyleBytes) + " bytes";
  if (!can_be_written(track.style)) return "style is not UTF-8";
  if (track.found_class.empty() || track.found_class.size() > kMostClassBytes)
    return "class has not 1 to " + std::to_string(kMostClassBytes) + " bytes";
  if (!can_be_written(track.found_class)) return "class is not UTF-8";
  if (track.model.size() > kMostModelBytes)
    return "model has more than " + std::to_string(kMostModelBytes) + " bytes";
  if (!can_be_written(track.model)) return "model is not UTF-8";
  if (track.grow && !(*track.grow >= 0 && *track.grow <= kMostGrow))
    return "grow is not from 0 to 4";
  if (track.boxes.empty()) return "has no boxes";
  for (std::size_t i = 0; i < track.boxes.size(); ++i) {
    const std::string name = "box " + std::to_string(i) + ": ";
    if (i > 0 && track.boxes[i].pts <= track.boxes[i - 1].pts)
      return name + "pts is not after that of the previous box";
    const std::string reason = reason_against(track.boxes[i].box, picture);
    if (!reason.empty()) return name + reason;
  }
  if (track.start_pts > track.boxes.front().pts) return "start_pts is after the first box";
  if (track.end_pts < track.boxes.back().pts) return "end_pts is before the last box";
  return {};
}

/// Returns the class without a model's name that can't be written to a file.
TrackClass for_file(TrackClass its) {
  if (its.model.size() > kMostModelBytes || !can_be_written(its.model)) its.model.clear();
  return its;
}

}  // namespace

std::string reason_against(const TrackFile& file) {
  if (std::string reason = reason_against(file.input); !reason.empty()) return reason;
  if (file.tracks.size() > kMostFileTracks)
    return "has more than " + std::to_string(kMostFileTracks) + " tracks";
  std::set<std::int64_t> ids;
  std::size_t boxes = 0;
  for (std::size_t i = 0; i < file.tracks.size(); ++i) {
    const FileTrack& track = file.tracks[i];
    const std::string name = "track " + std::to_string(i) + ": ";
    if (const std::string reason = reason_against(track, file.input.size); !reason.empty())
      return name + reason;
    if (!ids.insert(track.id).second) return name + "another track has its id";
    boxes += track.boxes.size();
  }
  if (boxes > kMostFileBoxes) return "has more than " + std::to_string(kMostFileBoxes) + " boxes";
  return {};
}

TrackFile read_track_file(const std::filesystem::path& path) {
  TrackFile file = parse_track_file(path);
  if (const std::string reason = reason_against(file); !reason.empty())
    throw Error(ErrorKind::input, path.string() + ": " + reason);
  return file;
}

void write_track_file(const TrackFile& file, const std::filesystem::path& path,
                      ExistingTarget existing) {
  OutputFile output(path, existing);
  write_track_file(file, output);
}

void write_track_file(const TrackFile& file, OutputFile& output) {
  const std::string name = output.target().string();
  if (const std::string reason = reason_against(file); !reason.empty())
    throw Error(ErrorKind::internal, name + ": " + reason);
  output.write_text(track_file_head(file.input));
  for (std::size_t i = 0; i < file.tracks.size(); ++i) {
    std::string text = i == 0 ? "" : ",";
    append_track(text, file.tracks[i]);
    output.write_text(text);
  }
  output.write_text("]}\n");
  output.commit();
}

std::optional<Box> box_at(const FileTrack& track, std::int64_t pts) {
  if (pts < track.start_pts || pts > track.end_pts || track.boxes.empty()) return std::nullopt;
  const auto next = std::ranges::lower_bound(track.boxes, pts, {}, &FileBox::pts);
  if (next != track.boxes.end() && next->pts == pts) return next->box;
  if (track.origin == TrackOrigin::detector) return std::nullopt;
  if (next == track.boxes.begin()) return next->box;
  const FileBox& before = *(next - 1);
  if (next == track.boxes.end()) return before.box;
  // The differences are unsigned, because signed differences could overflow. The stamps are
  // subtracted before they become floating point, because rounding could make them equal.
  const auto since = [&](std::int64_t stamp) {
    return static_cast<double>(static_cast<std::uint64_t>(stamp) -
                               static_cast<std::uint64_t>(before.pts));
  };
  const double k = since(pts) / since(next->pts);
  const auto mix = [k](float a, float b) {
    return static_cast<float>(static_cast<double>(a) * (1 - k) + static_cast<double>(b) * k);
  };
  const Box& a = before.box;
  const Box& b = next->box;
  return Box{mix(a.x1, b.x1), mix(a.y1, b.y1), mix(a.x2, b.x2), mix(a.y2, b.y2)};
}

std::vector<HiddenBox> hidden_at(const TrackFile& file, std::int64_t pts) {
  std::vector<HiddenBox> hidden;
  for (const FileTrack& track : file.tracks) {
    if (track.action != TrackAction::hide) continue;
    if (const std::optional<Box> box = box_at(track, pts)) hidden.push_back({*box, &track});
  }
  return hidden;
}

TrackFileBuilder::TrackFileBuilder(TrackFileInput input, float suggest_score,
                                   std::vector<TrackClass> classes, ScoreScales scales)
    : suggest_score_(suggest_score), classes_(std::move(classes)), scales_(std::move(scales)) {
  file_.input = std::move(input);
  file_.input.frames = 0;
  if (classes_.empty()) classes_.emplace_back();
  for (TrackClass& each : classes_) each = for_file(std::move(each));
}

FileTrack TrackFileBuilder::make_track(std::int64_t id, TrackAction action,
                                       const CollectedTrack& track,
                                       std::vector<FileBox> boxes) const {
  const TrackClass& its = classes_.at(track.found_class);
  FileTrack made;
  made.id = id;
  made.action = action;
  made.score_max = track.best_score;
  made.start_pts = boxes.front().pts;
  made.end_pts = boxes.back().pts;
  made.boxes = std::move(boxes);
  made.found_class = its.name;
  made.model = its.model;
  made.grow = its.grow;
  return made;
}

void TrackFileBuilder::add(const TrackedFrame& frame, std::int64_t pts) {
  ++file_.input.frames;
  for (const TrackedBox& box : frame.boxes) {
    const Box place = grown(box.box, box.grow);
    if (!reason_against(place, file_.input.size).empty()) continue;
    CollectedTrack& track = tracks_[box.track];
    track.found_class = box.found_class;
    if (track.boxes.empty() || track.boxes.back().pts != pts) {
      track.boxes.push_back({pts, place, box.state});
    } else {
      FileBox& there = track.boxes.back();
      there.box = joined(there.box, place);
      // Keeps the state that says most: `seen` before `filled`, and `filled` before `held`.
      if (box.state == BoxState::seen || there.state == BoxState::held) there.state = box.state;
    }
    const auto last = static_cast<std::uint32_t>(track.boxes.size() - 1);
    if (box.hidden && (track.alone.empty() || track.alone.back() != last))
      track.alone.push_back(last);
  }
}

void TrackFileBuilder::add(const TrackSummary& track) {
  tracks_[track.id].best_score = track.best_score;
  tracks_[track.id].hidden = track.hidden;
}

void TrackFileBuilder::add(CollectedTracks part, std::int64_t before) {
  file_.input.frames += part.frames;
  for (auto& [id, track] : part.tracks) tracks_[before + id] = std::move(track);
}

CollectedTracks TrackFileBuilder::take() {
  return {std::exchange(file_.input.frames, 0), std::exchange(tracks_, {})};
}

TrackFile TrackFileBuilder::finish() {
  std::int64_t next_id = tracks_.empty() ? 0 : tracks_.rbegin()->first + 1;
  std::vector<FileTrack> alone;
  std::vector<FileTrack> suggested;
  for (auto& [id, track] : tracks_) {
    if (track.boxes.empty()) continue;
    if (track.hidden) {
      file_.tracks.push_back(make_track(id, TrackAction::hide, track, std::move(track.boxes)));
      continue;
    }
    std::vector<FileBox> boxes;
    for (const std::uint32_t i : track.alone) boxes.push_back(track.boxes[i]);
    if (!boxes.empty())
      alone.push_back(make_track(next_id++, TrackAction::hide, track, std::move(boxes)));
    if (track.best_score >= scales_.of(track.found_class).own(suggest_score_))
      suggested.push_back(make_track(id, TrackAction::suggest, track, std::move(track.boxes)));
  }
  tracks_.clear();
  std::ranges::move(alone, std::back_inserter(file_.tracks));
  std::size_t boxes = 0;
  for (const FileTrack& track : file_.tracks) boxes += track.boxes.size();
  std::ranges::stable_sort(suggested, std::ranges::greater{}, &FileTrack::score_max);
  for (FileTrack& track : suggested) {
    boxes += track.boxes.size();
    if (file_.tracks.size() == kMostFileTracks || boxes > kMostFileBoxes) break;
    file_.tracks.push_back(std::move(track));
  }
  std::ranges::sort(file_.tracks, {}, &FileTrack::id);
  return std::move(file_);
}

}  // namespace facepipe::track
