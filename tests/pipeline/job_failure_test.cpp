// These tests make runs fail or stop them. They check the error and the remaining files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "tests/support/clips.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using testing::HasSubstr;

class Failure : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    ffmpeg(
        "-f lavfi -i testsrc2=s=320x180:r=25:d=4 -f lavfi -i sine=d=4 -c:v libx264 -preset "
        "ultrafast -c:a aac",
        clip());
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::filesystem::path clip() { return *folder_ / "clip.mp4"; }

  /// Expects that the run fails with `message`, and that no frame and no file remains.
  void expect_clean_failure(const pipeline::JobOptions& options, FakeBehaviour behaviour,
                            const std::string& message) {
    try {
      run_fake_job(options, std::move(behaviour));
      ADD_FAILURE() << "no exception: " << message;
    } catch (const std::exception& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
    EXPECT_EQ(video::live_frames(), 0) << message;
    EXPECT_TRUE(out_.names().empty()) << message << ": " << out_.names().front();
  }

  [[nodiscard]] pipeline::JobOptions job() const { return lossless_job(clip(), out_ / "out.mp4"); }

  static inline std::optional<TemporaryFolder> folder_;
  TemporaryFolder out_;
};

/// Returns a function that throws at its tenth call.
std::function<void()> fails_at_ten(const char* message) {
  return [message, calls = std::make_shared<std::atomic<int>>(0)] {
    if (++*calls == 10) throw std::runtime_error(message);
  };
}

TEST_F(Failure, InPreprocessing) {
  FakeBehaviour behaviour;
  behaviour.on_prepare = [fail = fails_at_ten("prepare")](const Frame&) { fail(); };
  expect_clean_failure(job(), behaviour, "prepare");
}

TEST_F(Failure, InTheStartOfInference) {
  FakeBehaviour behaviour;
  behaviour.on_start = fails_at_ten("start");
  expect_clean_failure(job(), behaviour, "start");
}

TEST_F(Failure, InInference) {
  FakeBehaviour behaviour;
  behaviour.on_collect = fails_at_ten("collect");
  expect_clean_failure(job(), behaviour, "collect");
}

TEST_F(Failure, InSuppression) {
  FakeBehaviour behaviour;
  behaviour.candidates.boxes = {{0, 0, 1, 1}};  // the score is missing
  expect_clean_failure(job(), behaviour, "the numbers of boxes and scores differ");
}

TEST_F(Failure, InDecodingOfAChangedSize) {
  ffmpeg("-f lavfi -i testsrc2=s=320x180:r=25:d=1 -f h264 -c:v libx264", *folder_ / "a.264");
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f h264 -c:v libx264", *folder_ / "b.264");
  ffmpeg("-i concat:" + (*folder_ / "a.264").string() + "|" + (*folder_ / "b.264").string() +
             " -c copy -f h264",
         *folder_ / "ab.264");
  pipeline::JobOptions options = lossless_job(*folder_ / "ab.264", out_ / "out.mkv");
  options.input.scale_on_size_change = false;
  expect_clean_failure(options, {}, "change from 320x180");
}

TEST_F(Failure, InOpeningTheEncoder) {
  pipeline::JobOptions options = job();
  options.output.encoder.options = {{"no_such_option", "1"}};
  expect_clean_failure(options, {}, "no_such_option");
}

TEST_F(Failure, InTheObserver) {
  const auto backend = fake_backend();
  pipeline::JobObserver observer;
  observer.frame = [fail = fails_at_ten("observer")](const FrameRecord&) { fail(); };
  EXPECT_THROW((void)pipeline::run_job(job(), *backend, observer, {}), std::runtime_error);
  EXPECT_EQ(video::live_frames(), 0);
  EXPECT_TRUE(out_.names().empty());
}

// The file size limit simulates a full disk.
TEST_F(Failure, OnADiskThatIsFullFromTheStart) {
  const FileSizeLimit limit(1000);
  expect_clean_failure(job(), {}, "out.mp4: can't be written: File too large");
}

