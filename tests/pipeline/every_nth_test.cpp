// These tests run jobs that search only every n-th frame for faces, and follow the faces through
// the other frames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "pipeline/cpu/every_nth.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "track/matching.h"
#include "video/ffmpeg.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;
using Numbers = std::vector<std::int64_t>;

constexpr int kWidth = 320;
constexpr int kHeight = 192;
constexpr int kFrames = 50;
constexpr float kScore = 0.5F;

Box face_at(std::int64_t frame) {
  const auto x = 16 + 2 * static_cast<float>(frame);
  return {x, 96, x + 24, 120};
}

/// Returns the face and a second detection below it, which isn't a face.
Detections the_face(const Frame& frame) {
  Detections faces = one_face(face_at(frame.index));
  faces.push_back({200, 20, 230, 50}, 0.2F, Landmarks{});
  return faces;
}

class EveryNthTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { video::redirect_ffmpeg_log(); }
  EveryNthTest() {
    ffmpeg("-f lavfi -i color=c=gray:s=320x192:r=25:d=2 -pix_fmt yuv420p -c:v ffv1", clip_);
    behaviour_.candidates_of = [this](const Frame& frame) {
      searched_.push_back(frame.index);
      return the_face(frame);
    };
  }

  pipeline::JobOptions job(const char* output, int every) const {
    pipeline::JobOptions options =
        lossless_job(clip_, output == nullptr ? fs::path() : folder_ / output);
    options.search.every = every;
    options.search.face_score = kScore;
    return options;
  }

  TemporaryFolder folder_;
  const fs::path clip_ = folder_ / "clip.mkv";
  FakeBehaviour behaviour_;
  Numbers searched_;
};

TEST_F(EveryNthTest, FramesBetweenHaveTheFacesOfThoseAroundThem) {
  for (const int every : {2, 3, 7, 16}) {
    searched_.clear();
    const JobRun run = run_fake_job(job(nullptr, every), behaviour_);
    ASSERT_EQ(run.records.size(), std::size_t{kFrames});
    Numbers expected;
    for (int i = 0; i < kFrames; i += every) expected.push_back(i);
    EXPECT_EQ(searched_, expected);
    for (int i = 0; i < kFrames; ++i) {
      const FrameRecord& record = run.records[static_cast<std::size_t>(i)];
      EXPECT_EQ(record.index, i);
      EXPECT_EQ(record.searched, i % every == 0);
      EXPECT_EQ(record.candidates, record.searched ? 1U : 0U);
      EXPECT_EQ(record.times[StageId::inference].ran(), record.searched);
      ASSERT_EQ(record.faces.size(), 1U) << every << ": " << i;
      EXPECT_EQ(record.face_count, 1U);
      EXPECT_TRUE(record.faces.has_landmarks());
      // After the last searched frame, the face must stay in place, because a grey picture shows no
      // motion.
      const bool last = i > expected.back();
      EXPECT_GT(track::iou(record.faces.boxes[0], face_at(last ? expected.back() : i)), 0.99F) << i;
    }
    EXPECT_EQ(run.result.counts.faces, kFrames);
    EXPECT_EQ(run.result.counts.searched, static_cast<std::int64_t>(expected.size()));
  }
}

TEST_F(EveryNthTest, OneOfOneIsEachFrame) {
  const JobRun run = run_fake_job(job(nullptr, 1), behaviour_);
  EXPECT_EQ(searched_.size(), std::size_t{kFrames});
  for (const FrameRecord& record : run.records) EXPECT_TRUE(record.searched);
}

TEST_F(EveryNthTest, FacesAreDrawnInEachFrame) {
  pipeline::JobOptions options = job("drawn.mkv", 4);
  options.overlay.boxes = true;
  EXPECT_EQ(run_fake_job(options, behaviour_).result.ledger.written, kFrames);
  const std::string before = decoded_luma(clip_);
  const std::string after = decoded_luma(folder_ / "drawn.mkv");
  ASSERT_EQ(after.size(), before.size());
  constexpr std::size_t kPixels = std::size_t{kWidth} * kHeight;
  for (std::size_t i = 0; i < kFrames; ++i)
    EXPECT_NE(before.compare(i * kPixels, kPixels, after, i * kPixels, kPixels), 0) << i;
}

