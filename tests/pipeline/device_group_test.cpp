// These tests run a job on several devices, which get lanes in turn. The result must equal that of
// one device.
#include "pipeline/device_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tests/pipeline/named_backend.h"
#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/packets.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class DeviceGroup : public testing::Test {
 protected:
  static constexpr int kFrames = 960;

  static void SetUpTestSuite() { make_clip(kFrames); }
  static void TearDownTestSuite() { folder_.reset(); }
  static void make_clip(int frames) {
    video::redirect_ffmpeg_log();
    folder_.emplace();
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25 -frames:v " + std::to_string(frames) +
               " -c:v libx264 -preset veryfast -threads 1 "
               "-x264-params keyint=40:min-keyint=40:scenecut=0",
           clip());
  }
  static std::filesystem::path clip() { return *folder_ / "clip.mkv"; }

  /// Makes a group of devices with these numbers of decoders.
  std::unique_ptr<pipeline::Backend> group(const std::vector<int>& decoders,
                                           const FakeBehaviour& last = {}) {
    return join_named(decoders, devices_, last);
  }

  pipeline::JobOptions job(int lanes, const std::filesystem::path& output = {}) const {
    pipeline::JobOptions options = lossless_job(clip(), output);
    options.output.encoder = {"mjpeg", "", {}, {}};
    options.resources.lanes = lanes;
    options.resources.threads = 2;
    return options;
  }

  JobRun run(const pipeline::JobOptions& options, pipeline::Backend& backend) const {
    JobRun result;
    pipeline::JobObserver observer;
    observer.frame = [&](const FrameRecord& record) { result.records.push_back(record); };
    result.result = pipeline::run_job(options, backend, observer, {});
    return result;
  }

  static inline std::optional<TemporaryFolder> folder_;
  std::vector<NamedBackend*> devices_;
  TemporaryFolder out_;
};

TEST_F(DeviceGroup, OfOneDeviceIsThatDevice) {
  const auto backend = group({3});
  EXPECT_EQ(backend.get(), devices_.front());
}

TEST_F(DeviceGroup, CountsWhatADetectorCopies) {
  FakeBehaviour behaviour;
  behaviour.copied = [](CopyCounter& copies) {
    copies.add(CopyKind::network_input, 1000);
    copies.add(CopyKind::network_output, 10);
    copies.add(CopyKind::network_output, 20);
  };
  const auto copied = [](const pipeline::JobResult& result, const std::string& kind) {
    const auto found = std::ranges::find(result.resources.copies, kind, &pipeline::CopySum::kind);
    return std::pair(found->calls, found->bytes);
  };
  const pipeline::JobResult result = run(job(1), *group({1}, behaviour)).result;
  constexpr std::int64_t kSearched = kFrames;
  EXPECT_EQ(copied(result, "network_input"), std::pair(kSearched, 1000 * kSearched));
  EXPECT_EQ(copied(result, "network_output"), std::pair(2 * kSearched, 30 * kSearched));
}

TEST_F(DeviceGroup, SharesTheLanesOfAJob) {
  const auto backend = group({2, 2});
  const JobRun made = run(job(3, out_ / "out.avi"), *backend);
  EXPECT_EQ(made.result.resources.lanes.count, 3);
  EXPECT_EQ(devices_[0]->decoders_made + devices_[1]->decoders_made, 3);
  EXPECT_EQ(devices_[0]->encoders_made, 2);
  EXPECT_EQ(devices_[1]->encoders_made, 1);
  EXPECT_EQ(devices_[0]->processors_made, 2);
  EXPECT_EQ(devices_[1]->processors_made, 1);
  ASSERT_EQ(made.result.resources.devices.size(), 2U);
  EXPECT_EQ(to_string(made.result.resources.devices[1].device), "cuda:1");
  EXPECT_EQ(made.result.resources.devices[0].lanes, 2);
  EXPECT_EQ(made.result.resources.devices[1].lanes, 1);
  EXPECT_EQ(made.result.resources.devices[0].frames + made.result.resources.devices[1].frames,
            kFrames);
  const auto uploads =
      std::ranges::find(made.result.resources.copies, "upload", &pipeline::CopySum::kind);
  ASSERT_NE(uploads, made.result.resources.copies.end());
  EXPECT_EQ(uploads->calls, 3) << "one a decoder";
  EXPECT_EQ(uploads->bytes, 300);
}

