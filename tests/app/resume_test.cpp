// These tests kill the real program while it processes a folder, and start it again. Then every
// result must exist exactly once.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kInputs = 8;
constexpr int kFrames = 5;
// If the signal comes after the last input, the run isn't interrupted, and the exit code is 0.
const auto kInterrupted = testing::AnyOf(0, 130);
const auto kKilled = testing::AnyOf(0, 128 + SIGKILL);

class Resume : public testing::Test {
 protected:
  Resume() {
    for (int i = 0; i < kInputs; ++i)
      ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=" + std::to_string(0.04 * kFrames) +
                 " -c:v libx264 -preset ultrafast",
             dir_.path() / ("in" + std::to_string(i) + ".mp4"));
    fs::create_directories(dir_ / "in");
    for (int i = 0; i < kInputs; ++i)
      fs::rename(dir_ / ("in" + std::to_string(i) + ".mp4"),
                 dir_ / ("in/" + std::to_string(i) + ".mp4"));
  }

  [[nodiscard]] Arguments arguments() const {
    return program({"run", dir_ / "in", "-o", dir_ / "out/", "--skip-existing", "-q",
                    "--detections", dir_ / "d.jsonl", "--latency", dir_ / "l.csv", "--report",
                    dir_ / "r.json"});
  }

  /// Starts the program and sends it a signal when `when` returns true. Returns its exit code, or
  /// 128 + the number of the signal that ended it.
  [[nodiscard]] int run_until(int signal, const std::function<bool()>& when) const {
    std::vector<std::string> words = arguments();
    const pid_t child = fork();
    if (child == 0) {
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      const int null = open("/dev/null", O_RDWR);
      for (const int descriptor : {0, 1, 2}) dup2(null, descriptor);
      execv(argv[0], argv.data());
      _exit(127);
    }
    int status = 0;
    pid_t ended = 0;
    while (!when() && (ended = waitpid(child, &status, WNOHANG)) == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (ended == 0) {
      kill(child, signal);
      waitpid(child, &status, 0);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  [[nodiscard]] bool video_is_there(int number) const {
    return fs::exists(dir_ / ("out/" + std::to_string(number) + "_faces.mp4"));
  }

  void expect_everything_once() const {
    std::multiset<std::string> frames;
    const std::string lines = read_file(dir_ / "d.jsonl");
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
      const json frame = json::parse(line);
      frames.insert(frame["file"].get<std::string>() + std::to_string(frame["frame"].get<int>()));
    }
    EXPECT_EQ(frames.size(), std::size_t{kInputs * kFrames});
    EXPECT_EQ(std::set<std::string>(frames.begin(), frames.end()).size(), frames.size());
    const std::string latencies = read_file(dir_ / "l.csv");
    EXPECT_EQ(std::count(latencies.begin(), latencies.end(), '\n'), kInputs * kFrames + 1);
    const json report = json::parse(read_file(dir_ / "r.json"));
    ASSERT_EQ(report.size(), std::size_t{kInputs});
    for (const json& entry : report) {
      EXPECT_EQ(entry["status"], "done") << entry["file"];
      EXPECT_EQ(entry["frames"]["decoded"], kFrames);
    }
    for (int i = 0; i < kInputs; ++i)
      EXPECT_EQ(video_stamps(dir_ / ("out/" + std::to_string(i) + "_faces.mp4")).size(),
                std::size_t{kFrames});
    std::vector<std::string> names = dir_.names();
    // A run that Ctrl-C ended leaves its partial videos, which belong to the user.
    std::erase_if(names, [](const std::string& name) {
      return name.find("_faces.partial") != std::string::npos;
    });
    EXPECT_EQ(names.size(), std::size_t{5 + 2 * kInputs}) << testing::PrintToString(names);
  }

  TemporaryFolder dir_;
};

TEST_F(Resume, AfterControlC) {
  EXPECT_THAT(run_until(SIGINT, [this] { return video_is_there(1); }), kInterrupted);
  EXPECT_THAT(run_until(SIGTERM, [this] { return video_is_there(4); }), kInterrupted);
  const CommandResult last = run_command(arguments());
  EXPECT_EQ(last.exit_code, 0) << last.err;
  expect_everything_once();
}

TEST_F(Resume, AfterKill) {
  for (const int number : {0, 2, 3, 5})
    EXPECT_THAT(run_until(SIGKILL, [&] { return video_is_there(number); }), kKilled);
  const CommandResult last = run_command(arguments());
  EXPECT_EQ(last.exit_code, 0) << last.err;
  expect_everything_once();
}

TEST_F(Resume, AfterBothInTurn) {
  EXPECT_THAT(run_until(SIGINT, [this] { return video_is_there(0); }), kInterrupted);
  EXPECT_THAT(run_until(SIGKILL, [this] { return video_is_there(3); }), kKilled);
  EXPECT_THAT(run_until(SIGINT, [this] { return video_is_there(5); }), kInterrupted);
  const CommandResult last = run_command(arguments());
  EXPECT_EQ(last.exit_code, 0) << last.err;
  expect_everything_once();
}

}  // namespace
}  // namespace facepipe::test
