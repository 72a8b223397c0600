// These tests check lanes that the jobs of a run share. A job begins with one lane, and other lanes
// join it when they are free.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "core/error.h"
#include "tests/pipeline/named_backend.h"
#include "tests/support/clips.h"
#include "tests/support/packets.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

constexpr int kFrames = 1000;

class SharedLanesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    video::redirect_ffmpeg_log();
    folder_.emplace();
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=40 -c:v libx264 -preset veryfast -threads 1 "
        "-x264-params keyint=40:min-keyint=40:scenecut=0",
        clip());
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::filesystem::path clip() { return *folder_ / "clip.mkv"; }

  /// Makes a group of devices with these numbers of decoders.
  std::unique_ptr<pipeline::Backend> devices(const std::vector<int>& decoders) {
    return join_named(decoders, devices_);
  }

  pipeline::JobOptions job(const char* output, pipeline::SharedLanes shared) const {
    pipeline::JobOptions options = lossless_job(clip(), out_ / output);
    options.output.encoder = {"mjpeg", "", {}, {}};
    options.resources.threads = 2;
    options.resources.shared = std::move(shared);
    return options;
  }

  JobRun run(const pipeline::JobOptions& options, pipeline::Backend& backend,
             const std::function<void(const FrameRecord&)>& on_frame = {}) {
    JobRun made;
    pipeline::JobObserver observer;
    observer.frame = [&](const FrameRecord& record) {
      made.records.push_back(record);
      if (on_frame) on_frame(record);
    };
    made.result = pipeline::run_job(options, backend, observer, {});
    EXPECT_EQ(video::live_frames(), 0);
    return made;
  }

  /// Returns the output of one lane for the clip.
  std::string expected() {
    const auto alone = devices({1});
    pipeline::JobOptions options = job("expected.avi", {PermitPool(1), 1, 0, false});
    options.resources.shared.reset();
    (void)run(options, *alone);
    return read_file(out_ / "expected.avi");
  }

  static std::set<int> lanes_of(const JobRun& run) {
    std::set<int> lanes;
    for (const FrameRecord& record : run.records) lanes.insert(record.lane);
    return lanes;
  }

  TemporaryFolder out_;
  std::vector<NamedBackend*> devices_;
  static inline std::optional<TemporaryFolder> folder_;
};

TEST_F(SharedLanesTest, AJobThatMayNotGrowHasItsOwn) {
  const auto backend = devices({4});
  PermitPool lanes(4);
  const PermitPool::Permit own = lanes.acquire({});
  const JobRun made = run(job("out.avi", {lanes, 4, own.number(), false}), *backend);
  EXPECT_EQ(made.result.resources.lanes.count, 1);
  EXPECT_EQ(made.result.resources.lanes.why_one, "other inputs have the other lanes");
  EXPECT_EQ(lanes_of(made), std::set{own.number()});
  EXPECT_EQ(devices_[0]->decoders_made, 1);
  EXPECT_EQ(read_file(out_ / "out.avi"), expected());
}

TEST_F(SharedLanesTest, FreeOnesJoin) {
  const auto backend = devices({3});
  for (NamedBackend* device : devices_) device->on_call = [] { std::this_thread::sleep_for(1ms); };
  PermitPool lanes(3);
  const PermitPool::Permit own = lanes.acquire({});
  const JobRun made = run(job("out.avi", {lanes, 3, own.number(), true}), *backend);
  EXPECT_EQ(made.result.resources.lanes.count, 3);
  EXPECT_EQ(lanes_of(made), (std::set{0, 1, 2}));
  EXPECT_EQ(made.result.ledger.decoded, kFrames);
  EXPECT_EQ(made.result.ledger.packets, kFrames);
  EXPECT_EQ(read_file(out_ / "out.avi"), expected());
}

// The second lane is in use at first, and is returned in the middle of the job.
TEST_F(SharedLanesTest, JoinInMidJobAndAreGivenBack) {
  const auto backend = devices({2});
  devices_[0]->on_call = [] { std::this_thread::sleep_for(1ms); };
  PermitPool lanes(2);
  const PermitPool::Permit own = lanes.acquire({});
  PermitPool::Permit other = lanes.acquire({});
  const JobRun made =
      run(job("out.avi", {lanes, 2, own.number(), true}), *backend, [&](const FrameRecord& record) {
        if (record.index == 100) other.release();
      });
  EXPECT_EQ(lanes_of(made).size(), 2U);
  for (const FrameRecord& record : made.records)
    if (record.index <= 100) {
      EXPECT_EQ(record.lane, own.number());
    }
  EXPECT_EQ(read_file(out_ / "out.avi"), expected());
  std::stop_source never;
  never.request_stop();
  EXPECT_NO_THROW((void)lanes.acquire(never.get_token())) << "free again";
}

TEST_F(SharedLanesTest, AreNotWaitedFor) {
  const auto backend = devices({4});
  PermitPool lanes(4);
  std::vector<PermitPool::Permit> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(lanes.acquire({}));
  const JobRun made = run(job("out.avi", {lanes, 4, taken[2].number(), true}), *backend);
  EXPECT_EQ(made.result.resources.lanes.count, 1);
  EXPECT_EQ(lanes_of(made), std::set{taken[2].number()});
  EXPECT_EQ(read_file(out_ / "out.avi"), expected());
}

