// These tests hide faces with several lanes. The result must equal that of one lane, even with
// cuts, damage, limits, or failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/files/output_names.h"
#include "tests/pipeline/lane_rows.h"
#include "tests/pipeline/named_backend.h"
#include "tests/support/clips.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/forwarding_backend.h"
#include "tests/support/job.h"
#include "tests/support/packets.h"
#include "tests/support/picture_faces.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

class HideLaneRows : public testing::TestWithParam<LaneRow> {};

TEST_P(HideLaneRows, HideAndTellWhatOneLaneDoes) {
  video::redirect_ffmpeg_log();
  const TemporaryFolder folder;
  expect_as_one_lane(GetParam(), folder.path(), *picture_backend(), {2, 7}, let_hide);
}

std::string name_of(const testing::TestParamInfo<LaneRow>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(H264, HideLaneRows, testing::ValuesIn(h264_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Hevc, HideLaneRows, testing::ValuesIn(hevc_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Others, HideLaneRows, testing::ValuesIn(other_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Broken, HideLaneRows, testing::ValuesIn(broken_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Ranges, HideLaneRows, testing::ValuesIn(range_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Sound, HideLaneRows, testing::ValuesIn(sound_rows()), name_of);

constexpr int kLanes = 4;
constexpr std::int64_t kFrames = 400;
constexpr int kWidth = 96;
constexpr int kHeight = 64;
constexpr std::int64_t kBytesOfFrame = std::int64_t{kWidth} * kHeight * 3;
constexpr int kAhead = 14;   // frames of the look-ahead
constexpr int kOfHead = 16;  // additional frames for the segment whose turn it is
constexpr int kOfLane = 32;  // least number of frames for each lane after the first

class HideLanes : public testing::Test {
 protected:
  // The clip has no B pictures. If it had B pictures, a stop would lose pictures even with one
  // lane: those that are shown before the last picture that was read.
  static void SetUpTestSuite() {
    video::redirect_ffmpeg_log();
    folder_.emplace();
    ffmpeg(source("96x64", 16) +
               "-f lavfi -i sine=d=16 -c:a mp2 -c:v libx264 -preset veryfast -threads 1 -bf 0 "
               "-x264-params keyint=40:min-keyint=40:scenecut=0",
           clip());
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static fs::path clip() { return *folder_ / "clip.mkv"; }

  /// Returns the path of the complete output of one lane. The first call makes this file.
  static fs::path whole_file() {
    fs::path file = *folder_ / "whole.avi";
    if (!fs::exists(file)) (void)run(job(file, 1), *picture_backend());
    return file;
  }

  static pipeline::JobOptions job(const fs::path& output, int lanes) {
    pipeline::JobOptions options = lossless_job(clip(), output);
    options.output.encoder = {"mjpeg", "", {}, {}};
    options.resources.lanes = lanes;
    options.resources.threads = 2;
    let_hide(options);
    return options;
  }
  [[nodiscard]] pipeline::JobOptions job() const { return job(out_ / "out.avi", kLanes); }

  static JobRun run(const pipeline::JobOptions& options, pipeline::Backend& backend,
                    const std::function<void(const FrameRecord&)>& on_frame = {},
                    const std::stop_token& stop = {}) {
    JobRun made;
    pipeline::JobObserver observer;
    observer.frame = [&](const FrameRecord& record) {
      made.records.push_back(record);
      if (on_frame) on_frame(record);
    };
    made.result = pipeline::run_job(options, backend, observer, stop);
    EXPECT_EQ(video::live_frames(), 0);
    return made;
  }

  static std::vector<FilePacket> video_of(const fs::path& file) {
    std::vector<FilePacket> packets = packets_of(file);
    std::erase_if(packets, [](const FilePacket& packet) { return packet.stream != 0; });
    return packets;
  }

  /// Expects that a run's output equals the first frames of one lane's output. The last `unsure`
  /// frames may differ, because the job decided about them without all later frames.
  static void expect_first_frames(const JobRun& run, std::int64_t least, std::int64_t most,
                                  std::int64_t unsure) {
    const std::vector<FilePacket> packets = video_of(run.result.output);
    const std::vector<FilePacket> whole = video_of(whole_file());
    ASSERT_EQ(std::ssize(whole), kFrames);
    EXPECT_GE(std::ssize(packets), least);
    EXPECT_LE(std::ssize(packets), most);
    EXPECT_EQ(std::ssize(packets), run.result.ledger.written);
    const auto differs = std::ranges::mismatch(packets, whole).in1;
    EXPECT_GE(differs - packets.begin(), std::ssize(packets) - unsure)
        << "the first frame that differs of " << packets.size();
    ASSERT_EQ(run.records.size(), packets.size());
    for (std::size_t i = 0; i < run.records.size(); ++i)
      EXPECT_EQ(run.records[i].index, static_cast<std::int64_t>(i));
  }

  /// Expects that a failed run has kept its first frames in a partial file.
  static void expect_part(const JobRun& run, const pipeline::JobOptions& options,
                          std::int64_t least, std::int64_t most) {
    ASSERT_TRUE(run.result.failure);
    EXPECT_THAT(run.result.failure->what(), HasSubstr("out of order"));
    EXPECT_FALSE(run.result.interrupted);
    EXPECT_EQ(run.result.output, partial_name(options.output.path, 1));
    expect_first_frames(run, least, most, kAhead);
    fs::remove(run.result.output);
  }

  static inline std::optional<TemporaryFolder> folder_;
  TemporaryFolder out_;
};

TEST_F(HideLanes, HideWhatIsKnownAsOneLaneDoes) {
  const auto backend = picture_backend();
  pipeline::JobOptions tracking = job("", 1);
  const JobRun found = run(tracking, *backend);
  ASSERT_TRUE(found.result.tracks);
  auto known = std::make_shared<pipeline::KnownTracks>();
  known->name = "t.json";
  known->file = *found.result.tracks;
  known->file.input.frames = kFrames - 30;  // the tracks don't cover the last 30 frames
  const auto hide = [&](const char* name, int lanes) {
    pipeline::JobOptions options = job(out_ / name, lanes);
    options.hide->wants_tracks = false;
    options.hide->known = known;
    JobRun made = run(options, *backend);
    EXPECT_THAT(made.result.notices,
                Contains("30 frames are not in t.json: facepipe hides them as a whole"));
    EXPECT_EQ(made.result.resources.lanes.count, lanes);
    return made;
  };
  const JobRun one = hide("one.avi", 1);
  const JobRun several = hide("several.avi", kLanes);
  EXPECT_EQ(read_file(out_ / "several.avi"), read_file(out_ / "one.avi"));
  EXPECT_EQ(several.result.counts.faces, one.result.counts.faces);
}

TEST_F(HideLanes, KeepRegionsToTheirTimes) {
  const auto hide = [&](const char* name, int lanes) {
    pipeline::JobOptions options = job(out_ / name, lanes);
    options.hide->regions.hidden = {{"desk", {10, 10, 50, 30}, {1.5, 7.3}}};
    options.hide->regions.kept = {{"poster", {0, 0, 40, 64}, {4, 9.9}}};
    options.hide->regions.all_hidden = {{3.1, 3.9}, {12, {}}};
    (void)run(options, *picture_backend());
    return read_file(out_ / name);
  };
  EXPECT_EQ(hide("one.avi", 1), hide("several.avi", kLanes));
}

TEST_F(HideLanes, TrackAWholeFileAsOneLaneDoes) {
  const auto track = [&](int lanes) {
    pipeline::JobOptions options = job("", lanes);
    options.hide->tracks.look_ahead_s = std::numeric_limits<double>::infinity();
    const JobRun made = run(options, *picture_backend());
    EXPECT_EQ(made.result.resources.lanes.count, lanes);
    EXPECT_EQ(std::ssize(made.records), kFrames);
    return made.result.tracks;
  };
  const auto one = track(1);
  const auto several = track(kLanes);
  ASSERT_TRUE(one && several);
  EXPECT_TRUE(*one == *several);
}

// Each lane after the first needs memory for frames that wait for the turn of their segment.
TEST_F(HideLanes, AreAsManyAsThereIsMemoryFor) {
  const std::string expected = read_file(whole_file());
  for (const int lanes : {1, 2, 3})
    for (const int missing : {0, 1}) {
      const int room = kAhead + kOfHead + kOfLane * (lanes - 1 + missing) - missing;
      SCOPED_TRACE(std::to_string(room) + " frames");
      pipeline::JobOptions options = job();
      options.hide->most_bytes = room * kBytesOfFrame;
      const JobRun made = run(options, *picture_backend());
      EXPECT_EQ(made.result.resources.lanes.count, lanes);
      EXPECT_THAT(
          made.result.notices,
          Contains(std::to_string(lanes) + (lanes == 1 ? " lane" : " lanes") +
                   " instead of 4: --lookahead-memory has no room for the frames of more lanes"));
      EXPECT_EQ(made.result.resources.lanes.why_one.empty(), lanes > 1);
      EXPECT_EQ(read_file(out_ / "out.avi"), expected);
    }
}

// Without a video, frames keep their pictures until second looks have been taken at them.
TEST_F(HideLanes, CountPicturesForSecondLooks) {
  pipeline::JobOptions options = job("", kLanes);
  options.hide->most_bytes = (kOfHead + kOfLane) * kBytesOfFrame;
  EXPECT_EQ(run(options, *picture_backend()).result.resources.lanes.count, 2);
}

TEST_F(HideLanes, AreOneWhereThereIsMemoryForNothing) {
  pipeline::JobOptions options = job();
  options.hide->most_bytes = 0;
  const JobRun made = run(options, *picture_backend());
  EXPECT_EQ(made.result.resources.lanes.count, 1);
  EXPECT_THAT(made.result.notices, Contains(HasSubstr("the look-ahead is 1 frames")));
  EXPECT_EQ(made.result.ledger.written, kFrames);
}

// Lanes and encoders hold a few frames in addition to those that the limit counts.
TEST_F(HideLanes, HoldNoMoreFramesThanThereIsMemoryFor) {
  constexpr int kBeside = 12;  // for each lane: frames in its decoder, its queues and its encoder
  for (const int lanes : {1, 2, kLanes}) {
    std::atomic<std::int64_t> most = 0;
    FakeBehaviour behaviour;
    behaviour.on_collect = [&] {
      const std::int64_t now = video::live_frames();
      for (std::int64_t before = most; before < now && !most.compare_exchange_weak(before, now);) {
      }
    };
    const int room = kAhead + kOfHead + kOfLane * (lanes - 1);
    pipeline::JobOptions options = job(out_ / "out.avi", lanes);
    options.hide->most_bytes = room * kBytesOfFrame;
    const auto backend = fake_backend(behaviour);
    EXPECT_EQ(run(options, *backend).result.resources.lanes.count, lanes);
    EXPECT_LE(most, room + lanes * kBeside);
  }
}

/// Returns a function that throws after `calls` calls by all lanes together.
std::function<void()> fails_after(int calls) {
  return [calls, made = std::make_shared<std::atomic<int>>(0)] {
    if (++*made > calls) throw Error(ErrorKind::device, "out of order");
  };
}

/// Returns a detector whose faces depend on the picture, for tests that make it fail.
FakeBehaviour of_pictures() {
  FakeBehaviour behaviour;
  behaviour.candidates_of = faces_of_picture;
  return behaviour;
}

// The lane that fails can be far ahead of the others. The job keeps all frames of the segments
// before the lane's segment. It also keeps the frames of the lane's segment that the lane had
// finished.
TEST_F(HideLanes, WhereDetectionFailsWhatIsHiddenIsKept) {
  for (const int calls : {100, 250, 399})
    for (const int step : {0, 1, 2}) {
      SCOPED_TRACE("step " + std::to_string(step) + ", " + std::to_string(calls));
      FakeBehaviour behaviour = of_pictures();
      if (step == 0) behaviour.on_prepare = [fail = fails_after(calls)](const Frame&) { fail(); };
      if (step == 1) behaviour.on_start = fails_after(calls);
      if (step == 2) behaviour.on_collect = fails_after(calls);
      const auto backend = fake_backend(behaviour);
      expect_part(run(job(), *backend), job(), 1, calls);
    }
}

// The job must keep exactly the frames before the failure, because all lanes can still finish them.
TEST_F(HideLanes, WhereOneFrameFailsAllBeforeItAreKept) {
  for (const std::int64_t frame : {1, 39, 40, 41, 170, 399}) {
    SCOPED_TRACE("frame " + std::to_string(frame));
    std::vector<std::size_t> hashes;
    FakeBehaviour look = of_pictures();
    look.on_prepare = [&](const Frame& picture) { hashes.push_back(hash_of_picture(picture)); };
    (void)run(job(out_ / "look.avi", 1), *fake_backend(look));
    fs::remove(out_ / "look.avi");
    ASSERT_EQ(std::ssize(hashes), kFrames);
    FakeBehaviour behaviour = of_pictures();
    behaviour.on_prepare = [&](const Frame& picture) {
      if (hash_of_picture(picture) == hashes[static_cast<std::size_t>(frame)])
        throw Error(ErrorKind::device, "out of order");
    };
    const auto backend = fake_backend(behaviour);
    expect_part(run(job(), *backend), job(), frame, frame);
  }
}

TEST_F(HideLanes, WhereTrackingFailsWhatIsHiddenIsKept) {
  FakeBehaviour behaviour = of_pictures();
  Detections many;
  for (int i = 0; i < 5000; ++i) {
    const auto x = static_cast<float>(i % 1000) * 3;
    const auto y = static_cast<float>(i) / 1000 * 3;
    many.push_back({x, y, x + 2, y + 2}, 0.9F, Landmarks{});
  }
  behaviour.candidates_of = [&, calls = std::make_shared<std::atomic<int>>(0)](const Frame& frame) {
    return ++*calls > 200 ? many : faces_of_picture(frame);
  };
  const auto backend = fake_backend(behaviour);
  const JobRun made = run(job(), *backend);
  ASSERT_TRUE(made.result.failure);
  EXPECT_EQ(made.result.failure->kind(), ErrorKind::device);
  expect_first_frames(made, 1, 200, 0);
}

/// This backend is the CPU's, with an encoder that fails after `calls` calls in all lanes together.
class FailingEncoderBackend final : public ForwardingBackend {
 public:
  FailingEncoderBackend(std::unique_ptr<pipeline::Backend> real, int calls)
      : ForwardingBackend(std::move(real)), fail_(fails_after(calls)) {}
  [[nodiscard]] std::unique_ptr<video::Encoder> make_encoder(const video::EncoderSetup& setup,
                                                             const Frame& first,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    return std::make_unique<CalledEncoder>(
        ForwardingBackend::make_encoder(setup, first, notices, copies), fail_);
  }

 private:
  std::function<void()> fail_;
};

TEST_F(HideLanes, WhereEncodingFailsWhatIsHiddenIsKept) {
  for (const int calls : {60, 200, 390}) {
    SCOPED_TRACE(calls);
    FailingEncoderBackend backend(picture_backend(), calls);
    expect_part(run(job(), backend), job(), 1, calls);
  }
}

TEST_F(HideLanes, WhereNothingIsWrittenYetNothingIsLeftOfAFailure) {
  FakeBehaviour behaviour = of_pictures();
  behaviour.on_collect = fails_after(0);
  EXPECT_THROW((void)run(job(), *fake_backend(behaviour)), Error);
  EXPECT_THAT(out_.names(), IsEmpty());
}

TEST_F(HideLanes, AnotherExceptionLeavesNothing) {
  FakeBehaviour behaviour = of_pictures();
  behaviour.on_collect = [calls = std::make_shared<std::atomic<int>>(0)] {
    if (++*calls == 200) throw std::runtime_error("a mistake");
  };
  EXPECT_THROW((void)run(job(), *fake_backend(behaviour)), std::runtime_error);
  EXPECT_EQ(video::live_frames(), 0);
  EXPECT_THAT(out_.names(), IsEmpty());
}

TEST_F(HideLanes, AFailureOfTrackingAloneLeavesNothing) {
  FakeBehaviour behaviour = of_pictures();
  behaviour.on_collect = fails_after(200);
  EXPECT_THROW((void)run(job("", kLanes), *fake_backend(behaviour)), Error);
  EXPECT_EQ(video::live_frames(), 0);
}

TEST_F(HideLanes, AStopLeavesTheFirstFrames) {
  for (const std::int64_t frame : {0, 50, 130}) {
    SCOPED_TRACE("at frame " + std::to_string(frame));
    std::stop_source stop;
    const auto backend = picture_backend();
    const JobRun made = run(
        job(), *backend,
        [&](const FrameRecord& record) {
          if (record.index == frame) stop.request_stop();
        },
        stop.get_token());
    EXPECT_TRUE(made.result.interrupted);
    expect_first_frames(made, frame + 1, kFrames, kAhead);
    fs::remove(made.result.output);
  }
}

TEST_F(HideLanes, AFullDiskLeavesTheFirstFrames) {
  const std::uintmax_t size = fs::file_size(whole_file());
  JobRun made;
  {
    const FileSizeLimit limit(size / 2);
    made = run(job(), *picture_backend());
  }
  ASSERT_TRUE(made.result.failure);
  EXPECT_EQ(made.result.failure->kind(), ErrorKind::output);
  expect_first_frames(made, 20, kFrames - 1, 0);
}

// All lanes run on one of the devices, because one device must follow all faces.
TEST_F(HideLanes, AreOfOneDevice) {
  std::vector<NamedBackend*> devices;
  const auto backend = join_named({2, 3}, devices);
  const JobRun made = run(job(), *backend);
  EXPECT_EQ(made.result.resources.lanes.count, kLanes);
  ASSERT_EQ(made.result.resources.devices.size(), 1U);
  EXPECT_EQ(to_string(made.result.resources.devices.front().device), "cuda:0");
  EXPECT_EQ(made.result.resources.devices.front().frames, kFrames);
  EXPECT_EQ(devices[1]->decoders_made, 0);
  EXPECT_THAT(made.result.notices,
              Contains("only cuda:0 works on it: faces are followed on one device"));
}

/// Changes the job's input to a longer clip, for which a job uses several lanes by default.
pipeline::JobOptions longer(pipeline::JobOptions options, const fs::path& clip) {
  ffmpeg(source("96x64", 40) + kClosed, clip);
  options.input.name = clip.string();
  return options;
}

// By default, the job has as many lanes as the first device has decoders.
TEST_F(HideLanes, AreTheFirstDevicesByThemselves) {
  std::vector<NamedBackend*> devices;
  const auto backend = join_named({2, 3}, devices);
  const pipeline::JobOptions options = longer(job(out_ / "out.avi", 0), out_ / "long.mkv");
  EXPECT_EQ(run(options, *backend).result.resources.lanes.count, 2);
  EXPECT_EQ(devices[1]->decoders_made, 0);
}

// Lanes of other devices don't help with the job.
TEST_F(HideLanes, JoinAJobOnItsDevice) {
  std::vector<NamedBackend*> devices;
  const auto backend = join_named({2, 2}, devices);
  for (NamedBackend* device : devices)
    device->on_call = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  PermitPool lanes(4);
  const PermitPool::Permit own = lanes.acquire({});
  pipeline::JobOptions options = longer(job(out_ / "out.avi", 0), out_ / "long.mkv");
  options.resources.shared.emplace(pipeline::SharedLanes{lanes, 4, own.number(), true});
  const JobRun made = run(options, *backend);
  EXPECT_EQ(made.result.resources.lanes.count, 2);
  ASSERT_EQ(made.result.resources.devices.size(), 1U);
  EXPECT_EQ(made.result.resources.devices.front().device.index, own.number() % 2);
  options.output.path = out_ / "one.avi";
  options.resources.shared.reset();
  options.resources.lanes = 1;
  (void)run(options, *fake_backend());
  EXPECT_EQ(read_file(out_ / "out.avi"), read_file(out_ / "one.avi"));
}

}  // namespace
}  // namespace facepipe::test
