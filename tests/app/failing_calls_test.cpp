// These tests run the real program and make one of its system calls fail. The program must end with
// the right exit code and one line, and must not leave an unfinished file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/failing_calls.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class FailingCalls : public testing::Test {
 protected:
  void SetUp() override {
    if (!kCanFailCalls) GTEST_SKIP() << "a sanitizer has these calls";
  }
  static void SetUpTestSuite() {
    clips_.emplace();
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -c:v libx264 -preset ultrafast", clip());
  }
  static void TearDownTestSuite() { clips_.reset(); }
  static fs::path clip() { return *clips_ / "clip.mp4"; }

  [[nodiscard]] Arguments run_words(const Arguments& more = {}) const {
    return joined({"run", clip(), "-o", dir_ / "o.mkv", "-q", "--device", "cpu"}, more);
  }

  /// Expects that the run succeeded and printed nothing, or that it failed and said in one line
  /// what was missing. The exit code of a failed run must not blame the input or the output.
  static void expect_done_or_lacking(const CommandResult& result, const std::string& fault) {
    EXPECT_THAT(result.exit_code, AnyOf(0, 1, 4)) << fault << ": " << result.err;
    const long lines = std::ranges::count(result.err, '\n');
    EXPECT_EQ(lines, result.exit_code == 0 ? 0 : 1) << fault << ": " << result.err;
  }
  void expect_whole_or_nothing(const CommandResult& result, const std::string& fault) {
    if (result.exit_code == 0)
      EXPECT_THAT(dir_.names(), ElementsAre("o.mkv")) << fault;
    else
      EXPECT_THAT(dir_.names(), ElementsAre()) << fault;
    empty_folder();
  }
  void empty_folder() const {
    for (const std::string& name : dir_.names()) fs::remove(dir_ / name);
  }

  static inline std::optional<TemporaryFolder> clips_;
  const TemporaryFolder dir_;
};

TEST_F(FailingCalls, D5TooLittleMemoryOrThreadsIsNoFaultOfAFile) {
  int failed = 0;
  for (const char* fault :
       {"malloc libavformat 1 12", "malloc libavformat 2 12", "malloc libavformat 3 12",
        "malloc libavformat 6 12", "pthread_create libx264 1 11", "pthread_create libx264 2 11",
        "pthread_create libavcodec 1 11"}) {
    const CommandResult result = run_failing(fault, run_words({"--threads", "2"}));
    expect_done_or_lacking(result, fault);
    expect_whole_or_nothing(result, fault);
    failed += result.exit_code != 0 ? 1 : 0;
  }
  EXPECT_GT(failed, 2);
}

TEST_F(FailingCalls, D5AnEncoderThatStartsNoThreadSaysSo) {
  const CommandResult result = run_failing("pthread_create libx264 1 11", run_words());
  expect_refused(result, 1, "encoder libx264: can't start its threads, or has no memory for them");
}

TEST_F(FailingCalls, D6AnEarlyErrorDoesNotGoWhereTheVideoGoes) {
  const Arguments words{"run", clip(), "-o", "-", "-q", "--device", "cpu"};
  bool failed = false;
  for (const int allocation : {5, 6, 7, 8}) {
    const std::string fault = "new libspdlog " + std::to_string(allocation) + " 12";
    const CommandResult result = run_failing(fault, words);
    if (result.exit_code == 0) continue;
    failed = true;
    EXPECT_EQ(result.exit_code, 1) << fault;
    EXPECT_EQ(result.out, "") << fault;
    EXPECT_EQ(result.err, "facepipe: error: out of memory\n") << fault;
  }
  EXPECT_TRUE(failed);
}

TEST_F(FailingCalls, D7AFileThatCannotBeRemovedIsAnOutputError) {
  const CommandResult result = run_failing("unlink own 1 5", run_words());
  expect_refused(result, 5, "can't be removed: Input/output error");
  EXPECT_THAT(dir_.names(), Contains("o.mkv"));
}