TEST_F(DeviceGroup, MakesWhatOneDeviceMakes) {
  const auto one = group({1});
  const JobRun expected = run(job(1, out_ / "one.avi"), *one);
  const auto several = group({1, 1, 1});
  const JobRun made = run(job(3, out_ / "several.avi"), *several);
  EXPECT_EQ(read_file(out_ / "several.avi"), read_file(out_ / "one.avi"));
  ASSERT_EQ(made.records.size(), static_cast<std::size_t>(kFrames));
  for (std::size_t i = 0; i < made.records.size(); ++i) {
    EXPECT_EQ(made.records[i].index, expected.records[i].index);
    EXPECT_EQ(made.records[i].pts_s, expected.records[i].pts_s);
    EXPECT_EQ(made.records[i].device.index, made.records[i].lane % 3);
  }
}

// Without a number of lanes, the job uses the decoders of all devices if the input is long enough.
TEST_F(DeviceGroup, CountsTheDecodersOfAll) {
  EXPECT_EQ(run(job(0), *group({2, 1})).result.resources.lanes.count, 3);
  EXPECT_EQ(run(job(0), *group({7, 7})).result.resources.lanes.count, kFrames / 250);
  EXPECT_EQ(run(job(0), *group({1, 0})).result.resources.lanes.count, 1);
}

TEST_F(DeviceGroup, TellsThatTheOthersHaveNothingToDo) {
  pipeline::JobOptions options = job(0, out_ / "out.mkv");
  options.output.encoder = {"libx264", "ultrafast", {}, {}};
  const JobRun made = run(options, *group({2, 2}));
  EXPECT_EQ(made.result.resources.lanes.count, 1);
  EXPECT_THAT(made.result.notices,
              Contains("only cuda:0 works on it: libx264 needs the pictures in their order"));
}

TEST_F(DeviceGroup, EndsWithAFailureThatIsNoDevices) {
  FakeBehaviour fails;
  fails.on_collect = [] { throw std::runtime_error("the second device's lane has failed"); };
  const auto backend = group({1, 1}, fails);
  EXPECT_THAT([&] { (void)run(job(2, out_ / "out.avi"), *backend); },
              testing::ThrowsMessage<std::runtime_error>("the second device's lane has failed"));
  EXPECT_THAT(out_.names(), IsEmpty());
}

/// Returns a text with the parts of a result that are the same for all devices.
std::string told(const JobRun& run) {
  const video::FrameLedger& ledger = run.result.ledger;
  std::string text;
  for (const std::int64_t number :
       {ledger.packets, ledger.decoded, ledger.lost, ledger.damaged, ledger.written,
        run.result.counts.faces, run.result.resources.cuts})
    text += std::to_string(number) + ' ';
  for (const FrameRecord& record : run.records)
    text += std::to_string(record.index) + '@' + std::to_string(record.pts_s) + ' ';
  return text;
}

class FailingDevice : public DeviceGroup {
 protected:
  // The clip gives each lane three segments. It is short, because the job is repeated for many
  // failing calls.
  static constexpr int kFrames = 480;

  static void SetUpTestSuite() { make_clip(kFrames); }

  FailingDevice() : expected_(run(job(2, out_ / "whole.avi"), *group({1, 1}))) {
    video::redirect_ffmpeg_log();
    expected_bytes_ = read_file(out_ / "whole.avi");
  }

  /// Returns the job that each test runs, with or without video output.
  pipeline::JobOptions failing_job(bool video) const {
    return job(4, video ? out_ / "out.avi" : std::filesystem::path());
  }

  void expect_whole(const JobRun& made, bool video) const {
    if (video) {
      EXPECT_EQ(read_file(out_ / "out.avi"), expected_bytes_);
      EXPECT_EQ(told(made), told(expected_));
    } else {
      EXPECT_EQ(made.records.size(), static_cast<std::size_t>(kFrames));
      EXPECT_EQ(made.result.ledger.decoded, kFrames);
      EXPECT_EQ(made.result.ledger.packets, kFrames);
    }
    EXPECT_EQ(video::live_frames(), 0);
  }

