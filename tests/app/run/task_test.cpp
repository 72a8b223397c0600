// These tests check how a run ends that a scheduler repeats (--task), with a fake pipeline.
#include "app/run/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/stop_signals.h"
#include "core/files/output_lock.h"
#include "core/passing_error.h"
#include "tests/app/run_fixture.h"

namespace facepipe::app {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

class TaskTest : public test::RunTest {
 protected:
  TaskTest() {
    options_.task.wanted = true;
    options_.task.patience = 150ms;
    options_.output = (dir_ / "o.mp4").string();
  }

  /// Runs all inputs, and returns the exit code. The lines of progress are in lines_ afterwards.
  int run_and_listen() {
    options_.console.progress = ProgressStyle::json;
    testing::internal::CaptureStdout();
    const int code = run_all();
    std::istringstream text(testing::internal::GetCapturedStdout());
    lines_.clear();
    // The log of this test program goes to the standard output, too.
    for (std::string line; std::getline(text, line);)
      if (line.starts_with('{')) lines_.push_back(json::parse(line));
    return code;
  }

  void fail_with(bool passes, ErrorKind kind = ErrorKind::input) {
    on_job_ = [passes, kind](const pipeline::JobOptions&) {
      if (passes) throw PassingError(kind, "the cable is out");
      throw Error(kind, "the file is nonsense");
    };
  }

