// These tests process several inputs at the same time. Files, messages and exit code must be the
// same as if the inputs were processed one after the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/run/run.h"
#include "tests/app/run_fixture.h"

namespace facepipe::app {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using test::read_file;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

class RunAtOnce : public test::RunTest {
 protected:
  RunAtOnce() {
    lanes_ = 3;
    options_.video = false;
    on_job_ = [this](const pipeline::JobOptions& job) {
      const std::scoped_lock lock(mutex_);
      if (job.resources.shared) shared_.insert_or_assign(name_of(job), *job.resources.shared);
    };
  }

  static std::string name_of(const pipeline::JobOptions& job) {
    return std::filesystem::path(job.input.name).filename();
  }

  void add_input_of(const std::string& name, std::size_t bytes) {
    options_.inputs.push_back(dir_.write("in/" + name, std::string(bytes, 'x')));
  }

  /// Runs with one lane. Returns the contents of the files that the run writes besides videos.
  std::string lines_of_one_lane() {
    lanes_ = 1;
    const std::string before = read_all();
    remove_files();
    EXPECT_EQ(run_all(), expected_code_);
    std::string lines = read_all();
    lanes_ = 3;
    EXPECT_EQ(before, lines);
    return lines;
  }
  std::string read_all() { return read_file(dir_ / "d.jsonl") + times_left_out(); }
  void remove_files() {
    for (const char* name : {"d.jsonl", "l.csv", "r.json"}) std::filesystem::remove(dir_ / name);
  }
  /// Returns the first three fields of each line of the latency file, which don't depend on the
  /// clock.
  std::string times_left_out() {
    std::string text;
    std::istringstream lines(read_file(dir_ / "l.csv"));
    for (std::string line; std::getline(lines, line);) {
      std::size_t end = 0;
      for (int i = 0; i < 3; ++i) end = line.find(',', end + 1);
      text += line.substr(0, end) + '\n';
    }
    return text;
  }

