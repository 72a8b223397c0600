// These tests run `verify` of the real program. They check exit codes, reported differences, files,
// and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/app/verify_clips.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using test::Arguments;
using test::CommandResult;
using testing::HasSubstr;

class Verify : public test::VerifyClips {
 protected:
  // In this part of the photo, the faces are large enough for a clip of this size.
  static void SetUpTestSuite() {
    make_clips(
        {".mp4", {640, 400}, "360:120", "-frames:v 4 -r 25 -c:v libx264 -crf 18 -pix_fmt yuv420p"});
  }

  static void expect_refusal(int code, const std::string& reason, const Arguments& arguments) {
    test::expect_refused(verify(arguments), code, reason);
  }
};

TEST_F(Verify, FindsNoFaceWhereAllIsHidden) {
  const CommandResult result = verify({file("a.mp4"), file("black.mp4")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("4 frames compared, of 4 and 4"));
  EXPECT_THAT(result.err, HasSubstr("no face found"));
}

// The threshold is above the scores that a detector can still give to hidden faces. verify's second
// look finds weaker detections, most of which aren't faces.
TEST_F(Verify, FindsNoFaceInWhatHideMade) {
  const test::TemporaryFolder dir;
  const std::string made = dir / "hidden.mp4";
  const CommandResult hidden =
      test::run_program({"hide", file("a.mp4"), "-o", made, "--model", kModel});
  ASSERT_EQ(hidden.exit_code, 0) << hidden.err;
  const CommandResult result = verify({file("a.mp4"), made, "--score", "0.4", "--quick"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(Verify, FindsTheFacesOfTheOriginalItself) {
  const test::TemporaryFolder dir;
  const CommandResult result = verify({file("a.mp4"), file("a.mp4"), "--quick", "--report",
                                       dir / "r.json", "--thumbnails", dir / "faces"});
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_THAT(result.err, HasSubstr("where a face may be seen"));
  const nlohmann::json report = nlohmann::json::parse(test::read_file(dir / "r.json"));
  EXPECT_EQ(report["exit_code"], 7);
  EXPECT_EQ(report["frames_compared"], 4);
  EXPECT_EQ(report["counts"]["else"], 0);
  const nlohmann::json& found = report["findings"].at(0);
  EXPECT_EQ(found["kind"], "leak");
  EXPECT_GT(found["best_score"], 0.5);
  EXPECT_EQ(found["frames"], 4);
  EXPECT_EQ(found["boxes"].size(), 4U);
  EXPECT_EQ(found["clearest"]["detail_gone"], 0);
  const std::string thumbnail = found["thumbnail"];
  EXPECT_EQ(test::read_file(thumbnail).substr(1, 3), "PNG");
  struct stat of_file {};
  struct stat of_folder {};
  ASSERT_EQ(stat(thumbnail.c_str(), &of_file), 0);
  ASSERT_EQ(stat((dir / "faces").c_str(), &of_folder), 0);
  EXPECT_EQ(of_file.st_mode & 0777U, 0600U);
  EXPECT_EQ(of_folder.st_mode & 0777U, 0700U);
}

TEST_F(Verify, TellsOfFramesThatAreMissingAndOfOtherSizes) {
  const test::TemporaryFolder dir;
  test::ffmpeg(
      "-i " + file("black.mp4") + " -vf select=not(eq(n\\,1)) -fps_mode passthrough -c:v libx264",
      dir / "missing.mp4");
  const CommandResult missing = verify({file("a.mp4"), dir / "missing.mp4", "--quick"});
  EXPECT_EQ(missing.exit_code, 6) << missing.err;
  EXPECT_THAT(missing.err, HasSubstr("1 frame missing, first at 0:00:00.040 (frame 1)"));
  test::ffmpeg("-i " + file("black.mp4") + " -vf scale=320:200 -c:v libx264", dir / "small.mp4");
  const CommandResult small = verify({file("a.mp4"), dir / "small.mp4", "--quick"});
  EXPECT_EQ(small.exit_code, 6) << small.err;
  EXPECT_THAT(small.err, HasSubstr("pictures of 640x400 became 320x200"));
}

TEST_F(Verify, TellsOfStampsThatDiffer) {
  const test::TemporaryFolder dir;
  test::ffmpeg("-i " + file("black.mp4") +
                   " -vf settb=1/1000,setpts=PTS*1.1 -fps_mode passthrough"
                   " -enc_time_base 1/1000 -c:v libx264",
               dir / "slow.mkv");
  const CommandResult result = verify({file("a.mp4"), dir / "slow.mkv", "--quick"});
  EXPECT_EQ(result.exit_code, 6) << result.err;
  EXPECT_THAT(result.err, HasSubstr("3 frames with another time, first at 0:00:00.040"));
}

TEST_F(Verify, TakesTheEditFileOfItsInputAlone) {
  const test::TemporaryFolder dir;
  const std::string hash = test::run_command({"sha256sum", file("a.mp4")}).out.substr(0, 64);
  const auto tracks = [&](const std::string& sha256) {
    return R"({"version": 1, "input": {"sha256": ")" + sha256 +
           R"(", "frames": 4, "width": 640, "height": 400, "time_base": [1, 25]}, "tracks": [
            {"id": 3, "action": "hide", "start_pts": 0, "end_pts": 3, "origin": "person",
             "boxes": [[0, 200, 100, 300, 200, "seen"]]}]})";
  };
  const std::string right = dir.write("t.json", tracks(hash));
  const std::string wrong = dir.write("w.json", tracks(std::string(64, '0')));
  EXPECT_EQ(verify({file("a.mp4"), file("black.mp4"), "--quick", "--tracks", right}).exit_code, 0);
  const CommandResult shown =
      verify({file("a.mp4"), file("a.mp4"), "--quick", "--tracks", right, "--score", "1"});
  EXPECT_EQ(shown.exit_code, 7) << shown.err;
  EXPECT_THAT(shown.err, HasSubstr("track 3 of the edit file"));
  expect_refusal(2, "was made for another input",
                 {file("a.mp4"), file("a.mp4"), "--tracks", wrong});
}

