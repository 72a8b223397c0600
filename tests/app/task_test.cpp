// These tests run the real program as a task that a scheduler repeats: it makes its whole output or
// none, and its exit code says whether another attempt may help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/app/program.h"
#include "tests/app/started.h"
#include "tests/support/clips.h"
#include "tests/support/failing_calls.h"
#include "tests/support/loopback_server.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

class Tasks : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    clips_.emplace();
    ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25:d=2 -c:v mjpeg -q:v 2", clip());
    // A run on this clip takes longer than any test waits.
    make_long_clip("640x360:r=60", 120, long_clip());
  }
  static void TearDownTestSuite() { clips_.reset(); }
  static fs::path clip() { return *clips_ / "clip.mkv"; }
  static fs::path long_clip() { return *clips_ / "long.mp4"; }

  [[nodiscard]] Arguments task(const std::string& command, const std::string& input,
                               const Arguments& more = {}) const {
    Arguments words{command,
                    input,
                    "--task",
                    "--skip-existing",
                    "-q",
                    "--detections",
                    dir_ / "d.jsonl",
                    "--report",
                    dir_ / "r.json",
                    "--detect-size",
                    "64x64",
                    "--device",
                    "cpu"};
    if (command != "detect") words.insert(words.end(), {"-o", dir_ / "out.mkv"});
    return joined(words, more);
  }
  /// Returns a command whose locks don't work: flock(2) ends with this errno, or has no effect (0).
  [[nodiscard]] static Arguments with_locks(int code, const Arguments& words) {
    return joined({"env", std::string("LD_PRELOAD=") + FACEPIPE_FAILING_CALLS,
                   "FACEPIPE_FAIL=flock own 1 " + std::to_string(code), "FACEPIPE_FAIL_ON=1"},
                  program(words));
  }
  /// Returns whether the run writes its video.
  [[nodiscard]] bool is_at_work() const {
    const std::vector<std::string> names = dir_.names();
    return std::ranges::any_of(
        names, [](const std::string& name) { return name.starts_with("out.mkv.tmp-"); });
  }

  static inline std::optional<TemporaryFolder> clips_;
  const TemporaryFolder dir_;
};

TEST_F(Tasks, AServerThatCutsIsTriedAgain) {
  std::string bytes = read_file(clip());
  for (const char* const command : {"run", "hide", "detect"}) {
    const LoopbackServer server(
        [&](const std::string&) { return http_answer(bytes, bytes.size() / 2); });
    const CommandResult cut = run_program(task(command, server.url("clip.mkv")));
    EXPECT_EQ(cut.exit_code, 75) << command << ": " << cut.err;
    EXPECT_TRUE(dir_.names().empty()) << command << " leaves " << dir_.names().front();
  }
  const CommandResult refused = run_program(task("run", "http://127.0.0.1:1/clip.mkv"));
  EXPECT_EQ(refused.exit_code, 75) << "nobody listens: " << refused.err;
  EXPECT_EQ(run_program(task("run", clip())).exit_code, 0);
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl", "out.mkv", "r.json"));
}

TEST_F(Tasks, ADiskThatFailsIsTriedAgain) {
  if (!kCanFailCalls) GTEST_SKIP() << "a sanitizer has these calls";
  const long reads = static_cast<long>(fs::file_size(clip()) >> 15U);
  const std::string fault = "read libavformat " + std::to_string(reads / 2) + " 5";
  const CommandResult result = run_failing(fault, task("run", clip()), Failing::from_then_on);
  EXPECT_EQ(result.exit_code, 75) << result.err;
  EXPECT_TRUE(dir_.names().empty());
}

TEST_F(Tasks, ADiskThatIsFullIsTriedAgain) {
  if (!kCanFailCalls) GTEST_SKIP() << "a sanitizer has these calls";
  int full = 0;
  for (const int nth : {1, 3, 6, 10}) {  // records, headers, frames, the report
    const std::string fault = "write own " + std::to_string(nth) + " 28";
    const CommandResult result = run_failing(fault, task("run", clip()), Failing::from_then_on);
    if (result.exit_code == 0) continue;  // it has fewer calls
    EXPECT_EQ(result.exit_code, 75) << nth << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr("No space left on device")) << nth;
    ++full;
    for (const std::string& name : dir_.names()) {
      EXPECT_THAT(name, Not(HasSubstr("partial"))) << nth;
      EXPECT_THAT(name, Not(HasSubstr(".tmp-"))) << nth;
    }
    for (const char* const name : {"out.mkv", "d.jsonl", "r.json"}) fs::remove(dir_ / name);
  }
  EXPECT_GT(full, 1);
}

