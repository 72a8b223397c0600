// These tests make one of several lanes fail, or stop the job. The job must return the first error,
// and no thread may wait for ever. The kept part must equal the beginning of one lane's output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/job.h"
#include "tests/support/packets.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using testing::HasSubstr;

constexpr int kLanes = 7;
constexpr std::size_t kFrames = 800;
constexpr std::size_t kPictureBytes = 64 * 64 * 3 / 2;

class LanesFailure : public testing::Test {
 protected:
  // The clip has no B pictures. If it had B pictures, a stop would lose pictures even with one
  // lane: those that are shown before the last picture that was read.
  static void SetUpTestSuite() {
    video::redirect_ffmpeg_log();
    folder_.emplace();
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=32 -f lavfi -i sine=d=32 -c:a mp2 -c:v libx264 "
        "-preset veryfast -threads 1 -bf 0 -x264-params keyint=32:min-keyint=32:scenecut=0",
        clip());
    (void)run_fake_job(job_for(clip(), *folder_ / "whole.avi", 1));
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::filesystem::path clip() { return *folder_ / "clip.mkv"; }

  static pipeline::JobOptions job_for(const std::filesystem::path& input,
                                      const std::filesystem::path& output, int lanes) {
    pipeline::JobOptions options = lossless_job(input, output);
    options.output.encoder = {"mjpeg", "", {}, {}};
    options.resources.lanes = lanes;
    options.resources.threads = 2;
    return options;
  }
  [[nodiscard]] pipeline::JobOptions job() const {
    return job_for(clip(), out_ / "out.avi", kLanes);
  }