  /// Runs a job in which the second device's n-th call and all its later calls throw. Returns
  /// whether there was an n-th call.
  bool fail_call(std::int64_t n, bool video) {
    const auto backend = group({2, 2});
    const auto calls = std::make_shared<std::atomic<std::int64_t>>(0);
    devices_[1]->on_call = [calls, n] {
      if (++*calls >= n) throw Error(ErrorKind::device, "call " + std::to_string(n));
    };
    const JobRun made = run(failing_job(video), *backend);
    expect_whole(made, video);
    const bool failed = *calls >= n;
    const std::string failure = made.result.resources.devices.back().failure;
    EXPECT_EQ(failure, failed ? "call " + std::to_string(n) : "") << n;
    EXPECT_EQ(to_string(made.result.resources.devices.back().device), "cuda:1");
    if (failed) {
      EXPECT_THAT(made.result.notices, Contains(HasSubstr("cuda:1 failed: call ")));
    } else {
      EXPECT_THAT(made.result.notices, Not(Contains(HasSubstr("failed"))));
    }
    return failed;
  }

  JobRun expected_;
  std::string expected_bytes_;
};

// Any call can be the first one that fails, from making the first decoder to the last frame. The
// other devices do the remaining work.
TEST_F(FailingDevice, AtEachCallLeavesNothingOut) {
  for (const bool video : {true, false}) {
    std::int64_t n = 1;
    while (n < 5000 && fail_call(n, video)) n = n < 24 ? n + 1 : n * 5 / 4;
    EXPECT_GT(n, 100) << "calls that failed";
  }
}

TEST_F(FailingDevice, GetsNoFurtherJob) {
  const auto backend = group({2, 2});
  bool fails = true;
  devices_[1]->on_call = [&fails] {
    if (fails) throw Error(ErrorKind::device, "gone");
  };
  (void)run(failing_job(true), *backend);
  fails = false;
  const JobRun second = run(failing_job(true), *backend);
  expect_whole(second, true);
  EXPECT_EQ(second.result.resources.devices.size(), 1U);
  EXPECT_THAT(second.result.notices, Not(Contains(HasSubstr("failed"))));
}

TEST_F(FailingDevice, TheLastOneEndsTheJob) {
  for (const std::int64_t n : {30, 300}) {
    const auto backend = group({2, 2});
    for (NamedBackend* device : devices_)
      device->on_call = [calls = std::make_shared<std::atomic<std::int64_t>>(0), n] {
        if (++*calls >= n) throw Error(ErrorKind::device, "out of memory");
      };
    try {
      (void)run(failing_job(true), *backend);
      ADD_FAILURE() << "no exception";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_THAT(error.what(), HasSubstr("out of memory"));
    }
    EXPECT_EQ(video::live_frames(), 0);
    EXPECT_THAT(out_.names(), testing::ElementsAre("whole.avi"));
  }
}

// Frames of the failed device that are already written must not be written again. The same is true
// for packets of other streams.
TEST_F(FailingDevice, KeepsSoundInItsPlace) {
  const std::filesystem::path clip = out_ / "sound.mkv";
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x64:r=25:d=20 -f lavfi -i sine=d=20 -c:a mp2 -c:v libx264 -threads "
      "1 -bf 3 -x264-params keyint=40:min-keyint=40:scenecut=0:open-gop=1",
      clip);
  pipeline::JobOptions options = failing_job(true);
  options.input.name = clip.string();
  (void)run(options, *group({2, 2}));
  const std::string expected = read_file(options.output.path);
  for (const std::int64_t n : {40, 200, 600}) {
    const auto backend = group({2, 2});
    devices_[1]->on_call = [calls = std::make_shared<std::atomic<std::int64_t>>(0), n] {
      if (++*calls >= n) throw Error(ErrorKind::device, "gone");
    };
    const JobRun made = run(options, *backend);
    EXPECT_FALSE(made.result.resources.devices.back().failure.empty());
    EXPECT_EQ(read_file(options.output.path), expected) << n;
  }
}

}  // namespace
}  // namespace facepipe::test
