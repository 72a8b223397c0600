#include "app/review/reviewed_tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/app/review/tracks_of_review.h"

namespace facepipe::test {
namespace {

using app::RefusedChange;
using app::ReviewedTracks;
using testing::ElementsAre;
using track::BoxState;
using track::FileBox;
using track::TrackAction;
using track::TrackOrigin;

constexpr std::int64_t kLast = 100;

std::vector<std::int64_t> stamps_of(const app::ReviewedTrack& track) {
  std::vector<std::int64_t> stamps;
  for (const FileBox& box : *track.boxes) stamps.push_back(box.pts);
  return stamps;
}

const app::ReviewedTrack& track_of(const ReviewedTracks& tracks, std::int64_t id) {
  return tracks.all().at(id);
}

/// Draws a track from stamp 10 to 20, whose box moves by 100 pixels; it holds until 25.
std::int64_t draw_moving(ReviewedTracks& tracks) {
  return tracks.draw({{10, {0, 0, 20, 20}}, {20, {100, 0, 120, 20}}}, 25).front().id;
}

TEST(ReviewedTracksOfAFile, AreTheFile) {
  const track::TrackFile file = three_tracks();
  EXPECT_EQ(ReviewedTracks(file, kLast).file(), file);
}

TEST(ReviewedTracksOfAFile, AreDoubtfulIfTheyEndInsideOrWereNotDetectedForLong) {
  track::TrackFile file = three_tracks();
  // Track 0 ends at 0.12 s of 4 s, in the middle of the picture.
  EXPECT_TRUE(track_of(ReviewedTracks(file, kLast), 0).doubtful());
  // It ends with the video.
  EXPECT_FALSE(track_of(ReviewedTracks(file, 3), 0).doubtful());
  // It ends at an edge of the picture.
  file.tracks[0].boxes.back().box = {0, 50, 20, 80};
  EXPECT_FALSE(track_of(ReviewedTracks(file, kLast), 0).doubtful());
  // It isn't hidden.
  EXPECT_FALSE(track_of(ReviewedTracks(file, kLast), 1).doubtful());

  std::vector<std::int64_t> stamps;
  for (std::int64_t pts = 0; pts < 12; ++pts) stamps.push_back(pts);
  file.tracks[0] = found_track(0, TrackAction::hide, stamps);
  for (std::size_t i = 1; i < 9; ++i) file.tracks[0].boxes[i].state = BoxState::held;
  EXPECT_FALSE(track_of(ReviewedTracks(file, 12), 0).doubtful());  // eight held boxes
  file.tracks[0].boxes[9].state = BoxState::held;
  EXPECT_TRUE(track_of(ReviewedTracks(file, 12), 0).doubtful());
}

TEST(ReviewedTracksOfAFile, AreNotDoubtfulBecauseTheirSceneEnds) {
  track::TrackFile file = three_tracks();
  file.tracks.clear();
  for (std::int64_t id = 0; id < 4; ++id)
    file.tracks.push_back(found_track(id, TrackAction::hide, {0, 1, 2, 3}));
  EXPECT_FALSE(track_of(ReviewedTracks(file, kLast), 0).doubtful());
  file.tracks.push_back(found_track(4, TrackAction::suggest, {3, 4}));  // it goes on
  EXPECT_TRUE(track_of(ReviewedTracks(file, kLast), 0).doubtful());
}

TEST(ReviewedTracksOfAFile, HaveTheMedianOfTheShorterSides) {
  track::TrackFile file = three_tracks();
  file.tracks[2].boxes = {{0, {0, 0, 10, 50}}, {1, {0, 0, 90, 12}}, {2, {0, 0, 70, 60}}};
  file.tracks[2].end_pts = 2;
  EXPECT_FLOAT_EQ(track_of(ReviewedTracks(file, kLast), 5).size, 12);
}

TEST(ReviewedTracksOfAFile, HaveSixBoxesForPictures) {
  track::TrackFile file = three_tracks();
  std::vector<FileBox>& boxes = file.tracks[0].boxes;
  boxes[1].box = {10, 10, 90, 90};
  boxes[2].box = {10, 10, 99, 99};
  boxes[2].state = BoxState::held;  // it may show something else
  const ReviewedTracks tracks(file, kLast);
  const app::ReviewedTrack& track = track_of(tracks, 0);
  EXPECT_EQ(app::box_for_picture(track, 0)->pts, 1);
  EXPECT_EQ(app::box_for_picture(track, 1)->pts, 0);
  EXPECT_EQ(app::box_for_picture(track, 5)->pts, 3);
  EXPECT_FALSE(app::box_for_picture(track, -1));
  EXPECT_FALSE(app::box_for_picture(track, app::kPicturesOfTrack));
}

TEST(ReviewedTracksOfAFile, HaveTheCentreOfTheirMiddleBox) {
  const ReviewedTracks tracks(three_tracks(), kLast);
  EXPECT_EQ(track_of(tracks, 1).centre.x, 53);
  EXPECT_EQ(track_of(tracks, 1).centre.y, 65);
}

TEST(Decisions, ChangeActionsAndCountAsLookedAt) {
  ReviewedTracks tracks(three_tracks(), kLast);
  const app::TrackChanges changes = tracks.decide({1, 5}, TrackAction::hide);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].before->head.action, TrackAction::suggest);
  EXPECT_EQ(changes[0].after->head.action, TrackAction::hide);
  EXPECT_EQ(track_of(tracks, 1).head.action, TrackAction::hide);
  EXPECT_TRUE(track_of(tracks, 5).looked_at);
  EXPECT_FALSE(track_of(tracks, 0).looked_at);
  // Nothing changes, so there is no step to undo.
  EXPECT_TRUE(tracks.decide({1, 5}, TrackAction::hide).empty());
  static_cast<void>(tracks.undo());
  EXPECT_FALSE(tracks.can_undo());
}

