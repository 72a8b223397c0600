// These tests check trials of jobs: they do what the job does, and write nothing.
#include "pipeline/job_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "core/error.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/read/packet_index.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns the sum of the sizes of a stream's packets from `from_s` on, as ffprobe reports them. A
/// packet of Matroska may have only one of its two time stamps.
std::int64_t bytes_of(const fs::path& file, int stream, double from_s = -1) {
  std::int64_t sum = 0;
  const json probed = probe(file);
  for (const json& packet : probed.at("packets")) {
    const char* const stamp = packet.contains("dts_time") ? "dts_time" : "pts_time";
    if (packet.at("stream_index") == stream &&
        std::stod(packet.at(stamp).get<std::string>()) >= from_s)
      sum += std::stoll(packet.at("size").get<std::string>());
  }
  return sum;
}

class JobTrial : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    clips_.emplace();
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=4 -f lavfi -i sine=d=4 -map 0 -map 1 -c:v libx264 "
        "-preset ultrafast -c:a aac -metadata:s:a:0 language=deu",
        clip("mp4"));
    ffmpeg("-i " + clip("mp4").string() + " -map 0 -c copy", clip("mkv"));
  }
  static void TearDownTestSuite() { clips_.reset(); }
  static fs::path clip(const std::string& extension) { return *clips_ / ("clip." + extension); }

  static pipeline::TrialResult try_job(const pipeline::JobOptions& options) {
    const auto backend = fake_backend();
    return pipeline::try_job(options, *backend, {}, {});
  }
  static pipeline::JobPreview preview(const pipeline::JobOptions& options) {
    const auto backend = fake_backend();
    return pipeline::preview_job(options, *backend, {});
  }

  static inline std::optional<TemporaryFolder> clips_;
  TemporaryFolder dir_;
};

TEST_F(JobTrial, CountsWhatTheJobWrites) {
  for (const std::string extension : {"mp4", "mkv"}) {
    SCOPED_TRACE(extension);
    const fs::path output = dir_ / ("out." + extension);
    const pipeline::JobOptions options = default_job(clip("mp4"), output);
    const pipeline::TrialResult tried = try_job(options);
    EXPECT_FALSE(fs::exists(output));
    (void)run_fake_job(options);
    // The order in which the streams are written can depend on time, and so can the bytes between
    // packets.
    EXPECT_NEAR(static_cast<double>(tried.bytes.whole), static_cast<double>(fs::file_size(output)),
                64);
    EXPECT_EQ(tried.job.ledger.written, 100);
    EXPECT_GT(tried.bytes.first_video, 0);
    EXPECT_LT(tried.bytes.first_video, tried.bytes.video);
    // The encoder begins some parts of a packet with 3 bytes. The file has 4 bytes there.
    EXPECT_NEAR(static_cast<double>(tried.bytes.video), static_cast<double>(bytes_of(output, 0)),
                100);
    EXPECT_EQ(tried.bytes.others, bytes_of(output, 1));
  }
}

TEST_F(JobTrial, CountsAllPicturesOfASequence) {
  const pipeline::JobOptions options = default_job(clip("mp4"), dir_ / "picture%03d.png");
  const pipeline::TrialResult tried = try_job(options);
  EXPECT_THAT(dir_.names(), IsEmpty());
  (void)run_fake_job(options);
  std::int64_t sum = 0;
  for (const auto& picture : fs::directory_iterator(dir_.path()))
    sum += static_cast<std::int64_t>(picture.file_size());
  EXPECT_EQ(tried.bytes.whole, sum);
  EXPECT_EQ(dir_.names().size(), 100U);
}

TEST_F(JobTrial, LeavesAnOutputThatExists) {
  const fs::path output = dir_.write("out.mp4", "mine");
  pipeline::JobOptions options = default_job(clip("mp4"), output);
  options.output.existing = ExistingTarget::replace;
  (void)try_job(options);
  EXPECT_EQ(read_file(output), "mine");
  EXPECT_THAT(dir_.names(), ElementsAre("out.mp4"));
}

TEST_F(JobTrial, CanBeStoppedAndThenCountsItsPart) {
  std::stop_source stop;
  pipeline::JobObserver observer;
  observer.frame = [&](const FrameRecord& /*record*/) { stop.request_stop(); };
  const auto backend = fake_backend();
  const pipeline::TrialResult tried = pipeline::try_job(lossless_job(clip("mp4"), dir_ / "out.mp4"),
                                                        *backend, observer, stop.get_token());
  EXPECT_TRUE(tried.job.interrupted);
  EXPECT_GT(tried.job.ledger.written, 0);
  EXPECT_LT(tried.job.ledger.written, 100);
  EXPECT_GT(tried.bytes.whole, tried.bytes.video);
  EXPECT_THAT(dir_.names(), IsEmpty());
}

