#include "app/review/track_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/output/text.h"

namespace facepipe::app {
namespace {

constexpr std::array<std::string_view, 3> kActionWords{"hide", "keep", "suggest"};

void append_box(std::string& text, const track::FileBox& box) {
  text += "," + std::to_string(box.pts);
  for (const float edge : {box.box.x1, box.box.y1, box.box.x2, box.box.y2}) {
    text += ',';
    append_number(text, edge);
  }
  text += "," + std::to_string(static_cast<int>(box.state));
}

}  // namespace

std::string_view word_of(track::TrackAction action) {
  return kActionWords[static_cast<std::size_t>(action)];
}

void append_row(std::string& text, const ReviewedTrack& track) {
  const track::FileTrack& head = track.head;
  text += '[';
  for (const std::int64_t number : {head.id, static_cast<std::int64_t>(head.action),
                                    std::int64_t{head.origin == track::TrackOrigin::person ? 1 : 0},
                                    head.start_pts, head.end_pts})
    text += std::to_string(number) + ",";
  append_number(text, head.score_max);
  text += ',';
  append_number(text, track.size);
  for (const std::size_t number :
       {static_cast<std::size_t>(track.longest_held), std::size_t{track.ends_inside ? 1U : 0U},
        std::size_t{track.looked_at ? 1U : 0U}, track.boxes->size()})
    text += "," + std::to_string(number);
  for (const float place : {track.centre.x, track.centre.y})
    text += "," + std::to_string(std::lround(place));
  text += "," + (track.covered_by ? std::to_string(*track.covered_by) : "null");
  text += ']';
}

std::string tracks_text(const RowsFacts& facts, const ReviewedTracks& tracks) {
  const VideoFacts& video = facts.video;
  std::string text =
      "{\"name\":" + json_string(video.name) + ",\"reviewer\":" + json_string(facts.reviewer) +
      ",\"edits\":" + json_string(facts.edits) + ",\"revision\":" + std::to_string(facts.revision) +
      ",\"width\":" + std::to_string(video.size.width) +
      ",\"height\":" + std::to_string(video.size.height) + ",\"time_base\":[" +
      std::to_string(video.time_base.num) + "," + std::to_string(video.time_base.den) +
      "],\"first_pts\":" + std::to_string(video.first_pts) +
      ",\"last_pts\":" + std::to_string(video.last_pts) + ",\"origin_s\":";
  append_number(text, video.origin_s);
  text += ",\"frames\":" + std::to_string(tracks.input().frames);
  text += std::string(",\"can_undo\":") + (tracks.can_undo() ? "true" : "false") +
          ",\"can_redo\":" + (tracks.can_redo() ? "true" : "false") + ",\"tracks\":[";
  bool first = true;
  for (const auto& [id, track] : tracks.all()) {
    if (!std::exchange(first, false)) text += ',';
    append_row(text, track);
  }
  return text + "]}";
}

std::size_t append_boxes(std::string& text, const ReviewedTrack& track, std::int64_t from,
                         std::int64_t to) {
  const std::vector<track::FileBox>& boxes = *track.boxes;
  auto first = boxes.begin();
  auto last = boxes.end();
  if (track.head.origin == track::TrackOrigin::detector) {
    first = std::ranges::lower_bound(boxes, from, {}, &track::FileBox::pts);
    last = std::ranges::upper_bound(boxes, to, {}, &track::FileBox::pts);
  }
  if (first >= last) return 0;
  text += "[" + std::to_string(track.head.id);
  for (auto box = first; box != last; ++box) append_box(text, *box);
  text += ']';
  return static_cast<std::size_t>(last - first);
}

}  // namespace facepipe::app
