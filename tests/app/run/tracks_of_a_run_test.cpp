// These tests hide faces with a fake pipeline. They check the file of tracks, the two passes, and
// the devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/run/run.h"
#include "app/run/turned_faces.h"
#include "core/error.h"
#include "tests/app/run_fixture.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "track/track_file.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::read_file;
using test::RunTest;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class TracksOfARun : public RunTest {
 protected:
  TracksOfARun() {
    options_.files = {};
    options_.files.tracks = dir_ / "t.json";
    options_.job.hide.emplace().wants_tracks = true;
  }
};

TEST_F(TracksOfARun, AreWrittenWithTheInputsHashWhenItIsDone) {
  add_input("damaged.mp4");
  EXPECT_EQ(run_all(), 6);
  const track::TrackFile file = track::read_track_file(dir_ / "t.json");
  EXPECT_EQ(file.input.sha256, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881")
      << "of the letter x";
}

TEST_F(TracksOfARun, OfAnUnfinishedInputAreNot) {
  for (const char* name : {"stopped.mp4", "full.mp4", "bad.mp4"}) {
    options_.inputs.clear();
    stop_ = {};
    add_input(name);
    EXPECT_NE(run_all(), 0) << name;
    EXPECT_THAT(dir_.names(), Not(Contains(HasSubstr("t.")))) << name;
  }
}

TEST_F(TracksOfARun, TwoPassesFindFirstAndThenHideWhatWasFound) {
  add_input("a.mp4");
  options_.two_pass = true;
  options_.files.detections = dir_ / "d.jsonl";
  std::vector<pipeline::JobOptions> jobs;
  on_job_ = [&](const pipeline::JobOptions& job) { jobs.push_back(job); };
  EXPECT_EQ(run_all(), 0);
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].output.path, "");
  EXPECT_TRUE(std::isinf(jobs[0].hide->tracks.look_ahead_s));
  EXPECT_FALSE(jobs[0].hide->known);
  EXPECT_EQ(jobs[1].output.path, dir_ / "in/a_hidden.mp4");
  ASSERT_TRUE(jobs[1].hide->known);
  EXPECT_EQ(jobs[1].hide->known->file.input.size, (Size{640, 480}));
  const std::string lines = read_file(dir_ / "d.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3) << "of one pass";
  EXPECT_TRUE(fs::exists(dir_ / "t.json"));
}

TEST_F(TracksOfARun, A6AllJobsOfAnInputAreOfTheSameFile) {
  add_input("a.mp4");
  options_.two_pass = true;
  options_.files.tracks.clear();
  std::vector<std::optional<FileIdentity>> inputs;
  on_job_ = [&](const pipeline::JobOptions& job) { inputs.push_back(job.input.same_file); };
  EXPECT_EQ(run_all(), 0);
  const std::optional<FileIdentity> input = identity_of(dir_ / "in/a.mp4");
  ASSERT_TRUE(input);
  EXPECT_THAT(inputs, testing::ElementsAre(input, input));
}

TEST_F(TracksOfARun, A4FacesThatAreTurnedAreLookedForSoAndAreNotDone) {
  add_input("a.mp4");
  options_.files = {};
  options_.job.hide->wants_tracks = false;
  std::vector<int> turns;
  on_job_ = [&](const pipeline::JobOptions& job) { turns.push_back(job.hide->turned_too); };
  const auto run_with = [&](const detector::FacesByTurn& found) {
    options_.existing = ExistingOutput::overwrite;
    RunParts with = parts();
    with.faces_by_turn = [&](const pipeline::JobOptions&, const detector::DetectorOptions&,
                             const std::stop_token&) { return std::optional(found); };
    return run(options_, with, stop_.get_token());
  };
  EXPECT_EQ(run_with({40, 17, 15, 18}), 0);
  EXPECT_EQ(run_with({17, 15, 18, 40}), 7);
  EXPECT_THAT(turns, testing::ElementsAre(0, 3));
  options_.job.output.strict = true;
  EXPECT_EQ(run_with({17, 15, 18, 40}), 3);
  EXPECT_EQ(turns.size(), 2U) << "nothing is worked on";
}

