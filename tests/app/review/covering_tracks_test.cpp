#include "app/review/covering_tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace facepipe::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using track::FileBox;
using track::TrackAction;

constexpr Box kFace{100, 100, 140, 140};
constexpr Box kInside{105, 110, 125, 135};

track::FileTrack track_of(std::int64_t id, TrackAction action, std::vector<FileBox> boxes) {
  track::FileTrack track;
  track.id = id;
  track.action = action;
  track.start_pts = boxes.front().pts;
  track.end_pts = boxes.back().pts;
  track.boxes = std::move(boxes);
  return track;
}

/// Returns a box at each of the stamps.
std::vector<FileBox> at(const std::vector<std::int64_t>& stamps, const Box& box) {
  std::vector<FileBox> boxes;
  for (const std::int64_t pts : stamps) boxes.push_back({pts, box});
  return boxes;
}

std::map<std::int64_t, std::int64_t> covering(std::vector<track::FileTrack> tracks) {
  track::TrackFile file;
  file.input.size = {640, 360};
  file.input.time_base = {1, 25};
  file.tracks = std::move(tracks);
  return app::covering_tracks(app::ReviewedTracks(std::move(file), 100).all());
}

TEST(CoveringTracks, CoverSuggestionsInEachOfTheirFrames) {
  EXPECT_THAT(covering({track_of(1, TrackAction::suggest, at({2, 4}, kInside)),
                        track_of(2, TrackAction::hide, at({1, 2, 3, 4}, kFace))}),
              ElementsAre(Pair(1, 2)));
}

TEST(CoveringTracks, MayBeginWithTheSuggestion) {
  EXPECT_THAT(covering({track_of(1, TrackAction::suggest, at({2, 3}, kInside)),
                        track_of(2, TrackAction::hide, at({2, 3}, kFace))}),
              ElementsAre(Pair(1, 2)));
}

TEST(CoveringTracks, MustHaveABoxInEachFrameOfTheSuggestion) {
  const auto suggestion = track_of(1, TrackAction::suggest, at({2, 3, 4}, kInside));
  for (const std::vector<std::int64_t>& stamps :
       {std::vector<std::int64_t>{2, 3}, {3, 4}, {2, 4}, {2, 4, 5}, {5, 6}})
    EXPECT_THAT(covering({suggestion, track_of(2, TrackAction::hide, at(stamps, kFace))}),
                IsEmpty());
}

TEST(CoveringTracks, MustContainNearlyAllOfTheBox) {
  const auto hidden = track_of(2, TrackAction::hide, at({2}, kFace));
  // 40 x 40 pixels, of which 38 columns lie inside: 95 %.
  EXPECT_THAT(covering({track_of(1, TrackAction::suggest, at({2}, {102, 100, 142, 140})), hidden}),
              ElementsAre(Pair(1, 2)));
  EXPECT_THAT(covering({track_of(1, TrackAction::suggest, at({2}, {103, 100, 143, 140})), hidden}),
              IsEmpty());
  EXPECT_THAT(covering({track_of(1, TrackAction::suggest, at({2}, {300, 100, 340, 140})), hidden}),
              IsEmpty());
}

TEST(CoveringTracks, AreHiddenTracksAlone) {
  for (const TrackAction action : {TrackAction::keep, TrackAction::suggest})
    EXPECT_THAT(covering({track_of(1, TrackAction::suggest, at({2}, kInside)),
                          track_of(2, action, at({2}, kFace))}),
                IsEmpty());
  // Only suggestions need to be looked at less.
  EXPECT_THAT(covering({track_of(1, TrackAction::keep, at({2}, kInside)),
                        track_of(2, TrackAction::hide, at({2}, kFace))}),
              IsEmpty());
}

TEST(CoveringTracks, AreTakenOverByTheReview) {
  track::TrackFile file;
  file.input.size = {640, 360};
  file.input.time_base = {1, 25};
  file.tracks = {track_of(1, TrackAction::suggest, at({2, 3}, kInside)),
                 track_of(2, TrackAction::hide, at({2, 3}, kFace))};
  const app::ReviewedTracks tracks(std::move(file), 100);
  EXPECT_EQ(tracks.all().at(1).covered_by, 2);
  EXPECT_EQ(tracks.all().at(2).covered_by, std::nullopt);
}

}  // namespace
}  // namespace facepipe::test
