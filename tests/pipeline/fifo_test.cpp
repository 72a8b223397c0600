// These tests read from a FIFO whose writer comes late, stalls, or never comes.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <latch>
#include <stdexcept>
#include <thread>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

class Fifo : public testing::Test {
 protected:
  Fifo() {
    std::signal(SIGPIPE, SIG_IGN);  // if the reader closes the FIFO too early, write() fails
                                    // instead of killing the test
    ffmpeg("-f lavfi -i testsrc2=s=128x96:r=10:d=2 -c:v libx264", folder_ / "clip.ts");
    clip_ = read_file(folder_ / "clip.ts");
    if (mkfifo(fifo_.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
  }

  const TemporaryFolder folder_;
  const fs::path fifo_ = folder_ / "in.ts";
  std::string clip_;
};

TEST_F(Fifo, IsReadToItsEnd) {
  const std::jthread writer([this] { std::ofstream(fifo_, std::ios::binary) << clip_; });
  const JobRun run = run_fake_job(lossless_job(fifo_, folder_ / "out.mkv"));
  EXPECT_EQ(run.result.ledger.written, 20);
  EXPECT_TRUE(run.result.ledger.intact());
}

TEST_F(Fifo, WithoutAWriterIsGivenUpWhenStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(run_fake_job(lossless_job(fifo_, {}), {}, stop.get_token()), Stopped);
}

TEST_F(Fifo, WhoseWriterStallsIsGivenUpWhenStopped) {
  std::stop_source stop;
  std::latch given_up(1);
  const std::jthread writer([&] {
    std::ofstream stalled(fifo_, std::ios::binary);  // waits until the FIFO has a reader
    stalled << clip_.substr(0, 188) << std::flush;
    stop.request_stop();
    given_up.wait();
  });
  EXPECT_THROW(run_fake_job(lossless_job(fifo_, {}), {}, stop.get_token()), Stopped);
  given_up.count_down();
}

// Some programs start other programs with a socket as standard input.
TEST_F(Fifo, MayBeASocketThatIsStandardInput) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const int before = dup(STDIN_FILENO);
  ASSERT_EQ(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  {
    const std::jthread writer([&] {
      std::size_t sent = 0;
      while (sent < clip_.size()) {
        const ssize_t taken = write(ends[1], clip_.data() + sent, clip_.size() - sent);
        if (taken < 0) break;
        sent += static_cast<std::size_t>(taken);
      }
      close(ends[1]);
    });
    const JobRun run = run_fake_job(lossless_job(video::kStandardInput, folder_ / "out.mkv"));
    EXPECT_EQ(run.result.ledger.written, 20);
  }
  EXPECT_EQ(dup2(before, STDIN_FILENO), STDIN_FILENO);
  close(before);
  close(ends[0]);
}

}  // namespace
}  // namespace facepipe::test