  /// Expects that the run fails with `message`, and that no frame and no file remains.
  void expect_clean_failure(const pipeline::JobOptions& options, FakeBehaviour behaviour,
                            const pipeline::JobObserver& observer,
                            const std::string& message) const {
    const auto backend = fake_backend(std::move(behaviour));
    try {
      (void)pipeline::run_job(options, *backend, observer, {});
      ADD_FAILURE() << "no exception: " << message;
    } catch (const std::exception& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
    EXPECT_EQ(video::live_frames(), 0) << message;
    EXPECT_THAT(out_.names(), testing::IsEmpty()) << message;
  }
  /// Checks a job with video output and a job without.
  void expect_clean_failures(const FakeBehaviour& behaviour, const std::string& message) const {
    expect_clean_failure(job(), behaviour, {}, message);
    expect_clean_failure(job_for(clip(), {}, kLanes), behaviour, {}, message);
  }

  static std::vector<FilePacket> video_of(const std::filesystem::path& file) {
    std::vector<FilePacket> packets = packets_of(file);
    std::erase_if(packets, [](const FilePacket& packet) { return packet.stream != 0; });
    return packets;
  }

  /// Expects that the kept part has at least `least` frames and equals the first frames of one
  /// lane's output.
  static void expect_first_frames(const std::filesystem::path& part, const JobRun& run,
                                  std::size_t least) {
    const std::vector<FilePacket> packets = video_of(part);
    const std::vector<FilePacket> whole = video_of(*folder_ / "whole.avi");
    ASSERT_EQ(whole.size(), kFrames);
    EXPECT_GE(packets.size(), least);
    EXPECT_LE(packets.size(), kFrames);
    EXPECT_EQ(packets.size(), static_cast<std::size_t>(run.result.ledger.written));
    const auto differs = std::ranges::mismatch(packets, whole).in1;
    EXPECT_EQ(differs - packets.begin(), std::ssize(packets)) << "the first frame that differs";
    EXPECT_EQ(decoded_pictures(part).size(), packets.size() * kPictureBytes) << "playable";
    ASSERT_EQ(run.records.size(), packets.size());
    for (std::size_t i = 0; i < run.records.size(); ++i)
      EXPECT_EQ(run.records[i].index, static_cast<std::int64_t>(i));
  }

  static inline std::optional<TemporaryFolder> folder_;
  TemporaryFolder out_;
};

/// Returns a function that throws at its call number `call`. Any lane can make this call.
std::function<void()> fails_at(int call, const char* message) {
  return [call, message, calls = std::make_shared<std::atomic<int>>(0)] {
    if (++*calls == call) throw std::runtime_error(message);
  };
}

TEST_F(LanesFailure, InPreprocessing) {
  for (const int call : {1, 10, 300}) {
    FakeBehaviour behaviour;
    behaviour.on_prepare = [fail = fails_at(call, "prepare")](const Frame&) { fail(); };
    expect_clean_failure(job(), behaviour, {}, "prepare");
  }
}

TEST_F(LanesFailure, InTheStartOfInference) {
  FakeBehaviour behaviour;
  behaviour.on_start = fails_at(100, "start");
  expect_clean_failure(job(), behaviour, {}, "start");
}

TEST_F(LanesFailure, InInference) {
  for (const int call : {1, 10, 399}) {
    FakeBehaviour behaviour;
    behaviour.on_collect = fails_at(call, "collect");
    expect_clean_failure(job(), behaviour, {}, "collect");
  }
}

// All lanes fail at about the same time, and the first error is reported.
TEST_F(LanesFailure, InSuppressionOfEveryLane) {
  FakeBehaviour behaviour;
  behaviour.candidates.boxes = {{0, 0, 1, 1}};  // the score is missing
  expect_clean_failures(behaviour, "the numbers of boxes and scores differ");
}

TEST_F(LanesFailure, InTheObserver) {
  for (const int call : {1, 100}) {
    pipeline::JobObserver observer;
    observer.frame = [fail = fails_at(call, "observer")](const FrameRecord&) { fail(); };
    expect_clean_failure(job(), {}, observer, "observer");
    observer.frame = [fail = fails_at(call, "observer")](const FrameRecord&) { fail(); };
    expect_clean_failure(job_for(clip(), {}, kLanes), {}, observer, "observer");
  }
}

// The size changes at a cut, so each lane that decodes after the cut gets pictures of only one
// size.
TEST_F(LanesFailure, InDecodingOfAChangedSize) {
  const TemporaryFolder folder;
  const std::string x264 =
      ":r=25:d=5.76 -c:v libx264 -preset veryfast -threads 1 -x264-params "
      "keyint=48:min-keyint=48:scenecut=0 ";
  ffmpeg("-f lavfi -i testsrc2=s=96x64" + x264, folder / "c.ts");
  ffmpeg("-f lavfi -i testsrc2=s=64x48" + x264 + "-output_ts_offset 5.76", folder / "second.ts");
  std::ofstream(folder / "c.ts", std::ios::binary | std::ios::app)
      << read_file(folder / "second.ts");
  pipeline::JobOptions options = job_for(folder / "c.ts", out_ / "out.avi", kLanes);
  options.input.scale_on_size_change = false;
  expect_clean_failure(options, {}, {}, "change from 96x64 yuv420p to 64x48");
}

TEST_F(LanesFailure, InOpeningTheEncoders) {
  pipeline::JobOptions options = job();
  // This is an option of nvJPEG, which FFmpeg's encoder doesn't know.
  options.output.encoder.options = {{"quality", "1"}};
  expect_clean_failure(options, {}, {}, "quality");
}

// The file size limit simulates a full disk.
TEST_F(LanesFailure, OnADiskThatIsFullFromTheStart) {
  const FileSizeLimit limit(1000);
  expect_clean_failure(job(), {}, {}, "out.avi: can't be written: File too large");
}

TEST_F(LanesFailure, AFullDiskLeavesTheFirstFrames) {
  const std::uintmax_t whole = std::filesystem::file_size(*folder_ / "whole.avi");
  JobRun run;
  {
    const FileSizeLimit limit(whole / 2);
    run = run_fake_job(job());
  }
  ASSERT_TRUE(run.result.failure);
  EXPECT_THAT(run.result.failure->what(), HasSubstr("can't be written: File too large"));
  EXPECT_FALSE(run.result.interrupted);
  EXPECT_EQ(video::live_frames(), 0);
  EXPECT_LT(run.result.ledger.written, std::int64_t{kFrames});
  expect_first_frames(run.result.output, run, 20);
}

TEST_F(LanesFailure, AStopLeavesTheFirstFrames) {
  for (const std::int64_t frame : {0, 50, 130}) {
    SCOPED_TRACE("at frame " + std::to_string(frame));
    std::stop_source stop;
    JobRun run;
    pipeline::JobObserver observer;
    observer.frame = [&](const FrameRecord& record) {
      run.records.push_back(record);
      if (record.index == frame) stop.request_stop();
    };
    pipeline::JobOptions options = job();
    options.output.path = out_ / ("out" + std::to_string(frame) + ".avi");
    const auto backend = fake_backend();
    run.result = pipeline::run_job(options, *backend, observer, stop.get_token());
    EXPECT_TRUE(run.result.interrupted);
    // Frame 0 can be finished before the reader has reached the first cut, which is at frame 48.
    if (frame >= 48) {
      EXPECT_GT(run.result.resources.cuts, 0);
    }
    EXPECT_EQ(video::live_frames(), 0);
    expect_first_frames(run.result.output, run, static_cast<std::size_t>(frame) + 1);
  }
}

}  // namespace
}  // namespace facepipe::test
