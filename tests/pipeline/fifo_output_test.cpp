// These tests write to a FIFO whose reader is slow, stalls, or closes it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/packets.h"
#include "tests/support/temporary_folder.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 60;
// The lossless video is larger than this buffer of the pipe.
constexpr std::int64_t kPipeBytes = 65'536;

class OutputFifo : public testing::Test {
 protected:
  OutputFifo() {
    std::signal(SIGPIPE, SIG_IGN);  // main() also ignores this signal
    ffmpeg("-f lavfi -i testsrc2=s=256x192:r=30:d=2 -c:v libx264", clip_);
    if (mkfifo(fifo_.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
    reader_ = open(fifo_.c_str(), O_RDONLY | O_NONBLOCK);
  }
  void TearDown() override { leave(); }

  void leave() {
    if (reader_ >= 0) close(std::exchange(reader_, -1));
  }

  /// Waits until the FIFO contains bytes.
  void wait_for_bytes() const {
    pollfd waited{reader_, POLLIN, 0};
    poll(&waited, 1, -1);
  }

  [[nodiscard]] pipeline::JobOptions job() const { return lossless_job(clip_, fifo_); }

  const TemporaryFolder folder_;
  const fs::path clip_ = folder_ / "clip.mp4";
  const fs::path fifo_ = folder_ / "out.mkv";
  int reader_ = -1;
};

TEST_F(OutputFifo, WithASlowReaderGetsAll) {
  std::string got;
  std::jthread slow([&] {
    std::string part(20'000, '\0');
    wait_for_bytes();
    while (true) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const ssize_t taken = read(reader_, part.data(), part.size());
      if (taken == 0) return;  // end of the file
      if (taken > 0) got.append(part, 0, static_cast<std::size_t>(taken));
    }
  });
  const JobRun run = run_fake_job(job());
  slow.join();
  EXPECT_EQ(run.result.ledger.written, kFrames);
  EXPECT_GT(static_cast<std::int64_t>(got.size()), 2 * kPipeBytes);
  const fs::path copy = folder_ / "copy.mkv";
  std::ofstream(copy, std::ios::binary) << got;
  EXPECT_EQ(decoded_pictures(copy), decoded_pictures(clip_));
}

TEST_F(OutputFifo, WhoseReaderLeavesIsAnError) {
  const std::jthread leaves([this] {
    wait_for_bytes();
    leave();
  });
  expect_error(ErrorKind::output, "out.mkv: Broken pipe", [this] { run_fake_job(job()); });
  EXPECT_EQ(video::live_frames(), 0);
}

// The whole video fits in the queue before the FIFO.
TEST_F(OutputFifo, WhoseReaderStallsIsInterruptedByAStop) {
  (void)run_fake_job(lossless_job(clip_, folder_ / "whole.mkv"));
  std::stop_source stop;
  const std::jthread stops([&] {
    wait_for_bytes();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    stop.request_stop();
  });
  const JobRun run = run_fake_job(job(), {}, stop.get_token());
  EXPECT_TRUE(run.result.interrupted);
  EXPECT_EQ(run.result.output, fifo_);
  EXPECT_FALSE(run.result.failure);
  EXPECT_EQ(video::live_frames(), 0);
  // The run must report as many frames as there are packets in the pipe. The difference can be one,
  // because the container's own bytes also need room in the pipe.
  std::string got(kPipeBytes, '\0');
  const ssize_t taken = read(reader_, got.data(), got.size());
  ASSERT_GT(taken, 0);
  got.resize(static_cast<std::size_t>(taken));
  std::int64_t bytes = 0;
  std::int64_t packets = 0;
  for (const FilePacket& packet : packets_of(folder_ / "whole.mkv")) {
    bytes += packet.size;
    if (bytes <= taken) ++packets;
  }
  EXPECT_LT(packets, kFrames);
  EXPECT_NEAR(static_cast<double>(run.result.ledger.written), static_cast<double>(packets), 1);
}

TEST_F(OutputFifo, WhoseReaderStallsHoldsUpNoFailure) {
  FakeBehaviour behaviour;
  behaviour.on_collect = [calls = std::make_shared<std::atomic<int>>(0)] {
    if (++*calls == 30) throw Error(ErrorKind::internal, "thirty");
  };
  expect_error(ErrorKind::internal, "thirty", [&] { run_fake_job(job(), behaviour); });
  EXPECT_EQ(video::live_frames(), 0);
}

}  // namespace
}  // namespace facepipe::test
