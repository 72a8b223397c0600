#include "app/review/declined_places.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/app/review/tracks_of_review.h"

namespace facepipe::test {
namespace {

using app::DeclinedPlaces;
using track::FileBox;
using track::TrackAction;

constexpr Box kPlace{100, 100, 140, 140};
constexpr Box kNearby{110, 100, 150, 140};     // its intersection over union with kPlace is 0.6
constexpr Box kElsewhere{130, 100, 170, 140};  // 0.14

app::ReviewedTrack track_at(TrackAction action, bool looked_at) {
  app::ReviewedTrack track;
  track.head.action = action;
  track.looked_at = looked_at;
  track.boxes = std::make_shared<const std::vector<FileBox>>(
      std::vector<FileBox>{{10, kPlace}, {11, kPlace}, {12, kPlace}});
  return track;
}

DeclinedPlaces places_of(TrackAction action, bool looked_at) {
  DeclinedPlaces places;
  places.add(track_at(action, looked_at));
  return places;
}

std::vector<FileBox> boxes_at(const Box& box) { return {{10, box}, {11, box}, {12, box}}; }

TEST(DeclinedPlacesOfAReview, AreThoseOfTracksThatAPersonLeftVisible) {
  EXPECT_TRUE(places_of(TrackAction::suggest, true).cover(boxes_at(kPlace)));
  EXPECT_TRUE(places_of(TrackAction::keep, true).cover(boxes_at(kPlace)));
  EXPECT_FALSE(places_of(TrackAction::hide, true).cover(boxes_at(kPlace)));
  EXPECT_FALSE(places_of(TrackAction::suggest, false).cover(boxes_at(kPlace)));
}

TEST(DeclinedPlacesOfAReview, CoverBoxesThatOverlapAtTheSameTime) {
  const DeclinedPlaces places = places_of(TrackAction::suggest, true);
  EXPECT_TRUE(places.cover(boxes_at(kNearby)));
  EXPECT_FALSE(places.cover(boxes_at(kElsewhere)));
  EXPECT_FALSE(places.cover(std::vector<FileBox>{{13, kPlace}}));
}

TEST(DeclinedPlacesOfAReview, CoverWhatIsThereForHalfOfItsBoxes) {
  const DeclinedPlaces places = places_of(TrackAction::suggest, true);
  EXPECT_TRUE(places.cover(std::vector<FileBox>{{12, kPlace}, {13, kPlace}}));
  EXPECT_FALSE(places.cover(std::vector<FileBox>{{12, kPlace}, {13, kPlace}, {14, kPlace}}));
  EXPECT_FALSE(places.cover({}));
}

}  // namespace
}  // namespace facepipe::test
