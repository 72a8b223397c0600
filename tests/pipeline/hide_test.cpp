// These tests run whole jobs that hide faces. They check what the output shows, and what it must
// not contain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files/output_names.h"
#include "pipeline/hide/hiding.h"
#include "tests/pipeline/named_backend.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/forwarding_backend.h"
#include "tests/support/job.h"
#include "tests/support/packets.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
namespace fs = std::filesystem;
using namespace std::string_literals;

constexpr int kWidth = 96;
constexpr int kHeight = 64;

class HideTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { video::redirect_ffmpeg_log(); }

  pipeline::JobOptions job(const fs::path& input, const char* output) const {
    pipeline::JobOptions options = lossless_job(input, folder_ / output);
    options.hide.emplace().appearance.grow = 0.25;
    return options;
  }

  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      names.push_back(entry.path().filename().string());
    return names;
  }

  TemporaryFolder folder_;
};

/// Returns whether a pixel is in the box, enlarged by a quarter of its size on each side.
bool is_hidden(const Box& box, std::size_t pixel) {
  const auto x = static_cast<float>(pixel % kWidth);
  const auto y = static_cast<float>(pixel / kWidth % kHeight);
  const float w = (box.x2 - box.x1) / 4;
  const float h = (box.y2 - box.y1) / 4;
  return x >= box.x1 - w && x < box.x2 + w && y >= box.y1 - h && y < box.y2 + h;
}

/// Returns the frames in which a pixel of the face is lighter than black.
std::vector<std::size_t> unhidden(const std::string& luma, const Box& face) {
  constexpr std::size_t kPixels = std::size_t{kWidth} * kHeight;
  constexpr unsigned kBlack = 16;
  std::vector<std::size_t> frames;
  for (std::size_t frame = 0; frame * kPixels < luma.size(); ++frame) {
    bool shown = false;
    for (int y = static_cast<int>(face.y1); y < static_cast<int>(face.y2); ++y)
      for (int x = static_cast<int>(face.x1); x < static_cast<int>(face.x2); ++x)
        shown =
            shown || static_cast<unsigned char>(
                         luma[frame * kPixels + static_cast<std::size_t>(y * kWidth + x)]) > kBlack;
    if (shown) frames.push_back(frame);
  }
  return frames;
}

constexpr Box kFace{32, 16, 48, 32};
constexpr Box kPicture{0, 0, kWidth, kHeight};

FakeBehaviour always_the_face() {
  FakeBehaviour behaviour;
  behaviour.candidates = one_face(kFace);
  return behaviour;
}

/// The scale maps this network's scores of 0.2108, 0.3596 and 0.4307 to 0.03, 0.1 and 0.15 (the
/// formula of core/score_scale.h, computed by hand): the thresholds of a suggested, a likely and a
/// hidden track.
TEST_F(HideTest, CountsSuggestedTracksByTheScaleOfTheNetwork) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=1 -pix_fmt yuv420p -c:v ffv1", clip);
  struct Case {
    float score;
    std::int64_t hidden;
    std::int64_t suggested;
    std::int64_t likely;
  };
  for (const Case& c : {Case{0.2F, 0, 0, 0},
                        {0.22F, 0, 1, 0},
                        {0.35F, 0, 1, 0},
                        {0.37F, 0, 1, 1},
                        {0.44F, 1, 0, 0}}) {
    pipeline::JobOptions options = job(clip, "");
    options.output.path.clear();
    options.search.scales = ScoreScale(0.5F);
    FakeBehaviour behaviour;
    behaviour.candidates = one_face(kFace, c.score);
    const std::optional<pipeline::TrackCounts> counts =
        run_fake_job(options, behaviour).result.track_counts;
    ASSERT_TRUE(counts) << c.score;
    EXPECT_EQ(counts->hidden, c.hidden) << c.score;
    EXPECT_EQ(counts->suggested, c.suggested) << c.score;
    EXPECT_EQ(counts->likely, c.likely) << c.score;
    const std::vector<TimeSpans::Span>& at = counts->likely_at.spans();
    ASSERT_EQ(at.size(), static_cast<std::size_t>(c.likely)) << c.score;
    if (c.likely == 0) continue;
    EXPECT_DOUBLE_EQ(at[0].from_s, 0) << c.score;
    EXPECT_DOUBLE_EQ(at[0].to_s, 24 * 0.04) << c.score;
  }
}

