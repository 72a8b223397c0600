// These tests run jobs that only track faces, without writing a video, and jobs that hide known
// tracks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "core/error.h"
#include "pipeline/cpu/backend.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

constexpr std::size_t kPixels = 96 * 64;
const Box kFace{32, 16, 48, 32};

/// Rounds boxes to whole pixels. The boxes of a sure face are a little larger, because they also
/// cover its boxes in neighbouring frames.
std::vector<Box> in_pixels(std::vector<Box> boxes) {
  for (Box& box : boxes)
    box = {std::round(box.x1), std::round(box.y1), std::round(box.x2), std::round(box.y2)};
  return boxes;
}

class KnownTracksTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { video::redirect_ffmpeg_log(); }
  KnownTracksTest() {
    ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=2 -pix_fmt yuv420p -c:v ffv1", clip());
    behaviour_.candidates = one_face(kFace);
  }

  [[nodiscard]] fs::path clip() const { return folder_ / "clip.mkv"; }

  [[nodiscard]] pipeline::JobOptions tracking() const {
    pipeline::JobOptions options = lossless_job(clip(), {});
    options.hide.emplace().wants_tracks = true;
    return options;
  }
  [[nodiscard]] pipeline::JobOptions hiding(const track::TrackFile& tracks) const {
    pipeline::JobOptions options = lossless_job(clip(), folder_ / "out.mkv");
    auto known = std::make_shared<pipeline::KnownTracks>();
    known->name = "t.json";
    known->file = tracks;
    options.hide.emplace().known = known;
    return options;
  }
  [[nodiscard]] track::TrackFile found() const {
    const JobRun run = run_fake_job(tracking(), behaviour_);
    EXPECT_TRUE(run.result.tracks);
    return run.result.tracks ? *run.result.tracks : track::TrackFile{};
  }
  [[nodiscard]] std::string out() const { return decoded_luma(folder_ / "out.mkv"); }

  FakeBehaviour behaviour_;
  TemporaryFolder folder_;
};

TEST_F(KnownTracksTest, TrackingWritesNothingAndTellsTracks) {
  const JobRun run = run_fake_job(tracking(), behaviour_);
  EXPECT_EQ(run.result.ledger.decoded, 50);
  EXPECT_EQ(run.result.counts.faces, 50);
  ASSERT_EQ(run.records.size(), 50U);
  for (const FrameRecord& record : run.records) {
    ASSERT_THAT(in_pixels(record.faces.boxes), ElementsAre(kFace)) << record.index;
    ASSERT_EQ(record.face_tracks, std::vector<std::int64_t>{0});
  }
  ASSERT_TRUE(run.result.tracks);
  const track::TrackFile& file = *run.result.tracks;
  EXPECT_EQ(file.input.frames, 50);
  EXPECT_EQ(file.input.size, (Size{96, 64}));
  EXPECT_EQ(file.input.time_base, (Rational{1, 1000}));
  ASSERT_EQ(file.tracks.size(), 1U);
  ASSERT_EQ(file.tracks[0].boxes.size(), 50U);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_EQ(file.tracks[0].boxes[i].pts, static_cast<std::int64_t>(40 * i));
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"clip.mkv"});
  EXPECT_EQ(video::live_frames(), 0);
}

TEST_F(KnownTracksTest, TracksAreThoseOfAJobThatHides) {
  pipeline::JobOptions options = tracking();
  options.output.path = folder_ / "out.mkv";
  const JobRun run = run_fake_job(options, behaviour_);
  ASSERT_TRUE(run.result.tracks);
  EXPECT_EQ(*run.result.tracks, found());
  options.hide->wants_tracks = false;
  EXPECT_FALSE(run_fake_job(options, behaviour_).result.tracks);
}

// All 50 frames wait, which is more than the limit of frames in flight.
TEST_F(KnownTracksTest, AllFramesMayWaitWhereNoPictureDoes) {
  pipeline::JobOptions options = tracking();
  options.resources.frames_in_flight = 1;
  options.hide->tracks.look_ahead_s = std::numeric_limits<double>::infinity();
  std::int64_t most = 0;
  behaviour_.on_prepare = [&](const Frame&) { most = std::max(most, video::live_frames()); };
  EXPECT_EQ(run_fake_job(options, behaviour_).records.size(), 50U);
  EXPECT_LT(most, 20);
}