TEST_F(Tasks, SigtermLeavesNothingThreeTimes) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    Started run(program(task("run", long_clip())));
    ASSERT_TRUE(comes_true([&] { return is_at_work(); }));
    run.send(SIGTERM);
    EXPECT_EQ(run.exit_code(), 143);
    EXPECT_TRUE(dir_.names().empty()) << dir_.names().front();
  }
}

TEST_F(Tasks, CtrlCHasTheUsualCodeAndLeavesNothing) {
  Started hide(program(task("hide", long_clip())));
  ASSERT_TRUE(comes_true([&] { return is_at_work(); }));
  hide.send(SIGINT);
  EXPECT_EQ(hide.exit_code(), 130);
  EXPECT_TRUE(dir_.names().empty());
}

TEST_F(Tasks, AfterKillTheSameCommandMakesTheSameBytes) {
  ASSERT_EQ(run_program(task("run", clip())).exit_code, 0);
  const std::string whole = read_file(dir_ / "d.jsonl");
  for (const char* const name : {"out.mkv", "d.jsonl", "r.json"}) fs::remove(dir_ / name);
  {
    Started run(program(task("run", long_clip())));
    ASSERT_TRUE(comes_true([&] { return is_at_work(); }));
    run.send(SIGKILL);
    EXPECT_EQ(run.exit_code(), 128 + SIGKILL);
  }
  EXPECT_EQ(run_program(task("run", clip())).exit_code, 0);
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl", "out.mkv", "r.json"));
  EXPECT_EQ(read_file(dir_ / "d.jsonl"), whole);
}