// A job that is stopped hides its last frames as a whole, because it doesn't know all of their
// faces. Such frames take few bytes. If a trial hid them so, its size would not tell the size of
// the job.
TEST_F(JobTrial, HidesNoWholeFramesWhenItEndsEarly) {
  std::stop_source stop;
  pipeline::JobObserver observer;
  observer.frame = [&](const FrameRecord& record) {
    if (record.index == 20) stop.request_stop();
  };
  pipeline::JobOptions options = default_job(clip("mp4"), dir_ / "out.mkv");
  options.output.encoder = {"mjpeg", "", {}, {}};  // it encodes each frame by itself
  options.hide.emplace();
  const auto bytes_of_frame = [](const pipeline::TrialResult& tried) {
    return static_cast<double>(tried.bytes.video) / static_cast<double>(tried.job.ledger.written);
  };
  FakeBehaviour no_faces;
  no_faces.candidates_of = [](const Frame& /*frame*/) { return Detections{}; };
  const auto backend = fake_backend(no_faces);
  const pipeline::TrialResult part =
      pipeline::try_job(options, *backend, observer, stop.get_token());
  EXPECT_TRUE(part.job.interrupted);
  EXPECT_LT(part.job.ledger.written, 100);
  const double of_whole = bytes_of_frame(pipeline::try_job(options, *backend, {}, {}));
  EXPECT_NEAR(bytes_of_frame(part), of_whole, 0.05 * of_whole);
}

TEST_F(JobTrial, EndsWhenItsTimeIsOver) {
  FakeBehaviour slow;
  slow.on_collect = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  const auto backend = fake_backend(slow);
  const pipeline::JobOptions options = lossless_job(clip("mp4"), dir_ / "out.mp4");
  const pipeline::TrialResult part = pipeline::try_job(options, *backend, {}, {}, 0.2);
  EXPECT_TRUE(part.job.interrupted);
  EXPECT_GT(part.job.ledger.written, 0);
  EXPECT_LT(part.job.ledger.written, 100);
  EXPECT_GE(pipeline::try_job(options, *backend, {}, {}, 0).job.ledger.written, 1);
  const pipeline::TrialResult whole = pipeline::try_job(options, *backend, {}, {}, 1000);
  EXPECT_FALSE(whole.job.interrupted);
  EXPECT_EQ(whole.job.ledger.written, 100);
}

TEST_F(JobTrial, RefusesWhatTheJobRefuses) {
  expect_error(ErrorKind::output, "null: mp4 can't be written to a FIFO or device", [&] {
    pipeline::JobOptions options = default_job(clip("mp4"), "/dev/null");
    options.output.format = "mp4";
    (void)try_job(options);
  });
}

TEST_F(JobTrial, PreviewsTheStreams) {
  const pipeline::JobPreview mp4 = preview(default_job(clip("mp4"), dir_ / "out.mp4"));
  EXPECT_EQ(mp4.codecs.video_codec, "h264");
  EXPECT_EQ(mp4.codecs.encoder, "libx264");
  EXPECT_EQ(mp4.codecs.container, "mp4");
  EXPECT_EQ(mp4.size, (Size{64, 48}));
  EXPECT_EQ(mp4.frames, 100);
  EXPECT_EQ(mp4.frame_rate, 25);
  EXPECT_NEAR(mp4.duration_s, 4, 0.1);
  ASSERT_EQ(mp4.streams.size(), 2U);
  EXPECT_EQ(mp4.streams[0].action, "encode");
  EXPECT_EQ(mp4.streams[0].to_codec, "h264");
  EXPECT_EQ(mp4.streams[1].type, "audio");
  EXPECT_EQ(mp4.streams[1].codec, "aac");
  EXPECT_EQ(mp4.streams[1].language, "deu");
  EXPECT_EQ(mp4.streams[1].action, "copy");
  EXPECT_EQ(mp4.streams[1].note, "");
  const pipeline::JobPreview gif = preview(default_job(clip("mp4"), dir_ / "out.gif"));
  EXPECT_EQ(gif.streams.at(1).action, "drop");
  EXPECT_EQ(gif.streams.at(1).to_codec, "");
  EXPECT_THAT(gif.streams.at(1).note, HasSubstr("gif"));
  EXPECT_THAT(gif.notices, testing::Contains(HasSubstr("gif")));
  EXPECT_THAT(dir_.names(), IsEmpty());
}

TEST_F(JobTrial, PreviewsAJobWithoutVideo) {
  const pipeline::JobPreview none = preview(default_job(clip("mp4"), ""));
  EXPECT_EQ(none.codecs.encoder, "");
  EXPECT_THAT(none.streams, IsEmpty());
  EXPECT_EQ(none.frames, 100);
  EXPECT_FALSE(none.copied_bytes);
}

TEST_F(JobTrial, KnowsTheBytesOfCopiedStreamsByTheIndexOfMp4) {
  pipeline::JobOptions options = default_job(clip("mp4"), dir_ / "out.mp4");
  EXPECT_EQ(preview(options).copied_bytes, bytes_of(clip("mp4"), 1));
  options.input.start_s = 2;
  EXPECT_EQ(preview(options).copied_bytes, bytes_of(clip("mp4"), 1, 2));
  EXPECT_EQ(preview(default_job(clip("mkv"), dir_ / "out.mkv")).copied_bytes, std::nullopt);
}

TEST_F(JobTrial, ReadsFragmentsOfMp4OnlyIfItKnowsAllOfThem) {
  ffmpeg("-i " + clip("mp4").string() + " -map 0 -c copy -movflags frag_keyframe+empty_moov",
         dir_ / "fragments.mp4");
  const auto bytes = preview(default_job(dir_ / "fragments.mp4", dir_ / "out.mp4")).copied_bytes;
  EXPECT_EQ(bytes.value_or(bytes_of(clip("mp4"), 1)), bytes_of(clip("mp4"), 1));
}

}  // namespace
}  // namespace facepipe::test
