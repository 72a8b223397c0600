// These tests put a fake camera before the demuxer. The camera is a source that also returns
// packets that the demuxer hasn't read.
#include "video/read/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/packets.h"
#include "tests/support/temporary_folder.h"
#include "video/read/demuxer.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns the packets of a file first, and then the packets that the test makes.
class Camera final : public video::Source {
 public:
  using Next = std::function<video::UniqueAVPacket(Camera&)>;

  Camera(const fs::path& file, Next next) : demuxer_(file.string(), {}), next_(std::move(next)) {}

  [[nodiscard]] video::Demuxer& demuxer() override { return demuxer_; }
  [[nodiscard]] video::UniqueAVPacket read() override {
    video::UniqueAVPacket packet = demuxer_.read();
    return packet ? std::move(packet) : next_(*this);
  }
  void stop_with(std::stop_token stop) override { stop_ = std::move(stop); }
  [[nodiscard]] const std::string& read_error() const override { return read_error_; }
  [[nodiscard]] const std::optional<Error>& failure() const override { return failure_; }
  [[nodiscard]] std::string shortfall() const override { return shortfall_; }

  /// Ends reading as if the connection were lost.
  void lose(const std::string& why) {
    read_error_ = why;
    failure_.emplace(ErrorKind::input, "the camera: " + why);
    shortfall_ = "reading stopped: " + why;
  }
  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }

 private:
  video::Demuxer demuxer_;
  Next next_;
  std::stop_token stop_;
  std::string read_error_;
  std::optional<Error> failure_;
  std::string shortfall_;
};

class JobOfACamera : public testing::Test {
 protected:
  void SetUp() override { make_clip(first_, 20); }

  static void make_clip(const fs::path& file, int frames) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v " + std::to_string(frames) + " -c:v mjpeg",
           file);
  }

  [[nodiscard]] pipeline::JobResult run(Camera::Next next, const std::stop_token& stop = {}) const {
    return run_fake_job(lossless_job(first_, output_), {}, stop,
                        std::make_unique<Camera>(first_, std::move(next)))
        .result;
  }

  TemporaryFolder folder_;
  fs::path first_ = folder_ / "first.mkv";
  fs::path output_ = folder_ / "out.mkv";
};

TEST_F(JobOfACamera, PacketsOfASecondConnectionFollowThoseOfTheFirst) {
  const fs::path second = folder_ / "second.mkv";
  make_clip(second, 30);
  constexpr std::int64_t kLastsMs = 20 * 40;  // Matroska's stamps are in ms
  const auto again = std::make_shared<video::Demuxer>(second.string(), std::stop_token());
  const pipeline::JobResult result = run([&](Camera&) {
    video::UniqueAVPacket packet = again->read();
    if (!packet) return packet;
    packet->pts += kLastsMs;
    packet->dts += kLastsMs;
    return packet;
  });
  EXPECT_EQ(result.ledger.packets, 50);
  EXPECT_EQ(result.ledger.written, 50);
  EXPECT_EQ(result.ledger.lost, 0);
  EXPECT_THAT(result.early_end, IsEmpty());
  EXPECT_FALSE(result.failure);
  const std::vector<FilePacket> packets = packets_of(output_);
  ASSERT_EQ(packets.size(), 50U);
  for (std::size_t i = 0; i < packets.size(); ++i)
    EXPECT_EQ(packets[i].pts, 40 * static_cast<std::int64_t>(i)) << i;
}

TEST_F(JobOfACamera, AConnectionThatIsLostFailsTheJobAndKeepsItsPart) {
  const pipeline::JobResult result = run([](Camera& camera) {
    camera.lose("it was switched off");
    return video::UniqueAVPacket();
  });
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->kind(), ErrorKind::input);
  EXPECT_THAT(result.failure->what(), HasSubstr("the camera: it was switched off"));
  EXPECT_EQ(result.early_end, "reading stopped: it was switched off");
  EXPECT_TRUE(result.ledger.ended_early);
  EXPECT_THAT(result.notices, Contains("ended early: reading stopped: it was switched off"));
  EXPECT_EQ(result.ledger.written, 20);
  EXPECT_EQ(result.output, folder_ / "out.partial.mkv");
  EXPECT_EQ(packets_of(result.output).size(), 20U);
}

TEST_F(JobOfACamera, AStopOfTheJobReachesTheCamera) {
  std::stop_source stop;
  bool stopped_before = true;
  bool stopped_then = false;
  const pipeline::JobResult result = run(
      [&](Camera& camera) {
        stopped_before = camera.stopped();
        stop.request_stop();
        stopped_then = camera.stopped();
        return video::UniqueAVPacket();
      },
      stop.get_token());
  EXPECT_FALSE(stopped_before);
  EXPECT_TRUE(stopped_then);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.ledger.written, 20);
  EXPECT_EQ(result.output, folder_ / "out.partial.mkv");
}

}  // namespace
}  // namespace facepipe::test
