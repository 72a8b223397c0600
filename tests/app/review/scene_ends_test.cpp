#include "app/review/scene_ends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/app/review/tracks_of_review.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using track::FileTrack;
using track::TrackAction;
using track::TrackOrigin;

/// Returns as many tracks from stamp `begin` to stamp `end`.
std::vector<FileTrack> tracks(int count, std::int64_t begin, std::int64_t end) {
  return std::vector<FileTrack>(static_cast<std::size_t>(count),
                                found_track(0, TrackAction::suggest, {begin, end}));
}

std::vector<FileTrack> operator+(std::vector<FileTrack> some, const std::vector<FileTrack>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

TEST(SceneEnds, AreWhereSeveralTracksEndAndNoneGoesOn) {
  EXPECT_THAT(app::scene_ends(tracks(4, 0, 10)), ElementsAre(10));
  EXPECT_THAT(app::scene_ends(tracks(3, 0, 10)), IsEmpty());
  EXPECT_THAT(app::scene_ends(tracks(3, 0, 9) + tracks(1, 0, 10)), IsEmpty());
  EXPECT_THAT(app::scene_ends(tracks(4, 0, 10) + tracks(1, 5, 11)), IsEmpty());
  EXPECT_THAT(app::scene_ends(tracks(4, 0, 10) + tracks(1, 11, 20) + tracks(3, 12, 20)),
              ElementsAre(10, 20));
  EXPECT_THAT(app::scene_ends({}), IsEmpty());
}

TEST(SceneEnds, CountTracksOfOneFrame) {
  EXPECT_THAT(app::scene_ends(tracks(3, 0, 10) + tracks(1, 10, 10)), ElementsAre(10));
}

TEST(SceneEnds, IgnoreTracksThatAPersonHasDrawn) {
  std::vector<FileTrack> drawn = tracks(1, 0, 20);
  drawn.front().origin = TrackOrigin::person;
  EXPECT_THAT(app::scene_ends(tracks(4, 0, 10) + drawn), ElementsAre(10));
  for (int i = 0; i < 4; ++i) drawn.push_back(drawn.front());
  EXPECT_THAT(app::scene_ends(drawn), IsEmpty());
}

}  // namespace
}  // namespace facepipe::test