TEST_F(EveryNthTest, OneFrameInFlightIsEnough) {
  pipeline::JobOptions options = job("few.mkv", 16);
  options.resources.frames_in_flight = 1;
  EXPECT_EQ(run_fake_job(options, behaviour_).result.ledger.written, kFrames);
  EXPECT_EQ(video::live_frames(), 0);
}

TEST_F(EveryNthTest, LanesThatShareFramesInFlightDoNotWaitForEver) {
  for (const char* const output : {static_cast<const char*>(nullptr), "shared.mkv"}) {
    pipeline::JobOptions options = job(output, 4);
    options.resources.shared.emplace(pipeline::SharedLanes{PermitPool(1), 1, 0, false});
    EXPECT_EQ(run_fake_job(options, behaviour_).records.size(), std::size_t{kFrames});
  }
}

TEST_F(EveryNthTest, AFaceThatIsWeakOnOneSideIsThereBetween) {
  behaviour_.candidates_of = [](const Frame& frame) {
    return one_face(face_at(frame.index), frame.index == 10 ? 0.3F : 0.9F);
  };
  const JobRun run = run_fake_job(job(nullptr, 2), behaviour_);
  for (const FrameRecord& record : run.records)
    EXPECT_EQ(record.faces.size(), record.index == 10 ? 0U : 1U) << record.index;
  EXPECT_FLOAT_EQ(run.records[9].faces.scores[0], 0.6F * 0.9F + 0.4F * 0.3F);
}

TEST_F(EveryNthTest, OfFacesThatOverlapOneIsKept) {
  behaviour_.candidates_of = [](const Frame& frame) {
    const Box face = face_at(0);
    // The face of frame 0 and the larger face of later frames differ too much to be the same face.
    // But they overlap too much for both to be kept.
    const float aside = frame.index == 0 ? 0 : 12;
    Detections faces =
        one_face({face.x1 + aside, face.y1 + aside, face.x2 + aside, face.y2 + aside});
    faces.boxes[0].x2 += frame.index == 0 ? 0 : 40;
    faces.boxes[0].y2 += frame.index == 0 ? 0 : 40;
    return faces;
  };
  pipeline::JobOptions options = job(nullptr, 2);
  options.search.nms.threshold = 0.01F;
  options.search.face_score = 0.2F;
  EXPECT_EQ(run_fake_job(options, behaviour_).records[1].faces.size(), 1U);
  options.search.nms.threshold = 0.5F;
  EXPECT_EQ(run_fake_job(options, behaviour_).records[1].faces.size(), 2U);
}

TEST_F(EveryNthTest, SizesThatNobodyWantsAreLeftOutBetweenToo) {
  pipeline::JobOptions options = job(nullptr, 2);
  options.search.min_face = 30;
  for (const FrameRecord& record : run_fake_job(options, behaviour_).records)
    EXPECT_EQ(record.faces.size(), 0U) << record.index;
}

TEST_F(EveryNthTest, CutsAreSearched) {
  const fs::path clip = folder_ / "cuts.mkv";
  ffmpeg(
      "-f lavfi -i testsrc2=s=320x192:r=25:d=0.4 -f lavfi -i mandelbrot=s=320x192:r=25 "
      "-filter_complex [1]trim=duration=0.6[m];[0][m]concat -pix_fmt yuv420p -c:v ffv1",
      clip);
  behaviour_.candidates_of = [this](const Frame& frame) {
    searched_.push_back(frame.index);
    return frame.index < 10 ? one_face({20, 20, 60, 60}) : one_face({200, 100, 240, 140});
  };
  pipeline::JobOptions options = job(nullptr, 8);
  options.input.name = clip;
  const JobRun run = run_fake_job(options, behaviour_);
  EXPECT_THAT(searched_, ElementsAre(0, 8, 10, 18));
  ASSERT_EQ(run.records.size(), 25U);
  for (const FrameRecord& record : run.records) {
    ASSERT_EQ(record.faces.size(), 1U) << record.index;
    EXPECT_EQ(record.faces.boxes[0].x1 < 100, record.index < 10) << record.index;
  }
}