TEST_F(Verify, RefusesInOneLine) {
  const test::TemporaryFolder dir;
  const std::string text = dir.write("text.mp4", "this is not a video");
  const std::string report = dir.write("r.json", "before");
  expect_refusal(2, "two videos, ORIGINAL and HIDDEN, not 1", {"--", file("a.mp4")});
  expect_refusal(2, "HIDDEN", {file("a.mp4")});
  expect_refusal(2, "--score: '0.01'", {file("a.mp4"), file("a.mp4"), "--score", "0.01"});
  expect_refusal(2, "--quik: unknown option; did you mean --quick?",
                 {file("a.mp4"), file("a.mp4"), "--quik"});
  expect_refusal(2, "standard input can't be both", {"-", "-"});
  expect_refusal(3, "no.mp4: no such file", {file("a.mp4"), dir / "no.mp4"});
  expect_refusal(3, text, {file("a.mp4"), text});
  expect_refusal(5, "r.json", {file("a.mp4"), file("a.mp4"), "--report", report});
  expect_refusal(5, "exists already",
                 {file("a.mp4"), file("a.mp4"), "--thumbnails", dir.path().string()});
  EXPECT_EQ(test::read_file(report), "before");
}

TEST_F(Verify, NeverReplacesWhatItReads) {
  const test::TemporaryFolder dir;
  const std::string tracks = dir.write("tracks.json", "an edit file");
  const std::string card = dir.write("card.json", "a card");
  std::filesystem::create_hard_link(tracks, dir / "other.json");
  for (const auto& [report, reason] :
       {std::pair{tracks, "tracks.json: is also an input"},
        std::pair{(dir / "other.json").string(), "other.json: is also an input"},
        std::pair{card, "card.json: is also an input"}})
    expect_refusal(2, reason,
                   {file("a.mp4"), file("a.mp4"), "--tracks", tracks, "--card", card, "--report",
                    report, "--overwrite"});
  EXPECT_EQ(test::read_file(tracks), "an edit file");
  EXPECT_EQ(test::read_file(card), "a card");
}

}  // namespace
}  // namespace facepipe::app