TEST(Decisions, ThatConfirmAnActionMarkItAsLookedAt) {
  ReviewedTracks tracks(three_tracks(), kLast);
  EXPECT_EQ(tracks.decide({1}, TrackAction::suggest).size(), 1U);
  EXPECT_TRUE(track_of(tracks, 1).looked_at);
}

TEST(Decisions, AboutUnknownTracksChangeNothing) {
  ReviewedTracks tracks(three_tracks(), kLast);
  EXPECT_THROW(tracks.decide({1, 77}, TrackAction::hide), RefusedChange);
  EXPECT_EQ(tracks.file(), three_tracks());
  EXPECT_FALSE(tracks.can_undo());
}

TEST(Undo, TakesBackAndRepeatsSteps) {
  ReviewedTracks tracks(three_tracks(), kLast);
  tracks.decide({0, 1, 5}, TrackAction::keep);
  draw_moving(tracks);
  const track::TrackFile changed = tracks.file();
  tracks.undo();
  EXPECT_EQ(tracks.all().size(), 3U);
  const app::TrackChanges back = tracks.undo();
  EXPECT_EQ(back[0].after->head.action, TrackAction::hide);
  EXPECT_EQ(tracks.file(), three_tracks());
  EXPECT_FALSE(track_of(tracks, 0).looked_at);
  EXPECT_THROW(tracks.undo(), RefusedChange);
  tracks.redo();
  tracks.redo();
  EXPECT_EQ(tracks.file(), changed);
  EXPECT_THROW(tracks.redo(), RefusedChange);
}

TEST(Undo, ForgetsWhatWasTakenBackAfterANewDecision) {
  ReviewedTracks tracks(three_tracks(), kLast);
  tracks.decide({0}, TrackAction::keep);
  tracks.undo();
  tracks.decide({1}, TrackAction::hide);
  EXPECT_FALSE(tracks.can_redo());
}

TEST(Undo, ReachesBackALimitedNumberOfSteps) {
  ReviewedTracks tracks(three_tracks(), kLast);
  const std::vector<TrackAction> actions{TrackAction::keep, TrackAction::hide};
  for (std::size_t i = 0; i < app::kMostUndoSteps + 5; ++i) tracks.decide({0}, actions[i % 2]);
  for (std::size_t i = 0; i < app::kMostUndoSteps; ++i) tracks.undo();
  EXPECT_FALSE(tracks.can_undo());
}

TEST(TracksByHand, GetAnIdThatWasNeverUsed) {
  ReviewedTracks tracks(three_tracks(), kLast);
  EXPECT_EQ(draw_moving(tracks), 6);
  tracks.undo();
  EXPECT_EQ(draw_moving(tracks), 7);
  const app::ReviewedTrack& track = track_of(tracks, 7);
  EXPECT_EQ(track.head.origin, TrackOrigin::person);
  EXPECT_EQ(track.head.action, TrackAction::hide);
  EXPECT_EQ(track.head.end_pts, 25);
  EXPECT_EQ(app::box_at(track, 15), (Box{50, 0, 70, 20}));
  EXPECT_EQ(app::box_at(track, 25), (Box{100, 0, 120, 20}));
  EXPECT_EQ(app::box_at(track, 26), std::nullopt);
  EXPECT_EQ(track::reason_against(tracks.file()), "");
}

TEST(TracksByHand, GetFurtherBoxesAtOtherTimes) {
  ReviewedTracks tracks(three_tracks(), kLast);
  const std::int64_t id = draw_moving(tracks);
  tracks.set_box(id, 15, {0, 100, 20, 120});
  EXPECT_THAT(stamps_of(track_of(tracks, id)), ElementsAre(10, 15, 20));
  tracks.set_box(id, 15, {0, 140, 20, 160});  // replaces it
  EXPECT_EQ(app::box_at(track_of(tracks, id), 15), (Box{0, 140, 20, 160}));
  tracks.set_box(id, 5, {0, 0, 20, 20});
  tracks.set_box(id, 40, {0, 0, 20, 20});
  EXPECT_EQ(track_of(tracks, id).head.start_pts, 5);
  EXPECT_EQ(track_of(tracks, id).head.end_pts, 40);
  EXPECT_EQ(track::reason_against(tracks.file()), "");
}