TEST_F(SharedLanesTest, AreOfTheDeviceOfTheirNumber) {
  const auto backend = devices({2, 2});
  for (NamedBackend* device : devices_) device->on_call = [] { std::this_thread::sleep_for(1ms); };
  PermitPool lanes(4);
  std::vector<PermitPool::Permit> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(lanes.acquire({}));
  PermitPool::Permit own = std::move(taken[1]);
  taken.clear();
  const JobRun made = run(job("out.avi", {lanes, 4, own.number(), true}), *backend);
  for (const FrameRecord& record : made.records)
    EXPECT_EQ(record.device.index, record.lane % 2) << record.index;
  EXPECT_EQ(to_string(made.result.resources.devices.front().device), "cuda:1") << "its own lane's";
  EXPECT_EQ(read_file(out_ / "out.avi"), expected());
}

TEST_F(SharedLanesTest, AJobGoesOnWithoutOneThatThereIsNoRoomFor) {
  const auto backend = devices({2});
  PermitPool lanes(2);
  const PermitPool::Permit own = lanes.acquire({});
  devices_[0]->on_call = [] { std::this_thread::sleep_for(1ms); };
  devices_[0]->on_making = [this] {
    if (devices_[0]->decoders_made == 2) throw Error(ErrorKind::device, "out of memory");
  };
  const JobRun made = run(job("out.avi", {lanes, 2, own.number(), true}), *backend);
  EXPECT_THAT(made.result.notices, Contains("cuda:0 has no room for another lane: out of memory"));
  EXPECT_EQ(lanes_of(made).size(), 1U);
  EXPECT_EQ(read_file(out_ / "out.avi"), expected());
}

TEST_F(SharedLanesTest, OneThatHasJoinedGoesOnWhenTheFirstDeviceFails) {
  const auto backend = devices({1, 1});
  std::atomic<bool> joined = false;
  std::atomic<bool> failed = false;
  devices_[0]->on_call = [&] {
    std::this_thread::sleep_for(1ms);
    if (joined) {
      failed = true;
      throw Error(ErrorKind::device, "gone");
    }
  };
  devices_[1]->on_call = [&] { std::this_thread::sleep_for(1ms); };
  PermitPool lanes(2);
  std::vector<PermitPool::Permit> taken;
  for (int i = 0; i < 2; ++i) taken.push_back(lanes.acquire({}));
  std::ranges::sort(taken, {}, &PermitPool::Permit::number);
  PermitPool::Permit own = std::move(taken[0]);
  taken.clear();
  const JobRun made =
      run(job("out.avi", {lanes, 2, own.number(), true}), *backend, [&](const FrameRecord& record) {
        if (record.device.index == 1) joined = true;
      });
  EXPECT_TRUE(failed);
  EXPECT_THAT(made.result.notices, Contains(HasSubstr("cuda:0 failed: gone")));
  EXPECT_EQ(made.result.ledger.decoded, kFrames);
  EXPECT_EQ(read_file(out_ / "out.avi"), expected());
}

// No other lane works on the job, so it fails and leaves no file.
TEST_F(SharedLanesTest, AJobFailsWithTheDeviceOfItsOnlyLane) {
  const auto backend = devices({1, 1});
  std::atomic<int> calls = 0;
  devices_[0]->on_call = [&] {
    if (++calls > 100) throw Error(ErrorKind::device, "gone");
  };
  PermitPool lanes(2);
  std::vector<PermitPool::Permit> taken;
  for (int i = 0; i < 2; ++i) taken.push_back(lanes.acquire({}));
  std::ranges::sort(taken, {}, &PermitPool::Permit::number);
  for (const bool may_grow : {false, true}) {
    calls = 0;
    try {
      (void)run(job("out.avi", {lanes, 2, taken[0].number(), may_grow}), *backend);
      ADD_FAILURE() << "no exception";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_STREQ(error.what(), "gone");
    }
    EXPECT_EQ(video::live_frames(), 0);
    EXPECT_THAT(out_.names(), testing::IsEmpty());
  }
}

TEST_F(SharedLanesTest, JobsAtOnceMakeWhatEachMakesAlone) {
  const std::string whole = expected();
  const auto backend = devices({2, 2});
  PermitPool lanes(4);
  std::vector<std::jthread> workers;
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) names.push_back("out" + std::to_string(i) + ".avi");
  std::vector<PermitPool::Permit> own;
  for (int i = 0; i < 3; ++i) own.push_back(lanes.acquire({}));
  std::vector<std::int64_t> uploads(3);
  for (std::size_t i = 0; i < 3; ++i)
    workers.emplace_back([&, i] {
      pipeline::JobObserver nobody;
      const pipeline::JobResult result = pipeline::run_job(
          job(names[i].c_str(), {lanes, 4, own[i].number(), i > 0}), *backend, nobody, {});
      for (const pipeline::CopySum& sum : result.resources.copies)
        if (sum.kind == "upload") uploads[i] = sum.calls;
      EXPECT_EQ(uploads[i], result.resources.lanes.count) << "each counts its own";
      own[i].release();
    });
  workers.clear();
  for (const std::string& name : names) EXPECT_EQ(read_file(out_ / name), whole) << name;
  EXPECT_EQ(video::live_frames(), 0);
}

}  // namespace
}  // namespace facepipe::test