TEST_F(KnownTracksTest, NothingIsLookedForWhereTracksAreKnown) {
  const track::TrackFile file = found();
  std::atomic<bool> looked = false;
  behaviour_.on_start = [&] { looked = true; };
  const JobRun run = run_fake_job(hiding(file), behaviour_);
  EXPECT_FALSE(looked);
  EXPECT_EQ(run.result.ledger.written, 50);
  EXPECT_EQ(run.result.counts.faces, 50);
  const std::string luma = out();
  ASSERT_EQ(luma.size(), 50 * kPixels);
  for (std::size_t frame = 0; frame < 50; ++frame)
    for (const int pixel : {24 * 96 + 40, 16 * 96 + 32, 31 * 96 + 47})
      EXPECT_EQ(luma[frame * kPixels + static_cast<std::size_t>(pixel)], 0) << frame;
  const auto backend = pipeline::make_cpu_backend(nullptr);  // this backend has no detector
  EXPECT_EQ(pipeline::run_job(hiding(file), *backend, {}, {}).ledger.written, 50);
  EXPECT_EQ(out(), luma);
  expect_error(ErrorKind::internal, "no detector",
               [&] { (void)pipeline::run_job(tracking(), *backend, {}, {}); });
}

TEST_F(KnownTracksTest, ARangeIsHiddenByTheStampsOfTheWhole) {
  track::TrackFile file = found();
  file.tracks[0].boxes.resize(30);  // up to 1.16 s
  file.tracks[0].end_pts = file.tracks[0].boxes.back().pts;
  pipeline::JobOptions options = hiding(file);
  options.input.start_s = 1;
  EXPECT_EQ(run_fake_job(options).result.ledger.written, 25);
  const std::string luma = out();
  const std::string before = decoded_luma(clip()).substr(25 * kPixels);
  const std::size_t centre = 24 * 96 + 40;
  for (std::size_t frame = 0; frame < 25; ++frame)
    EXPECT_EQ(luma[frame * kPixels + centre], frame < 5 ? 0 : before[frame * kPixels + centre])
        << frame;
}

TEST_F(KnownTracksTest, DamagedFramesAreHiddenAsAWholeAllTheSame) {
  const fs::path whole = folder_ / "whole.264";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -bf 0 -g 5 -qp 10", whole);
  std::string bytes = read_file(whole);
  for (std::size_t i = 0; i < 20; ++i) bytes[bytes.size() / 2 + i] ^= '\x55';
  const fs::path broken = folder_.write("broken.264", bytes);
  pipeline::JobOptions options = tracking();
  options.input.name = broken;
  behaviour_.candidates = {};
  JobRun first = run_fake_job(options, behaviour_);
  ASSERT_TRUE(first.result.tracks);
  pipeline::JobOptions second = hiding(*first.result.tracks);
  second.input.name = broken;
  const JobRun run = run_fake_job(second);
  EXPECT_GT(run.result.ledger.damaged, 0);
  const std::string luma = out();
  ASSERT_EQ(luma.size(), run.records.size() * kPixels);
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const std::string frame = luma.substr(i * kPixels, kPixels);
    const std::set<char> values(frame.begin(), frame.end());
    EXPECT_EQ(values.size() == 1, run.records[i].damaged) << i;
  }
}

TEST_F(KnownTracksTest, WhatIsOfOtherPicturesIsRefusedBeforeAnythingIsWritten) {
  const track::TrackFile file = found();
  track::TrackFile other = file;
  other.input.size = {64, 96};
  expect_error(ErrorKind::usage,
               "t.json: was made for another input: its size is 64x96, but the input's is 96x64",
               [&] { (void)run_fake_job(hiding(other)); });
  other = file;
  other.input.time_base = {1, 25};
  expect_error(ErrorKind::usage, "its time base is 1/25, but the input's is 1/1000",
               [&] { (void)run_fake_job(hiding(other)); });
  other = file;
  other.tracks[0].style = "mosaic";  // the job's options don't contain this style
  expect_error(ErrorKind::internal, "a track's style", [&] { (void)run_fake_job(hiding(other)); });
  EXPECT_FALSE(fs::exists(folder_ / "out.mkv"));
}

TEST_F(KnownTracksTest, FramesThatAreNotKnownAreTold) {
  track::TrackFile file = found();
  file.input.frames = 49;
  EXPECT_THAT(run_fake_job(hiding(file)).result.notices,
              Contains(HasSubstr("1 frames are not in t.json: facepipe hides them as a whole")));
}

TEST_F(KnownTracksTest, A4ATurnedLookFindsWhatIsTurned) {
  pipeline::JobOptions options = tracking();
  options.hide->turned_too = 1;
  std::atomic<int> turned = 0;
  behaviour_.candidates_of = [&](const Frame& frame) {
    if (frame.orientation.quarter_turns == 0) return Detections{};
    ++turned;
    EXPECT_EQ(frame.upright(), (Size{64, 96}));
    return one_face({32, 32, 48, 48});
  };
  const JobRun run = run_fake_job(options, behaviour_);
  EXPECT_EQ(turned, 50);
  for (const FrameRecord& record : run.records)
    ASSERT_THAT(in_pixels(record.faces.boxes), ElementsAre(kFace)) << record.index;
}

}  // namespace
}  // namespace facepipe::test