/// A picture that is turned by 180 degrees has the same size, so the same detector searches it. At
/// that time, later frames can occupy all requests of this detector. The job must still continue.
TEST_F(HideTest, FacesOnTheirHeadsAreHiddenAlthoughAllRequestsAreTaken) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=2 -pix_fmt yuv420p -c:v ffv1", clip);
  FakeBehaviour behaviour = always_the_face();
  // Meanwhile, other frames take the remaining requests.
  behaviour.on_collect = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  pipeline::JobOptions options = job(clip, "out.mkv");
  options.hide->turned_too = 2;
  const JobRun run = run_fake_job(options, behaviour);
  EXPECT_EQ(run.result.ledger.written, 50);
  for (const FrameRecord& record : run.records) EXPECT_EQ(record.face_count, 2U) << record.index;
  const std::string after = decoded_luma(folder_ / "out.mkv");
  EXPECT_THAT(unhidden(after, kFace), testing::IsEmpty());
  EXPECT_THAT(unhidden(after, {kWidth - kFace.x2, kHeight - kFace.y2, kWidth - kFace.x1,
                               kHeight - kFace.y1}),
              testing::IsEmpty());
}

TEST_F(HideTest, FacesAreBlackInEachFrameAndAllElseIsAsItWas) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=2 -pix_fmt yuv420p -c:v ffv1", clip);
  FakeBehaviour behaviour;
  const Box face{32, 16, 48, 32};
  behaviour.candidates = one_face(face);
  const JobRun run = run_fake_job(job(clip, "out.mkv"), behaviour);
  EXPECT_EQ(run.result.ledger.written, 50);
  for (const FrameRecord& record : run.records) EXPECT_EQ(record.face_count, 1U) << record.index;
  const std::string before = decoded_luma(clip);
  const std::string after = decoded_luma(folder_ / "out.mkv");
  ASSERT_EQ(after.size(), std::size_t{50} * kWidth * kHeight);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const bool on_its_edge = !is_hidden(face, i) && is_hidden({28, 12, 52, 36}, i);
    if (on_its_edge) continue;
    ASSERT_EQ(after[i], is_hidden(face, i) ? after[24 * kWidth + 40] : before[i]) << i;
  }
  EXPECT_EQ(video::live_frames(), 0);
}

TEST_F(HideTest, AStillImageIsDoneAtTheEnd) {
  const fs::path picture = folder_ / "picture.png";
  ffmpeg("-f lavfi -i testsrc2=s=96x64 -frames:v 1", picture);
  FakeBehaviour behaviour;
  behaviour.candidates = one_face({32, 16, 48, 32});
  pipeline::JobOptions options = job(picture, "out.png");
  options.output.encoder = {};
  EXPECT_EQ(run_fake_job(options, behaviour).result.ledger.written, 1);
  EXPECT_EQ(decoded_luma(folder_ / "out.png")[std::size_t{24} * kWidth + 40], 0);
}

TEST_F(HideTest, EveryKindOfVideoIsHiddenInEachFrame) {
  const struct {
    const char* name;
    const char* arguments;
  } kinds[] = {
      {"ten_bits.mkv", "-pix_fmt yuv420p10le -c:v ffv1"},
      {"full_chroma.mkv", "-pix_fmt yuv444p -c:v ffv1"},
      {"rgb.mkv", "-pix_fmt gbrp -c:v ffv1"},
      {"grey.mkv", "-pix_fmt gray -c:v ffv1"},
      {"interlaced.ts", "-pix_fmt yuv420p -c:v mpeg2video -q:v 2 -flags +ildct+ilme -top 1"},
      {"variable.mkv", "-pix_fmt yuv420p -c:v ffv1 -vf setpts=N*(1+mod(N\\,5))/25/TB"},
      {"slow.mkv", "-pix_fmt yuv420p -c:v ffv1 -vf setpts=N*3/TB"},
  };
  for (const auto& kind : kinds) {
    const fs::path clip = folder_ / kind.name;
    ffmpeg(std::string("-f lavfi -i testsrc2=s=96x64:r=25:d=2 ") + kind.arguments, clip);
    const JobRun run = run_fake_job(job(clip, "out.mkv"), always_the_face());
    const std::string luma = decoded_luma(folder_ / "out.mkv");
    EXPECT_EQ(luma.size(), static_cast<std::size_t>(run.result.ledger.written) * kWidth * kHeight);
    EXPECT_GE(run.result.ledger.written, 15) << kind.name;
    EXPECT_THAT(unhidden(luma, kFace), testing::IsEmpty()) << kind.name;
  }
}

