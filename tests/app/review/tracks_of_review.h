// Makes tracks for tests of the review.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "track/track_file.h"

namespace facepipe::test {

inline constexpr Size kReviewPicture{320, 192};

/// Returns a track of a detector, with a box of 20x30 pixels in each of these frames.
inline track::FileTrack found_track(std::int64_t id, track::TrackAction action,
                                    const std::vector<std::int64_t>& stamps, float score = 0.5F) {
  track::FileTrack track;
  track.id = id;
  track.action = action;
  track.start_pts = stamps.front();
  track.end_pts = stamps.back();
  track.score_max = score;
  for (const std::int64_t pts : stamps)
    track.boxes.push_back(
        {pts, {40.F + static_cast<float>(pts), 50, 60.F + static_cast<float>(pts), 80}});
  return track;
}

/// Returns a file with three tracks: 0 (hide), 1 (suggest) and 5 (keep).
inline track::TrackFile three_tracks(const std::string& sha256 = std::string(64, 'a')) {
  track::TrackFile file;
  file.input = {sha256, 10, kReviewPicture, {1, 25}};
  file.tracks = {found_track(0, track::TrackAction::hide, {0, 1, 2, 3}),
                 found_track(1, track::TrackAction::suggest, {2, 3, 4}, 0.2F),
                 found_track(5, track::TrackAction::keep, {0, 1})};
  return file;
}

}  // namespace facepipe::test
