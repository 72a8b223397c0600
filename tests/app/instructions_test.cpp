// These tests run the real program with instructions of a user: tracks, regions, and a file of
// options. The program must report each instruction that it can't apply.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// Hides faces by an edit file, so that no model is needed. The clip has 25 frames in a second;
/// their time stamps are 0, 40, 80, ... ms.
class InstructionsOfAUser : public testing::Test {
 protected:
  InstructionsOfAUser() { make_clip("clip.mkv"); }

  void make_clip(const std::string& name) {
    clip_ = folder_ / name;
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=1 -pix_fmt yuv420p -c:v ffv1", clip_);
  }

  /// Returns a track that a person has drawn, from one time stamp to another.
  static json track(int id, int from, int to, const char* action = "hide") {
    return {{"id", id},      {"action", action},   {"start_pts", from},
            {"end_pts", to}, {"origin", "person"}, {"boxes", {{from, 8, 8, 24, 24, "seen"}}}};
  }
  [[nodiscard]] std::string tracks(const std::vector<json>& all) const {
    std::string sum = run_command({"sha256sum", clip_}).out;
    // sha256sum writes a backslash before the hash if the file's name contains a line break.
    sum = sum.substr(sum.starts_with('\\') ? 1 : 0, 64);
    const json file = {{"version", 1},
                       {"input",
                        {{"sha256", sum},
                         {"frames", 25},
                         {"width", 64},
                         {"height", 64},
                         {"time_base", {1, 1000}}}},
                       {"tracks", all}};
    return folder_.write("t.json", file.dump());
  }
  [[nodiscard]] CommandResult hide(const std::string& file, const Arguments& more = {}) const {
    return run_program(joined({"hide", clip_, "--tracks", file, "-o", folder_ / "out.mkv",
                               "--device", "cpu", "--codec", "ffv1", "--overwrite"},
                              more));
  }
  void expect_nothing_written(const CommandResult& result, const std::string& reason) const {
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_EQ(folder_.names(), (std::vector<std::string>{"clip.mkv", "t.json"}));
  }

  TemporaryFolder folder_;
  std::string clip_;
};

TEST_F(InstructionsOfAUser, A9ATrackBetweenFramesIsTold) {
  const std::string file = tracks({track(3, 0, 400), track(7, 41, 79), track(8, 5000, 6000)});
  const CommandResult result = hide(file);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("t.json: track 7 (pts 41 to 79) applies to no frame"));
  EXPECT_THAT(result.err, HasSubstr("t.json: track 8 (pts 5000 to 6000) applies to no frame"));
  EXPECT_THAT(result.err, Not(HasSubstr("track 3")));
  fs::remove(folder_ / "out.mkv");
  expect_nothing_written(hide(file, {"--strict"}), "--strict: ");
}

TEST_F(InstructionsOfAUser, A9AFileOfWhichNothingAppliesLeavesNoVideo) {
  expect_nothing_written(hide(tracks({track(7, 41, 79), track(8, 5000, 6000)})),
                         "clip.mkv: no entry of " + (folder_ / "t.json").string() +
                             " applies to any of its frames, so nothing is written");
  expect_nothing_written(hide(tracks({track(7, 41, 79)}), {"--region", "A=0,0,8,8"}),
                         "no entry of " + (folder_ / "t.json").string());
}

TEST_F(InstructionsOfAUser, A9WhatAFileDoesNotAskForIsNotMissed) {
  const std::vector<std::vector<json>> files{
      {}, {track(7, 41, 79, "keep")}, {track(7, 41, 79, "suggest")}};
  for (const std::vector<json>& all : files) {
    const CommandResult result = hide(tracks(all));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("applies to no frame")));
  }
}

// A run on a part of an input doesn't report tracks of its other parts.
TEST_F(InstructionsOfAUser, A9OfAPartOnlyWhatLiesInItIsMissed) {
  const CommandResult begin =
      hide(tracks({track(1, 0, 200), track(2, 641, 679)}), {"--end", "0.3"});
  EXPECT_EQ(begin.exit_code, 0) << begin.err;
  EXPECT_THAT(begin.err, Not(HasSubstr("applies to no frame")));
  EXPECT_EQ(hide(tracks({track(1, 0, 200)}), {"--start", "0.4"}).exit_code, 0);
  fs::remove(folder_ / "out.mkv");
  expect_nothing_written(hide(tracks({track(1, 0, 200), track(2, 641, 679)}), {"--start", "0.4"}),
                         "no entry of ");
}

TEST_F(InstructionsOfAUser, A9RegionsAndSpansBehindTheEndAreTold) {
  const std::string file = tracks({track(3, 0, 400)});
  const Arguments late{"--region", "door=0,0,8,8@5-6", "--hide-all", "2-"};
  expect_nothing_written(hide(file, late),
                         "clip.mkv: no entry of --region and --hide-all applies to any");
  const Arguments one_applies =
      joined(late, {"--region", "wall=0,0,8,8@0.5-", "--keep-region", "poster=0,0,9,9@7-"});
  const CommandResult result = hide(file, one_applies);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("--region door applies to no frame"));
  EXPECT_THAT(result.err, HasSubstr("--hide-all 2- applies to no frame"));
  EXPECT_THAT(result.err, HasSubstr("--keep-region poster applies to no frame"));
  EXPECT_THAT(result.err, Not(HasSubstr("wall")));
}

TEST_F(InstructionsOfAUser, C4ProgressExpectsTheFramesOfTheRange) {
  const CommandResult result =
      hide(tracks({track(3, 0, 400)}), {"--end", "0.2", "--progress", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  json last;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    last = json::parse(line);
    EXPECT_TRUE(last["frames"] == 0 || last["expected_frames"] == 5) << line;
  }
  EXPECT_EQ(last["status"], "done");
  EXPECT_EQ(last["frames"], 5);
  EXPECT_EQ(last["left_s"], 0);
}

TEST_F(InstructionsOfAUser, C6OtherFilesThatAreNoFilesAreRefusedAtOnce) {
  const CommandResult tracks_of_zeros = hide("/dev/zero");
  EXPECT_EQ(tracks_of_zeros.exit_code, 3);
  EXPECT_THAT(tracks_of_zeros.err, HasSubstr("/dev/zero: can't be read: it is not a regular file"));
  const CommandResult config =
      run_command({"timeout", "10", FACEPIPE_PROGRAM, "hide", clip_, "--config", "/dev/zero"});
  expect_refused(config, 2, "/dev/zero: is not a regular file");
}

TEST_F(InstructionsOfAUser, D4NoNameIsObeyedByATerminal) {
  make_clip("a\x1b[31mred\nfacepipe: error: forged.mkv");
  const CommandResult result = hide(tracks({track(3, 0, 400), track(9, 5000, 6000)}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(result.err, HasSubstr("done: "));
  EXPECT_THAT(result.err, HasSubstr("a\\x1b[31mred\\x0afacepipe: error: forged.mkv"));
  const CommandResult missing = run_program({"run", "no\x1b[2Jfile.mp4"});
  expect_refused(missing, 3, "no\\x1b[2Jfile.mp4: no such file");
  const std::string config = folder_.write("my.toml", "[hide]\nno\x1b[2Jname = 1\n");
  const CommandResult refused = run_program({"hide", clip_, "--config", config});
  expect_refused(refused, 2, "no\\x1b[2Jname");
}

}  // namespace
}  // namespace facepipe::test