TEST_F(HideTest, ATurnedVideoIsHiddenWhereItsUprightPictureHasTheFace) {
  const fs::path clip = folder_ / "clip.mp4";
  ffmpeg("-f lavfi -i testsrc2=s=64x96:r=25:d=1 -pix_fmt yuv420p -c:v libx264 -qp 4", clip);
  mark_turned(clip);  // 96x64 when it is turned upright
  const JobRun run = run_fake_job(job(clip, "out.mp4"), always_the_face());
  EXPECT_EQ(run.result.size, (Size{kWidth, kHeight}));
  const std::string luma = decoded_luma(folder_ / "out.mp4");
  ASSERT_EQ(luma.size(), std::size_t{25} * kWidth * kHeight);
  EXPECT_THAT(unhidden(luma, kFace), testing::IsEmpty());
}

// The output must not show a face after a failure. The following tests check each kind of failure.

TEST_F(HideTest, ADamagedFrameIsHiddenAsAWhole) {
  const fs::path clip = folder_ / "clip.264";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=2 -pix_fmt yuv420p -c:v libx264 -bf 0 -g 25 -qp 20",
         clip);
  std::string bytes = read_file(clip);
  for (const std::size_t part : {3U, 4U, 5U}) bytes[bytes.size() / 8 * part] ^= '\x10';
  pipeline::JobOptions options = job(folder_.write("damaged.264", bytes), "out.mkv");
  options.resources.threads = 1;
  const JobRun run = run_fake_job(options, always_the_face());
  const std::string luma = decoded_luma(folder_ / "out.mkv");
  EXPECT_GT(run.result.ledger.damaged, 0);
  EXPECT_THAT(unhidden(luma, kFace), testing::IsEmpty());
  const std::vector<std::size_t> shown = unhidden(luma, kPicture);
  for (const FrameRecord& record : run.records)
    EXPECT_EQ(std::ranges::count(shown, static_cast<std::size_t>(record.index)),
              record.damaged ? 0 : 1)
        << record.index;
}

TEST_F(HideTest, AFileThatEndsEarlyIsHiddenToItsEnd) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=4 -pix_fmt yuv420p -c:v libx264 -g 25", clip);
  const std::string bytes = read_file(clip);
  const JobRun run =
      run_fake_job(job(folder_.write("cut.mkv", bytes.substr(0, bytes.size() * 2 / 3)), "out.mkv"),
                   always_the_face());
  EXPECT_FALSE(run.result.early_end.empty());
  EXPECT_GT(run.result.ledger.written, 20);
  EXPECT_THAT(unhidden(decoded_luma(folder_ / "out.mkv"), kFace), testing::IsEmpty());
}

TEST_F(HideTest, AnInterruptedRunLeavesHiddenFramesOnly) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=20 -pix_fmt yuv420p -c:v ffv1", clip);
  std::stop_source stop;
  FakeBehaviour behaviour = always_the_face();
  int frames = 0;
  behaviour.on_collect = [&] {
    if (++frames == 60) stop.request_stop();
  };
  const JobRun run = run_fake_job(job(clip, "out.mkv"), behaviour, stop.get_token());
  EXPECT_TRUE(run.result.interrupted);
  ASSERT_NE(run.result.output, folder_ / "out.mkv");
  const std::string luma = decoded_luma(run.result.output);
  EXPECT_GT(luma.size(), std::size_t{20} * kWidth * kHeight);
  EXPECT_THAT(unhidden(luma, kFace), testing::IsEmpty());
}

constexpr int kFramesBefore = 59;  // number of calls before the failure

/// Returns a function that throws after kFramesBefore calls.
std::function<void()> fails_late() {
  return [calls = std::make_shared<std::atomic<int>>(0)] {
    if (++*calls > kFramesBefore) throw Error(ErrorKind::device, "out of order");
  };
}