TEST(TracksByHand, LieInThePicture) {
  ReviewedTracks tracks(three_tracks(), kLast);
  const std::int64_t id = tracks.draw({{0, {-50, 100, 30, 900}}}, 0).front().id;
  EXPECT_EQ(track_of(tracks, id).boxes->front().box, (Box{0, 100, 30, 192}));
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  for (const Box& box : {Box{400, 0, 500, 10}, Box{10, 10, 11, 50}, Box{50, 50, 20, 80},
                         Box{not_a_number, 0, 20, 20}})
    EXPECT_THROW(tracks.draw({{0, box}}, 0), RefusedChange);
  EXPECT_THROW(tracks.draw({}, 0), RefusedChange);
  EXPECT_THROW(tracks.draw({{3, {0, 0, 9, 9}}, {3, {0, 0, 9, 9}}}, 5), RefusedChange);
}

TEST(TracksByHand, BeginAndEndWhereAPersonSays) {
  ReviewedTracks tracks(three_tracks(), kLast);
  const std::int64_t id = draw_moving(tracks);
  tracks.begin_at(id, 15);
  EXPECT_THAT(stamps_of(track_of(tracks, id)), ElementsAre(15, 20));
  EXPECT_EQ(app::box_at(track_of(tracks, id), 15), (Box{50, 0, 70, 20}));
  tracks.begin_at(id, 2);  // the first box also holds before its own time
  EXPECT_EQ(app::box_at(track_of(tracks, id), 2), (Box{50, 0, 70, 20}));
  tracks.end_at(id, 18);
  EXPECT_EQ(track_of(tracks, id).head.end_pts, 18);
  EXPECT_EQ(app::box_at(track_of(tracks, id), 18), (Box{80, 0, 100, 20}));
  EXPECT_EQ(app::box_at(track_of(tracks, id), 19), std::nullopt);
  EXPECT_THROW(tracks.begin_at(id, 19), RefusedChange);
  EXPECT_THROW(tracks.end_at(id, 1), RefusedChange);
  EXPECT_EQ(track::reason_against(tracks.file()), "");
}

TEST(TracksByHand, AloneCanBeChangedAndRemoved) {
  ReviewedTracks tracks(three_tracks(), kLast);
  const std::int64_t id = draw_moving(tracks);
  EXPECT_THROW(tracks.set_box(0, 2, {0, 0, 20, 20}), RefusedChange);
  EXPECT_THROW(tracks.begin_at(0, 2), RefusedChange);
  EXPECT_THROW(tracks.end_at(0, 2), RefusedChange);
  EXPECT_THROW(tracks.remove({id, 0}), RefusedChange);
  EXPECT_EQ(tracks.all().size(), 4U);
  tracks.remove({id});
  EXPECT_EQ(tracks.file(), three_tracks());
}

TEST(ASplit, OfATrackThatWasFoundDividesItsBoxes) {
  ReviewedTracks tracks(three_tracks(), kLast);
  tracks.split(0, 2);
  EXPECT_THAT(stamps_of(track_of(tracks, 0)), ElementsAre(0, 1));
  EXPECT_THAT(stamps_of(track_of(tracks, 6)), ElementsAre(2, 3));
  EXPECT_EQ(track_of(tracks, 0).head.end_pts, 1);
  EXPECT_EQ(track_of(tracks, 6).head.start_pts, 2);
  EXPECT_EQ(track_of(tracks, 6).head.action, TrackAction::hide);
  EXPECT_EQ(track::reason_against(tracks.file()), "");
  for (const std::int64_t pts : {-1, 0, 2, 9}) EXPECT_THROW(tracks.split(0, pts), RefusedChange);
  tracks.undo();
  EXPECT_EQ(tracks.file(), three_tracks());
}

TEST(ASplit, OfATrackByHandShowsTheSameBoxes) {
  ReviewedTracks tracks(three_tracks(), kLast);
  const std::int64_t id = draw_moving(tracks);
  const app::ReviewedTrack whole = track_of(tracks, id);
  const std::int64_t second = tracks.split(id, 14).back().id;
  for (std::int64_t pts = 10; pts <= 25; ++pts) {
    const app::ReviewedTrack& part = track_of(tracks, pts < 14 ? id : second);
    const app::ReviewedTrack& other = track_of(tracks, pts < 14 ? second : id);
    EXPECT_EQ(app::box_at(other, pts), std::nullopt) << pts;
    const Box expected = *app::box_at(whole, pts);
    ASSERT_TRUE(app::box_at(part, pts)) << pts;
    EXPECT_NEAR(app::box_at(part, pts)->x1, expected.x1, 1e-4) << pts;  // float arithmetic
  }
  EXPECT_EQ(track::reason_against(tracks.file()), "");
}

TEST(ReviewedTracksOfAnEarlierReview, AreMarkedWithoutAStep) {
  ReviewedTracks tracks(three_tracks(), kLast);
  tracks.mark_as_looked_at({1, 99});
  EXPECT_TRUE(track_of(tracks, 1).looked_at);
  EXPECT_FALSE(tracks.can_undo());
}

}  // namespace
}  // namespace facepipe::test
