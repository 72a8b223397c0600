// These tests check how the program behaves as a process: signals, closed streams, limits.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::CommandResult;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kPatience = 120s;  // enough for a slow machine; usually the event happens much
                                  // sooner

const fs::path kModel = fs::path(FACEPIPE_SOURCE_DIR) / "data/fetched/models/centerface.onnx";

/// Waits until reached() returns true, and returns true. Returns false if the time runs out.
bool wait_for(const std::function<bool()>& reached) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (reached()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

/// Runs a program as a child process. The destructor kills it.
class Process {
 public:
  /// @param prepare  is called in the child process before the program starts
  Process(std::vector<std::string> arguments, const std::function<void()>& prepare) : pid_(fork()) {
    if (pid_ != 0) return;
    prepare();
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~Process() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void interrupt() const { kill(pid_, SIGINT); }

  [[nodiscard]] bool has_opened(const fs::path& file) const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid_) + "/fd", error))
      if (fs::read_symlink(entry.path(), error) == file) return true;
    return false;
  }

  [[nodiscard]] bool catches_interrupts() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigCgt:"))
        return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1U) != 0;
    return false;
  }

  /// Waits for the end. Returns the exit code, or -1 if a signal ended the child or it doesn't end
  /// in time.
  int exit_code() {
    int status = 0;
    if (!wait_for([&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) return -1;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_;
};

class ProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kModel)) GTEST_SKIP() << "no " << kModel.string() << ": ./dev setup";
  }

  /// Returns the arguments of a run that shows progress and writes no video.
  [[nodiscard]] static std::vector<std::string> run_on(const fs::path& input) {
    return {FACEPIPE_PROGRAM, "run",           input.string(), "--no-video", "--device", "cpu",
            "--model",        kModel.string(), "--progress",   "json"};
  }

  const TemporaryFolder folder_;
};

TEST_F(ProcessTest, FirstInterruptCountsWhileAFifoHasNoWriter) {
  const fs::path fifo = folder_ / "in.ts";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::array<int, 2> out{};
  ASSERT_EQ(pipe2(out.data(), O_CLOEXEC), 0);
  Process program(run_on(fifo), [&] { dup2(out[1], STDOUT_FILENO); });
  close(out[1]);
  char first = 0;
  ASSERT_EQ(read(out[0], &first, 1), 1) << "the first line of progress";
  program.interrupt();
  EXPECT_EQ(program.exit_code(), 130);
  close(out[0]);
}

TEST_F(ProcessTest, C7ASmallStackIsEnough) {
  const fs::path clip = folder_ / "clip.mp4";
  test::ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=1 -c:v libx264", clip);
  for (const char* kib : {"64", "128", "1024"}) {
    const CommandResult result = test::run_command(
        {"bash", "-c", "ulimit -s \"$0\" && exec \"$@\"", kib, FACEPIPE_PROGRAM, "run",
         clip.string(), "-o", folder_ / "o.mp4", "-q", "--device", "cpu", "--overwrite"});
    EXPECT_EQ(result.exit_code, 0) << kib << " KiB: " << result.err;
    EXPECT_EQ(result.err, "") << kib << " KiB";
  }
}

TEST_F(ProcessTest, FirstInterruptCountsWithStandardStreamsClosed) {
  const fs::path clip = folder_ / "long.mp4";
  test::make_long_clip("320x180:r=100", 60, clip);
  Process program(run_on(clip), [] {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(stream);
  });
  // The sandbox opens the clip for a moment, too, before the program catches interrupts.
  ASSERT_TRUE(wait_for([&] { return program.catches_interrupts() && program.has_opened(clip); }));
  program.interrupt();
  EXPECT_EQ(program.exit_code(), 130);
}

TEST_F(ProcessTest, FirstInterruptCountsWhileAFileOfFramesHasNoReader) {
  const fs::path fifo = folder_ / "d.jsonl";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  test::ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=1", folder_ / "clip.mp4");
  std::vector<std::string> arguments = run_on(folder_ / "clip.mp4");
  arguments.insert(arguments.end(), {"--detections", fifo});
  Process program(arguments, [] {});
  ASSERT_TRUE(wait_for([&] { return program.catches_interrupts(); }));
  program.interrupt();
  EXPECT_EQ(program.exit_code(), 130);
  EXPECT_THAT(folder_.names(), ElementsAre("clip.mp4", "d.jsonl"));
}

TEST_F(ProcessTest, FirstInterruptCountsWhileAVideosReaderStalls) {
  const fs::path fifo = folder_ / "out.mkv";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  test::make_long_clip("320x180:r=100", 20, folder_ / "clip.mp4");
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  Process program({FACEPIPE_PROGRAM, "run", folder_ / "clip.mp4", "-o", fifo, "--device", "cpu",
                   "--model", kModel.string(), "-q"},
                  [] {});
  ASSERT_TRUE(wait_for([&] {
    int waiting = 0;
    return ioctl(reader, FIONREAD, &waiting) == 0 && waiting > 60'000;  // a pipe can hold 65,536
                                                                        // bytes
  }));
  program.interrupt();
  EXPECT_EQ(program.exit_code(), 130);
  close(reader);
  EXPECT_TRUE(fs::is_fifo(fifo));
}

class LimitTest : public ProcessTest {
 protected:
  LimitTest() { test::ffmpeg("-f lavfi -i testsrc2=s=320x180:r=10:d=1 -c:v libx264", clip_); }

  /// Runs "$0 run clip.mp4 ..." in a shell, after the commands of `before`. The output goes to a
  /// pipe.
  [[nodiscard]] CommandResult run_after(const std::string& before, const std::string& arguments) {
    return test::run_command({"sh", "-c",
                              "{ (" + before +
                                  "exec \"$0\" run clip.mp4 --device cpu --model \"$1\" " +
                                  arguments + ") 2>&1; echo \"exit $?\"; } | cat",
                              FACEPIPE_PROGRAM, kModel.string()});
  }
  const fs::path clip_ = folder_ / "clip.mp4";
};

TEST_F(LimitTest, OfFileSizeIsAnErrorOfTheOutput) {
  const std::string in_folder = "cd " + folder_.path().string() + "; ulimit -f 1; ";
  const CommandResult video = run_after(in_folder, "-o out.mkv");
  EXPECT_THAT(video.out, HasSubstr("out.mkv: can't be written: File too large"));
  EXPECT_THAT(video.out, HasSubstr("exit 5\n"));
  const CommandResult report = run_after(in_folder, "--no-video --report r.json");
  EXPECT_THAT(report.out, HasSubstr("facepipe: error: r.json: can't be written: File too large"));
  EXPECT_THAT(report.out, HasSubstr("exit 5\n"));
  EXPECT_THAT(folder_.names(), ElementsAre("clip.mp4"));
}

TEST_F(LimitTest, OfStandardOutputIsAnErrorAtTheEndOfTheRun) {
  const CommandResult run =
      run_after("cd " + folder_.path().string() + "; ",
                "--no-video --detections d.jsonl --progress json > /dev/full");
  const std::string reason = "facepipe: error: standard output: can't be written: No space left";
  EXPECT_THAT(run.out, HasSubstr(reason));
  EXPECT_THAT(run.out, HasSubstr("done: clip.mp4: 10 frames"));
  EXPECT_THAT(run.out, HasSubstr("exit 5\n"));
  EXPECT_THAT(folder_.names(), ElementsAre("clip.mp4", "d.jsonl"));
}

}  // namespace
}  // namespace facepipe::app