// A scheduler that kills a worker may not wait for the worker's program, which ends then.
TEST_F(Tasks, AfterKillNothingIsLeftEvenBeforeSomebodyWaitsForTheKilled) {
  Started run(program(task("run", long_clip())));
  ASSERT_TRUE(comes_true([&] { return is_at_work(); }));
  run.send(SIGKILL);
  siginfo_t end{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(run.pid()), &end, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(run_program(task("run", clip())).exit_code, 0);
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl", "out.mkv", "r.json"));
  EXPECT_EQ(run.exit_code(), 128 + SIGKILL) << "it still had its number";
}

TEST_F(Tasks, WaitsWhileAnotherProcessWrites) {
  Started run(program(task("run", long_clip())));
  ASSERT_TRUE(comes_true([&] { return is_at_work(); }));
  Started second(program(task("run", clip())));
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(waitpid(second.pid(), nullptr, WNOHANG), 0) << "it waits";
  run.send(SIGTERM);
  EXPECT_EQ(run.exit_code(), 143);
  EXPECT_EQ(second.exit_code(), 0);
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl", "out.mkv", "r.json"));
}

TEST_F(Tasks, WithoutLocksTheSlowerTaskIsTriedAgain) {
  if (!kCanFailCalls) GTEST_SKIP() << "a sanitizer has these calls";
  constexpr int kNoSuchCall = 38;  // ENOSYS
  Started slow(with_locks(kNoSuchCall, task("run", long_clip(), {"--end", "10"})));
  ASSERT_TRUE(comes_true([&] { return is_at_work(); }));
  Started fast(with_locks(kNoSuchCall, task("run", clip())));
  EXPECT_EQ(fast.exit_code(), 0);
  const std::string made = read_file(dir_ / "out.mkv");
  EXPECT_EQ(slow.exit_code(), 75);
  EXPECT_EQ(run_program(task("run", long_clip(), {"--end", "10"})).exit_code, 0);
  EXPECT_EQ(read_file(dir_ / "out.mkv"), made) << "the work is done";
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl", "out.mkv", "r.json"));
}

TEST_F(Tasks, LocksThatNobodySeesDontEndTheWorkOfOthers) {
  if (!kCanFailCalls) GTEST_SKIP() << "a sanitizer has these calls";
  Started first(with_locks(0, task("run", long_clip())));
  ASSERT_TRUE(comes_true([&] { return is_at_work(); }));
  Started second(with_locks(0, task("run", clip())));
  EXPECT_EQ(second.exit_code(), 0);
  EXPECT_TRUE(is_at_work()) << "the file of the first run is still there";
  first.send(SIGTERM);
  EXPECT_EQ(first.exit_code(), 143);
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl", "out.mkv", "r.json"));
}

TEST_F(Tasks, DiesWithItsParent) {
  const fs::path pid_file = *clips_ / "pid";
  fs::remove(pid_file);
  Arguments words = program(task("run", long_clip(), {"--die-with-parent"}));
  words.insert(words.begin(),
               {"sh", "-c", R"("$@" & echo $! > )" + pid_file.string() + "; wait", "sh"});
  Started parent(words);
  ASSERT_TRUE(comes_true([&] { return is_at_work(); }));
  pid_t child = 0;
  std::ifstream(pid_file) >> child;
  ASSERT_GT(child, 0);
  parent.send(SIGKILL);
  EXPECT_TRUE(comes_true([&] { return dir_.names().empty(); })) << "it has cleaned up";
  EXPECT_TRUE(comes_true([&] {
    std::string state;  // a dead process stays as "Z" if nobody collects its exit code
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::getline(stat, state);
    return state.empty() || state.find(") Z ") != std::string::npos;
  }));
}

TEST_F(Tasks, NoFileAndNoLineTellsASignature) {
  const std::string bytes = read_file(clip());
  for (const std::size_t sent : {bytes.size(), bytes.size() / 2}) {
    const LoopbackServer server([&](const std::string&) { return http_answer(bytes, sent); });
    const std::string url = server.url("clip.mkv") + "?X-Amz-Signature=topsecret";
    const CommandResult result = run_program(
        {"run", url, "--task", "-o", dir_ / "out.mkv", "--detections", dir_ / "d.jsonl",
         "--latency", dir_ / "l.csv", "--report", dir_ / "r.json", "--report-html", dir_ / "r.html",
         "--progress", "json", "--log-level", "debug", "--detect-size", "64x64"});
    EXPECT_EQ(result.exit_code, sent == bytes.size() ? 0 : 75) << result.err;
    EXPECT_THAT(result.err, HasSubstr("clip.mkv"));
    EXPECT_THAT(result.err + result.out, Not(HasSubstr("topsecret")));
    for (const std::string& name : dir_.names()) {
      EXPECT_THAT(read_file(dir_ / name), Not(HasSubstr("topsecret"))) << name;
      fs::remove(dir_ / name);
    }
  }
}

TEST_F(Tasks, ProgressTellsWhyARunDidNotBegin) {
  const CommandResult result =
      run_program(task("run", clip(), {"--progress", "json", "--model", "none.onnx"}));
  EXPECT_NE(result.exit_code, 0);
  const std::size_t line = result.out.rfind('\n', result.out.size() - 2) + 1;
  const json last = json::parse(result.out.substr(line));
  EXPECT_EQ(last["exit_code"], result.exit_code);
  EXPECT_THAT(last["error"], HasSubstr("none.onnx"));
}

TEST_F(Tasks, PipesAndFoldersNeedMore) {
  const CommandResult pipe = run_program({"run", clip(), "--task", "-o", "-"});
  EXPECT_EQ(pipe.exit_code, 2);
  EXPECT_THAT(pipe.err, HasSubstr("can't be taken back"));
  const CommandResult folder = run_program({"run", *clips_ / "", "--task", "-o", dir_ / "out/"});
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_THAT(folder.err, HasSubstr("--skip-existing"));
}

TEST_F(Tasks, TheAffinityDecidesHowManyCoresThereAre) {
  const CommandResult result = run_command({"taskset", "-c", "0", FACEPIPE_PROGRAM, "doctor"});
  if (result.exit_code == 127) GTEST_SKIP() << "no taskset, or no processor 0";
  EXPECT_THAT(result.out, HasSubstr(", 1 cores"));
}

}  // namespace
}  // namespace facepipe::test