pipeline::CopySum copies_of(const std::string& kind, std::int64_t calls) {
  return {kind, "to host", calls, 100 * calls};
}

TEST_F(TracksOfARun, TheReportAddsUpTheCopiesOfBothPasses) {
  add_input("a.mp4");
  options_.two_pass = true;
  options_.files.report = dir_ / "r.json";
  on_result_ = [](const pipeline::JobOptions& job, pipeline::JobResult& result) {
    const int luma = job.output.path.empty() ? 3 : 0;
    result.resources.copies = {copies_of("luma", luma), copies_of("bitstream", 3 - luma)};
  };
  EXPECT_EQ(run_all(), 0);
  for (const char* kind : {"luma", "bitstream"}) {
    EXPECT_EQ(report()[0]["copies"][kind]["calls"], 3) << kind;
    EXPECT_EQ(report()[0]["copies"][kind]["bytes"], 300) << kind;
  }
}

TEST_F(TracksOfARun, AStopInTheFirstPassWritesNoVideo) {
  add_input("stopped.mp4");
  options_.two_pass = true;
  EXPECT_EQ(run_all(), 130);
  EXPECT_THAT(worked_, ElementsAre("stopped.mp4"));
  EXPECT_THAT(dir_.names(), ElementsAre("in", "in/stopped.mp4"));
}

/// These tests hide faces on a machine with a GPU, which is faked.
class HidesOnAChip : public RunTest {
 protected:
  HidesOnAChip() {
    cuda_.built = true;
    cuda_.devices = {{"Some Chip", ""}};
    options_.files = {};
    options_.files.report = dir_ / "r.json";
    options_.job.hide.emplace();
    add_input("a.mp4");
  }

  /// Writes an edit file for the only input.
  void know_tracks() {
    track::TrackFile file;
    file.input.size = {640, 480};
    file.input.sha256 = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    track::write_track_file(file, dir_ / "t.json", ExistingTarget::refuse);
    options_.files.known_tracks = dir_ / "t.json";
  }
};

TEST_F(HidesOnAChip, BothLooksAndBothPassesOfAnInput) {
  options_.detector.mirrored_too = true;
  options_.two_pass = true;
  options_.device = parse_device("cuda:0");
  int looked = 0;
  on_job_ = [&](const pipeline::JobOptions& job) { looked += job.hide->known ? 0 : 1; };
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(made_, ElementsAre("detector on cuda:0"));
  EXPECT_EQ(looked, 1);
  EXPECT_THAT(worked_, ElementsAre("a.mp4", "a.mp4"));
}

TEST_F(HidesOnAChip, KnownTracksWithoutAModel) {
  know_tracks();
  options_.detector.model = "/nonexistent/model.onnx";
  options_.device = parse_device("cuda:0");
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(made_, ElementsAre("renderer on cuda:0"));
  EXPECT_EQ(report()[0]["device"], "cuda:0");
  EXPECT_TRUE(report()[0]["model"].is_null());
}

TEST_F(HidesOnAChip, AllThatHidingCanDoWhereNobodyNamesADevice) {
  options_.existing = ExistingOutput::overwrite;
  const auto expect_device = [&](const std::string& made) {
    made_.clear();
    EXPECT_EQ(run_all(), 0);
    EXPECT_THAT(made_, ElementsAre(made + " on cuda:0"));
  };
  options_.detector.mirrored_too = true;
  expect_device("detector");
  options_.two_pass = true;
  expect_device("detector");
  options_.two_pass = false;
  know_tracks();
  expect_device("renderer");
}

TEST_F(HidesOnAChip, KnownTracksOnANamedDeviceOrNot) {
  know_tracks();
  options_.device = parse_device("cpu");
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(made_, ElementsAre("renderer on cpu"));
  on_cuda_ = "no code for it";
  options_.device = parse_device("cuda:0");
  options_.existing = ExistingOutput::overwrite;
  expect_error(ErrorKind::device, "no code for it", [&] { (void)run_all(); });
}

}  // namespace
}  // namespace facepipe::app