  const NoPartialFiles no_partial_files_;
  std::vector<json> lines_;
};

TEST_F(TaskTest, OnlyWhatMayPassIsTriedAgain) {
  add_input("a.mp4");
  for (const ErrorKind kind : {ErrorKind::input, ErrorKind::output, ErrorKind::device}) {
    fail_with(true, kind);
    EXPECT_EQ(run_all(), 75);
    EXPECT_THAT(dir_.names(), ElementsAre("in", "in/a.mp4")) << "no file, not even a report";
  }
  fail_with(false);
  EXPECT_EQ(run_all(), 3);
  EXPECT_EQ(report()[0]["exit_code"], 3) << "a failure for good has a report";
}

TEST_F(TaskTest, WithoutTaskTheCodeIsThatOfTheKind) {
  options_.task.wanted = false;
  add_input("a.mp4");
  fail_with(true);
  EXPECT_EQ(run_all(), 3);
}

TEST_F(TaskTest, LackOfMemoryMayPass) {
  add_input("a.mp4");
  on_job_ = [](const pipeline::JobOptions&) { throw std::bad_alloc(); };
  EXPECT_EQ(run_all(), 75);
}

TEST_F(TaskTest, AResultThatIsOnlyAPartIsNone) {
  add_input("a.mp4");
  for (const bool passes : {true, false}) {
    on_result_ = [passes](const pipeline::JobOptions&, pipeline::JobResult& result) {
      result.failure.emplace(ErrorKind::input, "can't be read any further");
      result.failure_passes = passes;
      result.output.clear();
    };
    EXPECT_EQ(run_and_listen(), passes ? 75 : 3);
    EXPECT_EQ(lines_.back()["status"], "failed");
    EXPECT_EQ(lines_.back()["exit_code"], passes ? 75 : 3);
    EXPECT_THAT(lines_.back()["error"], HasSubstr("can't be read any further"));
    std::filesystem::remove(dir_ / "o.mp4");  // the fake pipeline always writes it
    std::filesystem::remove(dir_ / "r.json");
  }
}

TEST_F(TaskTest, SigtermHasItsOwnCode) {
  add_input("stopped.mp4");
  {
    const StopSignals signals;
    std::raise(SIGTERM);
    while (!signals.token().stop_requested()) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(run_all(), 143);
  }
  const StopSignals signals;  // from now on, no signal has come
  stop_ = {};
  std::filesystem::remove(dir_ / "o.mp4");
  EXPECT_EQ(run_all(), 130);
}

TEST_F(TaskTest, WaitsForTheLockOfAnotherRun) {
  add_input("a.mp4");
  std::optional<OutputLock> other(std::in_place, dir_ / "o.mp4");
  std::jthread ends([&] {
    std::this_thread::sleep_for(50ms);
    other.reset();
  });
  options_.task.patience = 60s;
  EXPECT_EQ(run_all(), 0);
}

TEST_F(TaskTest, ALockThatIsHeldForTooLongIsTriedAgain) {
  add_input("a.mp4");
  for (const char* const name : {"o.mp4", "d.jsonl"}) {
    const OutputLock other(dir_ / name);
    const std::optional<Failure> failure = attempt({}, [&] {
      if (run_all() == 75) throw PassingError(ErrorKind::output, "of an input");
    });
    ASSERT_TRUE(failure) << name;
    EXPECT_EQ(code_of(*failure, options_), 75) << name;
  }
  EXPECT_TRUE(worked_.empty());
}

TEST_F(TaskTest, ATaskThatIsStoppedDoesNotWaitForALock) {
  add_input("a.mp4");
  const OutputLock other(dir_ / "d.jsonl");
  options_.task.patience = 60s;
  stop_.request_stop();
  EXPECT_THROW(run_all(), Stopped);
}

TEST_F(TaskTest, SeveralInputsGoOnWithWhatIsDone) {
  options_.output = (dir_ / "out/").string();
  add_input("a.mp4");
  add_input("bad.mp4");
  add_input("c.mp4");
  EXPECT_THROW(run_all(), Error) << "several inputs need --skip-existing";
  options_.existing = ExistingOutput::skip;
  const auto fails_at_c = [](const pipeline::JobOptions& job) {
    if (job.input.name.ends_with("c.mp4")) throw PassingError(ErrorKind::input, "cut");
  };
  on_job_ = fails_at_c;
  EXPECT_EQ(run_all(), 75) << "75 comes before the code of an input that failed for good";
  EXPECT_FALSE(std::filesystem::exists(dir_ / "d.jsonl"));
  worked_.clear();
  on_job_ = nullptr;
  EXPECT_EQ(run_all(), 3);
  EXPECT_THAT(worked_, ElementsAre("bad.mp4", "c.mp4")) << "the frames of a.mp4 were still there";
  EXPECT_THAT(test::read_file(dir_ / "d.jsonl"), HasSubstr("a.mp4"));
  for (const std::string& name : dir_.names())
    EXPECT_THAT(name, testing::Not(HasSubstr(".tmp-"))) << "nothing is left over";
}

TEST_F(TaskTest, LastLinesTellCodeAndReason) {
  setenv("FACEPIPE_ATTEMPT", "3", 1);
  add_input("damaged.mp4");
  EXPECT_EQ(run_and_listen(), 6);
  for (std::size_t i = 0; i + 1 < lines_.size(); ++i)
    EXPECT_FALSE(lines_[i].contains("exit_code")) << "it still runs";
  EXPECT_EQ(lines_.back()["exit_code"], 6);
  EXPECT_TRUE(lines_.back()["error"].is_null());
  EXPECT_EQ(lines_.back()["attempt"], 3);
  EXPECT_EQ(lines_.back()["host"], this_task().host);
  options_.existing = ExistingOutput::skip;
  EXPECT_EQ(run_and_listen(), 0) << "the fake pipeline leaves no record of the damage";
  ASSERT_EQ(lines_.size(), 1U) << "an input that is skipped has one line";
  EXPECT_EQ(lines_.back()["status"], "skipped");
  unsetenv("FACEPIPE_ATTEMPT");
}

TEST(TaskAttempt, SchedulersCountDifferently) {
  unsetenv("FACEPIPE_ATTEMPT");
  EXPECT_EQ(this_task().attempt, std::nullopt);
  setenv("AWS_BATCH_JOB_ATTEMPT", "2", 1);
  EXPECT_EQ(this_task().attempt, 2);
  setenv("SLURM_RESTART_COUNT", "2", 1);
  EXPECT_EQ(this_task().attempt, 3) << "Slurm counts only what comes after the first attempt";
  setenv("SLURM_RESTART_COUNT", "many", 1);
  EXPECT_EQ(this_task().attempt, 2);
  unsetenv("SLURM_RESTART_COUNT");
  unsetenv("AWS_BATCH_JOB_ATTEMPT");
}

}  // namespace
}  // namespace facepipe::app