TEST_F(Failure, AFullDiskLeavesAPlayablePart) {
  for (const char* name : {"out.mp4", "out.mkv", "out.ts"}) {
    const FileSizeLimit limit(1'000'000);
    const JobRun run = run_fake_job(lossless_job(clip(), out_ / name));
    ASSERT_TRUE(run.result.failure);
    EXPECT_THAT(run.result.failure->what(), HasSubstr("can't be written: File too large")) << name;
    EXPECT_FALSE(run.result.interrupted);
    const std::filesystem::path part = partial_name(out_ / name, 1);
    EXPECT_EQ(run.result.output, part);
    const std::vector<Stamp> stamps = video_stamps(part);
    EXPECT_EQ(stamps.size(), static_cast<std::size_t>(run.result.ledger.written)) << name;
    EXPECT_EQ(stamps.size(), run.records.size()) << "no record of a frame that isn't there";
    EXPECT_GE(stamps.size(), 10U) << name;
    EXPECT_LT(stamps.size(), 100U) << name;
    EXPECT_EQ(streams_of(probe(part), "audio").size(), 1U) << name;
    EXPECT_EQ(video::live_frames(), 0);
    // The limit is large enough for the record with which the next successful run finds the partial
    // file.
    EXPECT_THAT(out_.names(), testing::Contains(std::string(".") + name + ".facepipe"));
  }
  EXPECT_EQ(out_.names().size(), 6U);
}

TEST_F(Failure, OnAFullDeviceIsTold) {
  pipeline::JobOptions options = job();
  options.output.path = out_ / "full.mkv";
  std::filesystem::create_symlink("/dev/full", options.output.path);
  try {
    (void)run_fake_job(options);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::output);
    EXPECT_THAT(error.what(), HasSubstr("full.mkv: can't be written: No space left"));
  }
}

TEST_F(Failure, AnOutputThatAppearsMeanwhileIsLeftAlone) {
  FakeBehaviour behaviour;
  behaviour.on_start = [this] { out_.write("out.mp4", "theirs"); };
  pipeline::JobOptions options = job();
  options.output.existing = ExistingTarget::refuse;
  try {
    (void)run_fake_job(options, behaviour);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::output);
    EXPECT_THAT(error.what(),
                HasSubstr("out.mp4: another program created this file during the run"));
  }
  EXPECT_EQ(read_file(out_ / "out.mp4"), "theirs");
  EXPECT_EQ(video_stamps(out_ / "out.partial.mp4").size(), 100U) << "what was made is kept";
}

TEST_F(Failure, AStopLeavesAPlayablePart) {
  std::stop_source stop;
  FakeBehaviour behaviour;
  behaviour.on_collect = [&, calls = std::make_shared<std::atomic<int>>(0)] {
    if (++*calls == 30) stop.request_stop();
  };
  const JobRun run = run_fake_job(job(), behaviour, stop.get_token());
  EXPECT_TRUE(run.result.interrupted);
  EXPECT_THAT(out_.names(), testing::ElementsAre(".out.mp4.facepipe", "out.partial.mp4"));
  EXPECT_EQ(run.result.output, out_ / "out.partial.mp4");
  const std::vector<Stamp> stamps = video_stamps(out_ / "out.partial.mp4");
  EXPECT_EQ(stamps.size(), static_cast<std::size_t>(run.result.ledger.written));
  EXPECT_GE(stamps.size(), 30U);
  EXPECT_LT(stamps.size(), 100U);
  EXPECT_EQ(video::live_frames(), 0);
}

TEST_F(Failure, AStopBeforeTheFirstFrameLeavesNothing) {
  std::stop_source stop;
  stop.request_stop();
  try {
    const JobRun run = run_fake_job(job(), {}, stop.get_token());
    EXPECT_TRUE(run.result.interrupted);
  } catch (const Stopped&) {
    // The job can also stop before it opens the input.
  }
  EXPECT_TRUE(out_.names().empty());
}

}  // namespace
}  // namespace facepipe::test