  std::map<std::string, pipeline::SharedLanes> shared_;
  int expected_code_ = 0;
};

TEST_F(RunAtOnce, WritesFilesInTheInputsOrder) {
  for (const char* name : {"small.mp4", "bad.mp4", "empty.mp4", "large.mp4", "middle.mp4"})
    add_input_of(name, name[0] == 's' ? 1 : name[0] == 'l' ? 900 : 300);
  on_job_ = [](const pipeline::JobOptions& job) {
    if (job.resources.shared && name_of(job) == "large.mp4") std::this_thread::sleep_for(50ms);
  };
  EXPECT_EQ(run_all(), 3);
  const json entries = report();
  ASSERT_EQ(entries.size(), 5U);
  EXPECT_EQ(entries[0]["file"], options_.inputs[0]);
  EXPECT_EQ(entries[1]["status"], "failed");
  EXPECT_EQ(entries[4]["status"], "done");
  expected_code_ = 3;
  EXPECT_THAT(lines_of_one_lane(), AllOf(HasSubstr("middle.mp4"), Not(HasSubstr("bad.mp4"))));
}

TEST_F(RunAtOnce, BeginsWithTheLargestAndEachHasALaneOfItsOwn) {
  for (std::size_t i = 0; i < 9; ++i) add_input_of(std::to_string(i) + ".mp4", 100 + 10 * (i % 5));
  std::mutex mutex;
  std::set<int> lanes_in_use;
  on_job_ = [&](const pipeline::JobOptions& job) {
    ASSERT_TRUE(job.resources.shared);
    {
      const std::scoped_lock lock(mutex);
      EXPECT_TRUE(lanes_in_use.insert(job.resources.shared->own).second) << "nobody else has it";
    }
    std::this_thread::sleep_for(5ms);
    const std::scoped_lock lock(mutex);
    lanes_in_use.erase(job.resources.shared->own);
    shared_.insert_or_assign(name_of(job), *job.resources.shared);
  };
  EXPECT_EQ(run_all(), 0);
  ASSERT_EQ(worked_.size(), 9U);
  EXPECT_EQ(factories_, 1);
  EXPECT_THAT(std::vector(worked_.begin(), worked_.begin() + 3),
              testing::IsSubsetOf({"4.mp4", "3.mp4", "8.mp4"}));
  EXPECT_FALSE(shared_.at("4.mp4").may_grow) << "there is enough for all lanes";
  EXPECT_TRUE(shared_.at("0.mp4").may_grow || shared_.at("5.mp4").may_grow) << "the last ones";
  EXPECT_EQ(shared_.at("4.mp4").count, 3);
}

TEST_F(RunAtOnce, ALaneThatFindsNoMoreInputsIsFree) {
  add_input_of("a.mp4", 100);
  add_input_of("b.mp4", 100);
  std::atomic<int> joined = 0;
  on_job_ = [&](const pipeline::JobOptions& job) {
    if (name_of(job) == "b.mp4") return;
    ASSERT_TRUE(job.resources.shared && job.resources.shared->may_grow);
    PermitPool lanes = job.resources.shared->lanes;
    const PermitPool::Permit third = lanes.acquire({});
    const PermitPool::Permit of_b = lanes.acquire({});  // available when b has ended
    joined = 2;
    EXPECT_EQ((std::set{job.resources.shared->own, third.number(), of_b.number()}).size(), 3U);
  };
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(joined, 2);
}

TEST_F(RunAtOnce, RunsOneAfterTheOtherWhereEncodersKeepTheProcessorsBusy) {
  options_.video = true;
  for (const char* codec : {"", "libx264", "mpeg4"}) {
    options_.job.output.encoder.codec = codec;
    options_.existing = ExistingOutput::overwrite;
    add_input_of(std::string("a") + codec + ".mp4", 10);
    add_input_of(std::string("b") + codec + ".mp4", 20);
    EXPECT_EQ(run_all(), 0) << codec;
    EXPECT_TRUE(shared_.empty()) << codec;
  }
  options_.job.output.encoder.codec = "mjpeg";
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(shared_.size(), 6U);
}

TEST_F(RunAtOnce, TheNumberOfLanesIsTheUsers) {
  for (int i = 0; i < 4; ++i) add_input_of(std::to_string(i) + ".mp4", 10);
  options_.job.resources.lanes = 2;
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(shared_.at("0.mp4").count, 2);
  shared_.clear();
  remove_files();
  options_.job.resources.lanes = 1;
  EXPECT_EQ(run_all(), 0);
  EXPECT_TRUE(shared_.empty());
}

TEST_F(RunAtOnce, WhatADeviceFailsAtIsTriedAgainAlone) {
  for (const char* name : {"a.mp4", "b.mp4", "c.mp4"}) add_input_of(name, 10);
  std::atomic<int> running = 0;
  bool alone_too = false;
  on_job_ = [&](const pipeline::JobOptions& job) {
    ++running;
    std::this_thread::sleep_for(10ms);
    const int beside = --running;
    if (name_of(job) != "b.mp4") return;
    if (job.resources.shared || alone_too) throw Error(ErrorKind::device, "out of memory");
    EXPECT_EQ(beside, 0);
  };
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(std::ranges::count(worked_, "b.mp4"), 2);
  EXPECT_EQ(worked_.back(), "b.mp4");
  EXPECT_THAT(lines_of_one_lane(), HasSubstr("b.mp4"));
  remove_files();
  alone_too = true;
  EXPECT_EQ(run_all(), 4);
  EXPECT_EQ(report()[1]["error"], options_.inputs[1] + ": out of memory");
  EXPECT_EQ(report()[2]["status"], "done");
}

// If a lane took more inputs after its device has failed, a broken GPU would fail on all inputs
// before another GPU has finished its first input.
TEST_F(RunAtOnce, ALaneWhoseDeviceFailsTakesNoMore) {
  for (int i = 0; i < 12; ++i) add_input_of(std::to_string(i) + ".mp4", 10);
  std::atomic<int> failed = 0;
  on_job_ = [&](const pipeline::JobOptions& job) {
    if (job.resources.shared && job.resources.shared->own == 0) {
      ++failed;
      throw Error(ErrorKind::device, "broken");
    }
    std::this_thread::sleep_for(3ms);
  };
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(worked_.size(), 13U);
  EXPECT_EQ(report().size(), 12U);
}

TEST_F(RunAtOnce, AnInterruptLeavesWhatIsCompleteAndRunsNothingMore) {
  add_input_of("first.mp4", 900);
  add_input_of("stopped.mp4", 800);
  for (int i = 0; i < 5; ++i) add_input_of("later" + std::to_string(i) + ".mp4", 10);
  lanes_ = 2;
  std::atomic<bool> first_ended = false;
  on_job_ = [&](const pipeline::JobOptions& job) {
    while (name_of(job) == "stopped.mp4" && !first_ended) std::this_thread::sleep_for(1ms);
    if (name_of(job).starts_with("later")) {
      first_ended = true;
      while (!stop_.stop_requested()) std::this_thread::sleep_for(1ms);
    }
  };
  EXPECT_EQ(run_all(), 130);
  EXPECT_THAT(worked_, UnorderedElementsAre("first.mp4", "stopped.mp4", "later0.mp4"));
  EXPECT_THAT(
      read_file(dir_ / "d.partial.jsonl"),
      AllOf(HasSubstr("first.mp4"), Not(HasSubstr("stopped.mp4")), Not(HasSubstr("later"))));
  EXPECT_EQ(report()[1]["status"], "partial");
  EXPECT_EQ(report()[3]["status"], "not run");
}

TEST_F(RunAtOnce, AnExceptionOfOneLeavesTheOthers) {
  for (const char* name : {"a.mp4", "crash.mp4", "c.mp4"}) add_input_of(name, 10);
  EXPECT_EQ(run_all(), 1) << "an input's own: told, and the others go on";
  EXPECT_EQ(report()[2]["status"], "done");
}

TEST_F(RunAtOnce, ResumesWhatIsLeft) {
  for (const char* name : {"a.mp4", "b.mp4", "c.mp4", "d.mp4"}) add_input_of(name, 10);
  const std::vector<std::string> all = options_.inputs;
  options_.inputs = {all[1], all[3]};
  EXPECT_EQ(run_all(), 0);
  worked_.clear();
  options_.inputs = all;
  options_.existing = ExistingOutput::skip;
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(worked_, UnorderedElementsAre("a.mp4", "c.mp4"));
  std::vector<std::string> files;
  std::istringstream lines(read_file(dir_ / "d.jsonl"));
  for (std::string line; std::getline(lines, line);)
    files.push_back(std::filesystem::path(json::parse(line)["file"].get<std::string>()).filename());
  EXPECT_THAT(files, ElementsAre("a.mp4", "a.mp4", "a.mp4", "b.mp4", "b.mp4", "b.mp4", "c.mp4",
                                 "c.mp4", "c.mp4", "d.mp4", "d.mp4", "d.mp4"));
}

}  // namespace
}  // namespace facepipe::app