/// Expects that a failed run has kept `frames` frames with the hidden face in a partial file, and
/// hasn't changed the existing file.
void expect_hidden_part(const JobRun& run, const fs::path& output, std::size_t frames,
                        const Box& hidden = kFace) {
  ASSERT_TRUE(run.result.failure);
  EXPECT_FALSE(run.result.interrupted);
  EXPECT_EQ(run.result.output, partial_name(output, 1));
  EXPECT_EQ(read_file(output), "theirs");
  EXPECT_EQ(video_stamps(run.result.output).size(), frames);
  EXPECT_EQ(static_cast<std::size_t>(run.result.ledger.written), frames);
  EXPECT_EQ(run.records.size(), frames);
  const std::string luma = decoded_luma(run.result.output);
  EXPECT_EQ(luma.size(), frames * kWidth * kHeight);
  EXPECT_THAT(unhidden(luma, hidden), testing::IsEmpty());
  EXPECT_EQ(video::live_frames(), 0);
  fs::remove(run.result.output);
}

TEST_F(HideTest, WhereDetectionFailsWhatIsHiddenIsKept) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=4 -f lavfi -i sine=d=4 -pix_fmt yuv420p -c:v ffv1",
         clip);
  for (const char* name : {"out.mkv", "out.mp4", "out.ts"}) {
    folder_.write(name, "theirs");
    for (const int step : {0, 1, 2}) {
      FakeBehaviour behaviour = always_the_face();
      if (step == 0) behaviour.on_prepare = [fail = fails_late()](const Frame&) { fail(); };
      if (step == 1) behaviour.on_start = fails_late();
      if (step == 2) behaviour.on_collect = fails_late();
      const JobRun run = run_fake_job(job(clip, name), behaviour);
      expect_hidden_part(run, folder_ / name, kFramesBefore);
      EXPECT_EQ(run.result.failure->kind(), ErrorKind::device);
      EXPECT_THAT(run.result.failure->what(), HasSubstr("out of order"));
    }
  }
}

TEST_F(HideTest, WhereNothingIsWrittenYetNothingIsLeftOfAFailure) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=4 -pix_fmt yuv420p -c:v ffv1", clip);
  FakeBehaviour behaviour = always_the_face();
  behaviour.on_collect = [] { throw Error(ErrorKind::device, "out of order"); };
  expect_error(ErrorKind::device, "out of order",
               [&] { (void)run_fake_job(job(clip, "out.mkv"), behaviour); });
  EXPECT_THAT(files(), testing::ElementsAre("clip.mkv"));
}

/// Holds functions that are called when a step of a job asks the motion estimator where boxes are
/// in another picture.
struct OnMotion {
  OnCall following = [] {};
  OnCall deciding = [] {};
};

class CalledMotion final : public track::MotionEstimator {
 public:
  CalledMotion(std::unique_ptr<track::MotionEstimator> real, OnCall on_call)
      : real_(std::move(real)), on_call_(std::move(on_call)) {}
  [[nodiscard]] std::shared_ptr<const track::MotionPicture> make_picture(
      const Frame& frame) override {
    return real_->make_picture(frame);
  }
  [[nodiscard]] track::PictureChange compare(const track::MotionPicture& before,
                                             const track::MotionPicture& now) override {
    return real_->compare(before, now);
  }
  [[nodiscard]] std::vector<Box> follow(std::span<const track::BoxStep> steps) override {
    on_call_();
    return real_->follow(steps);
  }
  void wait() override { real_->wait(); }
  [[nodiscard]] bool is_far() const override { return real_->is_far(); }

 private:
  std::unique_ptr<track::MotionEstimator> real_;
  OnCall on_call_;
};

class CalledHidingDevice final : public pipeline::HidingDevice {
 public:
  CalledHidingDevice(std::unique_ptr<pipeline::HidingDevice> real, OnMotion on_motion)
      : real_(std::move(real)), on_motion_(std::move(on_motion)) {}
  [[nodiscard]] std::unique_ptr<pipeline::PictureKeeper> make_keeper() override {
    return real_->make_keeper();
  }
  [[nodiscard]] std::unique_ptr<pipeline::HidingPixels> make_pixels(
      const overlay::HideOptions& look) override {
    return real_->make_pixels(look);
  }
  [[nodiscard]] std::unique_ptr<track::MotionEstimator> make_lane_motion() override {
    return real_->make_lane_motion();
  }
  [[nodiscard]] std::unique_ptr<track::MotionEstimator> make_motion(
      pipeline::HidingStep step) override {
    return std::make_unique<CalledMotion>(
        real_->make_motion(step),
        step == pipeline::HidingStep::follow ? on_motion_.following : on_motion_.deciding);
  }

