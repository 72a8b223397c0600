// These tests stop a job that hides faces, make it fail, or replace its input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/files/file_identity.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 96;
constexpr int kHeight = 64;
constexpr std::size_t kPixels = std::size_t{kWidth} * kHeight;
constexpr int kCentre = 24 * kWidth + 40;
const Box kFace{32, 16, 48, 32};

constexpr std::int64_t kWeakFrom = 20;
constexpr std::int64_t kStrongFrom = 50;
constexpr std::int64_t kLastSeen = 45;  // last frame that the run searches before it ends early

class HideEnds : public testing::Test {
 protected:
  static void SetUpTestSuite() { video::redirect_ffmpeg_log(); }
  HideEnds() {
    ffmpeg("-f lavfi -i color=white:s=96x64:r=25:d=4 -pix_fmt yuv420p -c:v ffv1", clip());
  }

  [[nodiscard]] fs::path clip() const { return folder_ / "clip.mkv"; }
  [[nodiscard]] pipeline::JobOptions job(const char* output) const {
    pipeline::JobOptions options = lossless_job(clip(), folder_ / output);
    options.hide.emplace();
    return options;
  }

  /// Returns a detector whose face is weak at first. A weak face is hidden only if later frames
  /// show that it becomes strong.
  static FakeBehaviour face_that_grows_strong() {
    FakeBehaviour behaviour;
    behaviour.candidates_of = [](const Frame& frame) {
      if (frame.index < kWeakFrom) return Detections{};
      return one_face(kFace, frame.index < kStrongFrom ? 0.08F : 0.9F);
    };
    return behaviour;
  }

  /// Returns the numbers of the frames in which the face is visible.
  static std::vector<std::size_t> shown(const fs::path& video) {
    const std::string luma = decoded_luma(video);
    std::vector<std::size_t> frames;
    for (std::size_t i = 0; i * kPixels < luma.size(); ++i)
      if (static_cast<unsigned char>(luma[i * kPixels + kCentre]) > 100) frames.push_back(i);
    return frames;
  }

  /// Expects that a frame of the partial output shows the face only if the complete output shows it
  /// in this frame, too.
  void expect_no_more_shown_than_by_the_whole(const JobRun& part) {
    ASSERT_NE(part.result.output, folder_ / "out.mkv");
    const std::vector<std::size_t> of_part = shown(part.result.output);
    const std::int64_t frames = part.result.ledger.written;
    EXPECT_GT(frames, kWeakFrom);
    EXPECT_LT(frames, kStrongFrom);
    ASSERT_FALSE(run_fake_job(job("whole.mkv"), face_that_grows_strong()).result.failure);
    const std::vector<std::size_t> of_whole = shown(folder_ / "whole.mkv");
    EXPECT_TRUE(std::ranges::includes(of_whole, of_part))
        << testing::PrintToString(of_part) << " of " << frames;
    EXPECT_FALSE(of_part.empty());  // the first frames show the weak face
    EXPECT_LT(of_whole.size(), static_cast<std::size_t>(kStrongFrom));
  }

  TemporaryFolder folder_;
};

TEST_F(HideEnds, D10WhatAStopLeavesShowsNoMoreThanTheWhole) {
  std::stop_source stop;
  FakeBehaviour behaviour = face_that_grows_strong();
  std::atomic<std::int64_t> frames = 0;
  // After the stop, the job must search no further frames. They would show that the weak face
  // becomes strong.
  behaviour.on_collect = [&] {
    if (++frames == kLastSeen - 10) stop.request_stop();
  };
  pipeline::JobOptions options = job("out.mkv");
  options.resources.frames_in_flight = 1;
  const JobRun part = run_fake_job(options, behaviour, stop.get_token());
  EXPECT_TRUE(part.result.interrupted);
  expect_no_more_shown_than_by_the_whole(part);
}

TEST_F(HideEnds, D10WhatAFailureLeavesShowsNoMoreThanTheWhole) {
  FakeBehaviour behaviour = face_that_grows_strong();
  std::atomic<std::int64_t> frames = 0;
  behaviour.on_collect = [&] {
    if (++frames > kLastSeen) throw Error(ErrorKind::device, "out of order");
  };
  const JobRun part = run_fake_job(job("out.mkv"), behaviour);
  EXPECT_TRUE(part.result.failure);
  expect_no_more_shown_than_by_the_whole(part);
}

TEST_F(HideEnds, A6AnInputThatIsReplacedMidwayLeavesNothing) {
  const fs::path other = folder_ / "other.mkv";
  ffmpeg("-f lavfi -i color=black:s=96x64:r=25:d=4 -pix_fmt yuv420p -c:v ffv1", other);
  const std::function<void()> changes[] = {
      [&] { fs::rename(other, clip()); },
      [&] { fs::last_write_time(clip(), fs::last_write_time(clip()) + std::chrono::hours(1)); },
      [&] { fs::resize_file(clip(), fs::file_size(clip()) - 1); },
      [&] { fs::remove(clip()); },
  };
  for (const auto& change : changes) {
    pipeline::JobOptions options = job("out.mkv");
    options.input.same_file = identity_of(clip().string());
    ASSERT_TRUE(options.input.same_file);
    FakeBehaviour behaviour;
    std::atomic<int> frames = 0;
    behaviour.on_collect = [&] {
      if (++frames == 5) change();
    };
    expect_error(ErrorKind::input, "clip.mkv: was replaced or changed while facepipe worked on it",
                 [&] { (void)run_fake_job(options, behaviour); });
    EXPECT_FALSE(fs::exists(folder_ / "out.mkv"));
    EXPECT_FALSE(fs::exists(folder_ / "out.partial.mkv"));
  }
}

// Somebody replaces the input after the program has opened it, but before the program asks which
// file it is.
TEST_F(HideEnds, A6AnInputThatWasReplacedBeforeIsRefused) {
  pipeline::JobOptions options = job("out.mkv");
  auto opened = std::make_unique<video::Demuxer>(clip().string(), std::stop_token());
  const fs::path other = folder_ / "other.mkv";
  fs::copy_file(clip(), other);
  fs::rename(other, clip());
  options.input.same_file = identity_of(clip().string());
  expect_error(ErrorKind::input, "clip.mkv: was replaced or changed",
               [&] { (void)run_fake_job(options, {}, {}, std::move(opened)); });
  EXPECT_FALSE(fs::exists(folder_ / "out.mkv"));
  EXPECT_EQ(run_fake_job(options).result.ledger.written, 100);
}

TEST_F(HideEnds, C4ExpectedFramesAreThoseOfTheRange) {
  const struct {
    std::optional<double> start_s;
    std::optional<double> end_s;
    std::int64_t frames;
  } cases[] = {{{}, {}, 100}, {{}, 1.0, 25}, {1.0, {}, 75}, {1.0, 2.0, 25}, {3.0, 60.0, 25}};
  for (const auto& each : cases) {
    pipeline::JobOptions options = job("out.mkv");
    options.input.start_s = each.start_s;
    options.input.end_s = each.end_s;
    pipeline::JobObserver observer;
    std::vector<std::int64_t> expected;
    pipeline::Progress last;
    observer.progress = [&](const pipeline::Progress& now) {
      expected.push_back(now.expected_frames);
      last = now;
    };
    (void)pipeline::run_job(options, *fake_backend(), observer, {});
    EXPECT_THAT(expected, testing::Each(each.frames));
    EXPECT_EQ(last.frames, each.frames);
  }
}

}  // namespace
}  // namespace facepipe::test