TEST_F(EveryNthTest, FacesKeepTheirIds) {
  pipeline::JobOptions options = job("ids.mkv", 3);
  options.overlay.ids = true;
  options.follow.emplace();
  for (const FrameRecord& record : run_fake_job(options, behaviour_).records)
    EXPECT_THAT(record.face_tracks, ElementsAre(0)) << record.index;
}

TEST_F(EveryNthTest, DamagedFramesAreSearched) {
  pipeline::EveryNth every(4);
  Numbers searched;
  for (int i = 0; i < 12; ++i) {
    std::vector<std::uint8_t> luma(std::size_t{64} * 64, 100);
    pipeline::WorkItem item;
    item.frame.size = {64, 64};
    item.frame.planes[0] = {reinterpret_cast<std::byte*>(luma.data()), 64};
    item.record.damaged = i == 6;
    every.choose(item);
    if (item.record.searched) searched.push_back(i);
    EXPECT_NE(item.picture, nullptr);
  }
  EXPECT_EQ(searched, Numbers({0, 4, 6, 10}));
}

TEST_F(EveryNthTest, SeveralLanesAreRefused) {
  pipeline::JobOptions options = job("out.avi", 2);
  options.output.encoder = {"mjpeg", "", {}, {}};
  options.resources.lanes = 2;
  expect_error(ErrorKind::usage, "--lanes 2: tracking needs the pictures in their order",
               [&] { (void)run_fake_job(options, behaviour_); });
}

TEST_F(EveryNthTest, AStillImageIsSearched) {
  const fs::path picture = folder_ / "picture.png";
  ffmpeg("-f lavfi -i testsrc2=s=320x192 -frames:v 1", picture);
  pipeline::JobOptions options = job("out.png", 16);
  options.input.name = picture;
  options.output.encoder = {};
  const JobRun run = run_fake_job(options, behaviour_);
  ASSERT_EQ(run.records.size(), 1U);
  EXPECT_EQ(run.records[0].faces.size(), 1U);
}

TEST_F(EveryNthTest, AnErrorEndsARunWhoseFramesWait) {
  behaviour_.candidates_of = [](const Frame& frame) -> Detections {
    if (frame.index >= 12) throw Error(ErrorKind::device, "no more");
    return one_face(face_at(frame.index));
  };
  expect_error(ErrorKind::device, "no more",
               [&] { (void)run_fake_job(job("out.mkv", 6), behaviour_); });
  EXPECT_FALSE(fs::exists(folder_ / "out.mkv"));
  EXPECT_EQ(video::live_frames(), 0);
}

TEST_F(EveryNthTest, HiddenFacesAreHiddenInEachFrame) {
  pipeline::JobOptions options = job("hidden.mkv", 3);
  options.search.face_score.reset();
  options.hide.emplace().appearance.grow = 0.25;
  const JobRun run = run_fake_job(options, behaviour_);
  EXPECT_EQ(searched_.size(), 17U);
  const std::string luma = decoded_luma(folder_ / "hidden.mkv");
  ASSERT_EQ(luma.size(), std::size_t{kFrames} * kWidth * kHeight);
  for (std::size_t i = 0; i < kFrames; ++i) {
    const Box face = face_at(static_cast<std::int64_t>(i));
    // After the last searched frame no motion is known. So the grown box of the last searched frame
    // must cover the face.
    const auto right = static_cast<int>(face.x2) - (i > 48 ? 2 : 0);
    bool shown = false;
    for (int y = static_cast<int>(face.y1); y < static_cast<int>(face.y2); ++y)
      for (int x = static_cast<int>(face.x1); x < right; ++x)
        shown = shown || static_cast<unsigned char>(
                             luma[(i * kHeight + static_cast<std::size_t>(y)) * kWidth +
                                  static_cast<std::size_t>(x)]) > 16;
    EXPECT_FALSE(shown) << i;
    const FrameRecord& record = run.records[i];
    EXPECT_EQ(record.searched, i % 3 == 0);
    // Records don't contain weak faces, or faces in frames after the last searched frame.
    if (i <= 48) {
      EXPECT_GE(record.faces.size(), 1U) << i;
    }
  }
}

}  // namespace
}  // namespace facepipe::test