 private:
  std::unique_ptr<pipeline::HidingDevice> real_;
  OnMotion on_motion_;
};

class CalledHidingBackend final : public ForwardingBackend {
 public:
  CalledHidingBackend(std::unique_ptr<pipeline::Backend> real, OnMotion on_motion)
      : ForwardingBackend(std::move(real)), on_motion_(std::move(on_motion)) {}
  [[nodiscard]] std::unique_ptr<pipeline::HidingDevice> make_hiding_device(
      const pipeline::ProcessorSetup& setup) override {
    return std::make_unique<CalledHidingDevice>(ForwardingBackend::make_hiding_device(setup),
                                                on_motion_);
  }

 private:
  OnMotion on_motion_;
};

/// A second face appears in frame kNewFace. From this frame on, the job also estimates motion
/// backwards.
constexpr int kNewFace = 60;
/// This many frames are decided before frame kNewFace: the look-ahead of frame 46, which is half a
/// second, ends before frame 59.
constexpr std::size_t kDecided = 47;

FakeBehaviour another_face_later() {
  FakeBehaviour behaviour;
  behaviour.candidates_of = [frame = std::make_shared<int>(0)](const Frame&) {
    Detections faces = one_face(kFace);
    if ((*frame)++ >= kNewFace) faces.push_back({64, 40, 80, 56}, 0.9F, Landmarks{});
    return faces;
  };
  return behaviour;
}

class HideSteps : public HideTest {
 protected:
  void SetUp() override {
    ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=4 -pix_fmt yuv420p -c:v ffv1",
           folder_ / "clip.mkv");
    folder_.write("out.mkv", "theirs");
  }

  [[nodiscard]] JobRun run(OnMotion on_motion, double look_ahead_s) const {
    pipeline::JobOptions options = job(folder_ / "clip.mkv", "out.mkv");
    options.hide->tracks.look_ahead_s = look_ahead_s;
    CalledHidingBackend backend(fake_backend(another_face_later()), std::move(on_motion));
    JobRun run;
    pipeline::JobObserver observer;
    observer.frame = [&](const FrameRecord& record) { run.records.push_back(record); };
    run.result = pipeline::run_job(options, backend, observer, {});
    return run;
  }

  void expect_failure_of(const JobRun& run, const char* what) const {
    expect_hidden_part(run, folder_ / "out.mkv", kDecided);
    EXPECT_EQ(run.result.failure->kind(), ErrorKind::device);
    EXPECT_STREQ(run.result.failure->what(), what);
  }
};

/// Returns a function that throws at its call `number`, counted from 1.
OnCall fails_at(int number, const char* what) {
  return [=, calls = std::make_shared<int>(0)] {
    if (++*calls == number) throw Error(ErrorKind::device, what);
  };
}

TEST_F(HideSteps, WhereSettlingFailsWhatIsHiddenIsKept) {
  expect_failure_of(run({.deciding = fails_at(1, "deciding")}, 0.5), "deciding");
}

// Here, too, the job keeps kDecided frames, because frames that were followed before the failure
// are still decided.
TEST_F(HideSteps, WhereFollowingFailsWhatIsHiddenIsKept) {
  expect_failure_of(run({.following = fails_at(kNewFace, "following")}, 0.5), "following");
}

// The two frames at which the steps fail are neighbours, so either step can fail first.
TEST_F(HideSteps, WhereBothFailWhatIsHiddenIsKept) {
  const JobRun made = run(
      {.following = fails_at(kNewFace + 1, "following"), .deciding = fails_at(1, "deciding")}, 0.5);
  expect_hidden_part(made, folder_ / "out.mkv", kDecided);
  EXPECT_THAT(made.result.failure->what(), testing::AnyOf("following"s, "deciding"s));
}

// The look-ahead is longer than the clip, so no frame is decided before the failure.
TEST_F(HideSteps, WhereNothingIsSettledYetNothingIsLeftOfAFailure) {
  for (const OnMotion& fail : {OnMotion{.deciding = fails_at(1, "out of order")},
                               OnMotion{.following = fails_at(kNewFace, "out of order")}}) {
    expect_error(ErrorKind::device, "out of order", [&] { (void)run(fail, 10); });
    EXPECT_EQ(video::live_frames(), 0);
    EXPECT_THAT(files(), testing::UnorderedElementsAre("clip.mkv", "out.mkv"));
  }
}

