// Writes tracks as the page reads them. They are arrays, because a page can have 20,000 tracks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/review/review_facts.h"
#include "app/review/reviewed_tracks.h"

namespace facepipe::app {

/// The most boxes that the page gets at once.
inline constexpr std::size_t kMostBoxesAtOnce = 400'000;

/// Returns the word of the edit file.
[[nodiscard]] std::string_view word_of(track::TrackAction action);

/// Appends [id, action, by a person, start_pts, end_pts, score, size, longest_held, ends inside,
/// looked at, number of boxes, x, y, covered_by]. The action is 0 (hide), 1 (keep) or 2 (suggest);
/// "by a person", "ends inside" and "looked at" are 0 or 1. x and y are ReviewedTrack::centre,
/// covered_by is ReviewedTrack::covered_by or null.
void append_row(std::string& text, const ReviewedTrack& track);

/// Holds what the page gets besides the tracks.
struct RowsFacts {
  const VideoFacts& video;
  std::string reviewer;
  std::string edits;  ///< the name of the edit file
  std::int64_t revision = 0;
};
/// Returns facts about the video, and a row for each track, as a JSON object.
[[nodiscard]] std::string tracks_text(const RowsFacts& facts, const ReviewedTracks& tracks);

/// Appends [id, pts, x1, y1, x2, y2, state, pts, ...]: the boxes in a range of stamps; of a track
/// that a person has drawn, all boxes. The state is 0 (seen), 1 (held) or 2 (filled). Appends
/// nothing if there is no box. Returns the number of boxes.
std::size_t append_boxes(std::string& text, const ReviewedTrack& track, std::int64_t from,
                         std::int64_t to);

}  // namespace facepipe::app