TEST_F(FailingCalls, D7AReportThatCannotBeFinishedLeavesNoTemporaryFile) {
  // The program calls fsync first for the video, then for its folder, and then for the report.
  bool failed = false;
  for (const int call : {1, 2, 3, 4, 5}) {
    const std::string fault = "fsync own " + std::to_string(call) + " 5";
    const CommandResult result = run_failing(fault, run_words({"--report", dir_ / "r.json"}));
    EXPECT_THAT(result.exit_code, AnyOf(0, 5)) << fault << ": " << result.err;
    EXPECT_THAT(dir_.names(), Not(Contains(HasSubstr(".tmp-")))) << fault;
    failed = failed || std::ranges::count(dir_.names(), "r.partial.json") == 1;
    empty_folder();
  }
  EXPECT_TRUE(failed);
}

TEST_F(FailingCalls, D8NoPipeThatCannotBeWrittenHoldsUpTheEnd) {
  const CommandResult result = run_failing(
      "write own 1 5", {"verify", clip(), clip(), "-q", "--quick"}, Failing::from_then_on);
  EXPECT_LT(result.exit_code, 124) << "timeout's code: " << result.err;
  const CommandResult run = run_failing("write own 1 5", run_words(), Failing::from_then_on);
  EXPECT_EQ(run.exit_code, 5) << run.err;
}

TEST_F(FailingCalls, D11AShortWriteIsNoFullDisk) {
  for (const int call : {1, 2, 3, 4}) {
    const std::string fault = "write own " + std::to_string(call) + " short";
    const CommandResult result = run_failing(fault, run_words());
    EXPECT_EQ(result.exit_code, 0) << fault << ": " << result.err;
    expect_whole_or_nothing(result, fault);
  }
}

// The program reads the limits of its control group before it installs its handlers.
TEST_F(FailingCalls, AFailedReadDoesNotAbort) {
  for (const int call : {1, 2, 4, 8, 16}) {
    const std::string fault = "read own " + std::to_string(call) + " 5";
    const CommandResult result = run_failing(fault, run_words(), Failing::from_then_on);
    EXPECT_THAT(result.exit_code, AnyOf(0, 3, 4)) << fault << ": " << result.err;
    expect_whole_or_nothing(result, fault);
  }
}

TEST_F(FailingCalls, TooLittleMemoryAtTheBeginningIsAnErrorOfOneLine) {
  const std::string limits =
      "new "
      "_ZN8facepipe15limits_of_groupERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNSt"
      "10filesystem7__cxx114pathE";
  expect_refused(run_failing(limits + " 1 12", run_words()), 1, "facepipe: error: out of memory");
}

TEST_F(FailingCalls, OnAFullDiskEachFileHasOneLine) {
  const CommandResult result = run_failing(
      "write _ZN8facepipe10OutputFile5writeESt4spanIKSt4byteLm18446744073709551615EE "
      "1 28",
      run_words({"--report", dir_ / "r.json", "--detections", dir_ / "d.jsonl"}),
      Failing::from_then_on);
  EXPECT_EQ(result.exit_code, 5) << result.err;
  std::istringstream text(result.err);
  std::set<std::string> lines;
  for (std::string line; std::getline(text, line);)
    EXPECT_TRUE(lines.insert(line).second) << result.err;
  EXPECT_THAT(lines, Contains(HasSubstr("r.json: can't be written")));
}

TEST_F(FailingCalls, TheCallersOfACallAreCounted) {
  const std::string sites = dir_ / "sites";
  const CommandResult result = run_command(joined(
      {"env", std::string("LD_PRELOAD=") + FACEPIPE_FAILING_CALLS, "FACEPIPE_FAIL_SITES=" + sites},
      program(run_words())));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // The output is opened once, and libavformat reads the video.
  const std::string text = "\n" + read_file(sites);
  EXPECT_NE(text.find("\nopen _ZN8facepipe10OutputFile14open_temporaryEv 1\n"), text.npos);
  EXPECT_NE(text.find("\nread libavformat "), text.npos);
}

}  // namespace
}  // namespace facepipe::test