// Other jobs hold a part of the device's memory, which can be the cause of the failure. The app
// repeats the job, so no partial file may stay.
TEST_F(HideTest, BesideOtherJobsAFailingDeviceLeavesNothing) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=4 -pix_fmt yuv420p -c:v ffv1", clip);
  FakeBehaviour behaviour = always_the_face();
  behaviour.on_collect = fails_late();
  pipeline::JobOptions options = job(clip, "out.mkv");
  options.resources.shared.emplace(pipeline::SharedLanes{PermitPool(1), 1, 0, false});
  expect_error(ErrorKind::device, "out of order", [&] { (void)run_fake_job(options, behaviour); });
  EXPECT_THAT(files(), testing::ElementsAre("clip.mkv"));
}

TEST_F(HideTest, WhereDecodingFailsWhatIsHiddenIsKept) {
  for (const char* size : {"96x64", "64x48"})
    ffmpeg("-f lavfi -i testsrc2=s="s + size + ":r=25:d=2 -f h264 -c:v libx264 -pix_fmt yuv420p",
           folder_ / (size + ".264"s));
  const fs::path clip = folder_.write(
      "both.264", read_file(folder_ / "96x64.264") + read_file(folder_ / "64x48.264"));
  folder_.write("out.mkv", "theirs");
  pipeline::JobOptions options = job(clip, "out.mkv");
  options.input.scale_on_size_change = false;
  const JobRun run = run_fake_job(options, always_the_face());
  expect_hidden_part(run, folder_ / "out.mkv", 50);
  EXPECT_EQ(run.result.failure->kind(), ErrorKind::input);
}

/// This backend is the CPU's, with an encoder that fails.
class FailingEncoderBackend final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  [[nodiscard]] std::unique_ptr<video::Encoder> make_encoder(const video::EncoderSetup& setup,
                                                             const Frame& first,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    return std::make_unique<CalledEncoder>(
        ForwardingBackend::make_encoder(setup, first, notices, copies), fails_late());
  }
};

TEST_F(HideTest, WhereEncodingFailsWhatItHasGivenIsKept) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=4 -pix_fmt yuv420p -c:v ffv1", clip);
  FailingEncoderBackend backend(fake_backend(always_the_face()));
  pipeline::JobOptions options = job(clip, "out.mkv");
  options.output.encoder = {"ffv1", "", {}, {}};
  const pipeline::JobResult result = pipeline::run_job(options, backend, {}, {});
  ASSERT_TRUE(result.failure);
  const std::string luma = decoded_luma(result.output);
  EXPECT_GT(luma.size(), std::size_t{20} * kWidth * kHeight);
  EXPECT_THAT(unhidden(luma, kFace), testing::IsEmpty());
}

TEST_F(HideTest, AFullDiskLeavesHiddenFramesOnly) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=4 -pix_fmt yuv420p -c:v ffv1", clip);
  const FileSizeLimit limit(170'000);
  const JobRun run = run_fake_job(job(clip, "out.mkv"), always_the_face());
  ASSERT_TRUE(run.result.failure);
  EXPECT_EQ(run.result.failure->kind(), ErrorKind::output);
  const std::string luma = decoded_luma(run.result.output);
  EXPECT_GT(luma.size(), std::size_t{5} * kWidth * kHeight);
  EXPECT_LT(luma.size(), std::size_t{100} * kWidth * kHeight);
  EXPECT_THAT(unhidden(luma, kFace), testing::IsEmpty());
}

/// Returns faces of two pixels, which don't overlap.
Detections many_faces(int count) {
  Detections faces;
  for (int i = 0; i < count; ++i) {
    const auto x = static_cast<float>(i % 1000) * 3;
    const auto y = static_cast<float>(i) / 1000 * 3;
    faces.push_back({x, y, x + 2, y + 2}, 0.9F, Landmarks{});
  }
  return faces;
}

TEST_F(HideTest, MoreFacesThanCanBeHiddenEndTheRun) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=1 -pix_fmt yuv420p -c:v ffv1", clip);
  for (const int count : {5000, static_cast<int>(nms::kMaxNmsCapacity) + 1}) {
    FakeBehaviour behaviour;
    behaviour.candidates = many_faces(count);
    expect_error(ErrorKind::device, "",
                 [&] { (void)run_fake_job(job(clip, "out.mkv"), behaviour); });
    EXPECT_THAT(files(), testing::ElementsAre("clip.mkv"));
  }
}

TEST_F(HideTest, MoreFacesThanCanBeHiddenLaterLeaveWhatIsHidden) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=4 -pix_fmt yuv420p -c:v ffv1", clip);
  folder_.write("out.mkv", "theirs");
  for (const int count : {5000, static_cast<int>(nms::kMaxNmsCapacity) + 1}) {
    FakeBehaviour behaviour;
    behaviour.candidates_of = [count](const Frame& frame) {
      return frame.index < kFramesBefore ? one_face(kFace) : many_faces(count);
    };
    const JobRun run = run_fake_job(job(clip, "out.mkv"), behaviour);
    ASSERT_TRUE(run.result.failure);
    EXPECT_EQ(run.result.failure->kind(), ErrorKind::device);
    // If the tracker fails, it returns no further frames.
    const bool in_tracker = count == 5000;
    const auto frames = static_cast<std::size_t>(run.result.ledger.written);
    EXPECT_EQ(frames == kFramesBefore, !in_tracker);
    EXPECT_GE(frames, 40U);
    expect_hidden_part(run, folder_ / "out.mkv", frames);
  }
}

TEST_F(HideTest, WithLittleMemoryFramesWaitShorterAndItIsTold) {
  const fs::path clip = folder_ / "clip.mkv";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=1 -pix_fmt yuv420p -c:v ffv1", clip);
  pipeline::JobOptions options = job(clip, "out.mkv");
  options.hide->most_bytes = std::int64_t{4} * kWidth * kHeight * 3;
  const JobRun run = run_fake_job(options, always_the_face());
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("4 frames instead of 14")));
  EXPECT_THAT(unhidden(decoded_luma(folder_ / "out.mkv"), kFace), testing::IsEmpty());
}

TEST_F(HideTest, WhatElseMayShowTheOriginalIsLeftOutAndTold) {
  const fs::path cover = folder_ / "cover.jpg";
  ffmpeg("-f lavfi -i testsrc2=s=96x64 -frames:v 1", cover);
  const fs::path clip = folder_ / "clip.mp4";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=1 -i " + cover.string() +
             " -map 0 -map 1 -c:v:0 libx264 -c:v:1 copy -disposition:v:1 attached_pic "
             "-metadata title=Somebody -metadata location=+48.1+011.5/",
         clip);
  const JobRun run = run_fake_job(job(clip, "out.mp4"));
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("it may show what is hidden")));
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("title")));
  const std::string bytes = read_file(folder_ / "out.mp4");
  EXPECT_EQ(bytes.find("Somebody"), std::string::npos);
  EXPECT_EQ(bytes.find("+48.1"), std::string::npos);
  EXPECT_EQ(bytes.find("\xff\xd8\xff"), std::string::npos) << "a JPEG";
}

// A JPEG's EXIF data can contain where the picture was taken, and a thumbnail of the original
// picture.
TEST_F(HideTest, NothingOfAPicturesExifIsLeft) {
  const fs::path plain = folder_ / "plain.jpg";
  ffmpeg("-f lavfi -i testsrc2=s=96x64 -frames:v 1 -pix_fmt yuvj420p", plain);
  std::string bytes = read_file(plain);
  const std::string exif = "Exif\0\0MM\0*\0\0\0\x08 a thumbnail and a place"s;
  const std::string segment =
      "\xff\xe1\0"s + static_cast<char>(exif.size() + 2) + exif;  // a length of two bytes
  bytes.insert(2, segment);
  pipeline::JobOptions options = job(folder_.write("photo.jpg", bytes), "out.jpg");
  options.output.encoder = {};
  EXPECT_EQ(run_fake_job(options, always_the_face()).result.ledger.written, 1);
  const std::string written = read_file(folder_ / "out.jpg");
  EXPECT_EQ(written.find("Exif"), std::string::npos);
  EXPECT_EQ(written.find("thumbnail"), std::string::npos);
}

}  // namespace
}  // namespace facepipe::test
