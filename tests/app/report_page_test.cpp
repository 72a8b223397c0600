// These tests check the pages of --report-html that the real program writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/files/sha256.h"
#include "tests/app/program.h"
#include "tests/app/verify_clips.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

/// Expects that Python's parser finds no fault in a page. Returns the page.
std::string sound_page(const fs::path& page) {
  const CommandResult result =
      run_command({"python3", "-B", FACEPIPE_SOURCE_DIR "/tests/pages/page_checks.py", page});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  return read_file(page);
}

std::size_t pictures_in(const std::string& page) {
  std::size_t count = 0;
  const std::string begin = "<img ";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1))
    ++count;
  return count;
}

class ReportPage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    clips_.emplace();
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=1.2 -c:v libx264 -preset ultrafast -g 5", clip());
  }
  static void TearDownTestSuite() { clips_.reset(); }
  static fs::path clip() { return *clips_ / "clip.mp4"; }

  /// Runs a command and expects that it succeeds.
  static void run(const Arguments& arguments) {
    const CommandResult result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }

  static inline std::optional<TemporaryFolder> clips_;
  TemporaryFolder dir_;
};

TEST_F(ReportPage, ShowsTheRunAndPicturesOfItsOutput) {
  run({"run", "-q", clip(), "-o", dir_ / "out.mp4", "--report-html", dir_ / "r.html", "--report",
       dir_ / "r.json", "--device", "cpu"});
  const std::string page = sound_page(dir_ / "r.html");
  EXPECT_EQ(pictures_in(page), 6U);
  EXPECT_THAT(page, HasSubstr("Done: every frame is there"));
  EXPECT_THAT(page, HasSubstr(sha256_of_file(clip())));
  EXPECT_THAT(page, HasSubstr(sha256_of_file(dir_ / "out.mp4")));
  EXPECT_THAT(dir_.names(), ElementsAre("out.mp4", "r.html", "r.json"));
  const json entry = json::parse(read_file(dir_ / "r.json"))[0];
  EXPECT_EQ(entry["sha256"]["input"], sha256_of_file(clip()));
  EXPECT_EQ(entry["sha256"]["output"], sha256_of_file(dir_ / "out.mp4"));
  EXPECT_TRUE(entry["sha256"]["edit_file"].is_null());
  EXPECT_EQ(entry["command"], "run");
  EXPECT_EQ(entry["command_line"][1], "run");
  EXPECT_EQ(entry["command_line"][3], clip().string());
  EXPECT_EQ(entry["begun"].get<std::string>().size(), std::string("2026-01-31T23:59:59Z").size());
  EXPECT_TRUE(entry["versions"].contains("FFmpeg"));
  EXPECT_EQ(entry["lost_s"], json::array());
  EXPECT_EQ(entry["damaged_s"], json::array());
}

TEST_F(ReportPage, HasNoPicturesWithoutAVideo) {
  run({"detect", "-q", clip(), "--report-html", dir_ / "d.html"});
  run({"run", "-q", clip(), "--no-video", "--report-html", dir_ / "n.html"});
  run({"run", "-q", clip(), "-o", "-", "--report-html", dir_ / "s.html"});
  for (const char* const name : {"d.html", "n.html", "s.html"}) {
    const std::string page = sound_page(dir_ / name);
    EXPECT_EQ(pictures_in(page), 0U) << name;
    EXPECT_THAT(page, HasSubstr("Latency over the video")) << name;
  }
}

TEST_F(ReportPage, ReplacesAFileOnlyIfTheUserAsksForIt) {
  dir_.write("r.html", "somebody's");
  const Arguments words{"run", "-q", clip(), "--no-video", "--report-html", dir_ / "r.html"};
  expect_refused(run_program(words), 5, "r.html: exists already");
  EXPECT_EQ(read_file(dir_ / "r.html"), "somebody's");
  run(joined(words, {"--overwrite"}));
  sound_page(dir_ / "r.html");
  expect_refused(run_program(joined(words, {"--report", dir_ / "r.html"})), 2, "r.html");
}

TEST_F(ReportPage, OfAFolderHasATableAndAPageEach) {
  fs::create_directories(dir_ / "in/trip");
  fs::copy(clip(), dir_ / "in/a.mp4");
  fs::copy(clip(), dir_ / "in/trip/b c.mp4");
  dir_.write("in/torn.mp4", "no video");
  const Arguments words{"run",           "-q",           dir_ / "in", "-o", dir_.path() / "out/",
                        "--report-html", dir_ / "r.html"};
  EXPECT_EQ(run_program(words).exit_code, 3);
  const std::string table = sound_page(dir_ / "r.html");
  EXPECT_THAT(table, HasSubstr("1 of 3 inputs need a look"));
  EXPECT_THAT(table, HasSubstr("href=\"./r/a.mp4.html\""));
  EXPECT_THAT(table, HasSubstr("href=\"./r/trip_b%20c.mp4.html\""));
  EXPECT_GE(pictures_in(sound_page(dir_ / "r/a.mp4.html")), 1U);
  EXPECT_THAT(sound_page(dir_ / "r/trip_b c.mp4.html"), HasSubstr("trip/b c.mp4"));
  // A run that goes on makes a new table, and keeps the pages of what is done.
  const std::string before = read_file(dir_ / "r/a.mp4.html");
  fs::copy(clip(), dir_ / "in/torn.mp4", fs::copy_options::overwrite_existing);
  run(joined(words, {"--skip-existing"}));
  EXPECT_EQ(read_file(dir_ / "r/a.mp4.html"), before);
  EXPECT_THAT(sound_page(dir_ / "r.html"), HasSubstr("href=\"./r/torn.mp4.html\""));
}

TEST_F(ReportPage, OfAHostileNameIsOnlyText) {
  const std::string name = "\"><script>alert(1)<";
  fs::copy(clip(), dir_ / name);
  run({"run", "-q", dir_ / name, "--no-video", "--report-html", dir_ / "r.html"});
  EXPECT_THAT(sound_page(dir_ / "r.html"), HasSubstr("&quot;&gt;&lt;script&gt;alert(1)&lt;"));
}

TEST_F(ReportPage, TellsWhyAnInputFailed) {
  const fs::path torn = dir_.write("torn.mp4", "no video");
  EXPECT_EQ(
      run_program({"run", "-q", torn, "--no-video", "--report-html", dir_ / "r.html"}).exit_code,
      3);
  EXPECT_THAT(sound_page(dir_ / "r.html"), HasSubstr("Failed: "));
}

class VerifiedPage : public VerifyClips {
 protected:
  static void SetUpTestSuite() {
    make_clips(
        {".mkv", {256, 160}, "740:220", "-frames:v 4 -r 25 -c:v libx264 -crf 10 -pix_fmt yuv420p"});
  }
  TemporaryFolder dir_;
};

TEST_F(VerifiedPage, ListsFindingsAndShowsNoFace) {
  const CommandResult result = verify({"-q", file("a.mkv"), file("a.mkv"), "--report-html",
                                       dir_ / "v.html", "--report", dir_ / "v.json"});
  EXPECT_EQ(result.exit_code, 7) << result.err;
  const std::string page = sound_page(dir_ / "v.html");
  EXPECT_EQ(pictures_in(page), 0U);
  EXPECT_THAT(page, HasSubstr("where a face may be seen"));
  EXPECT_THAT(page, HasSubstr("Findings over time"));
  const json report = json::parse(read_file(dir_ / "v.json"));
  EXPECT_EQ(report["hidden"]["sha256"], sha256_of_file(file("a.mkv")));
  EXPECT_EQ(report["command_line"][0], "facepipe");
  expect_refused(verify({"-q", file("a.mkv"), file("black.mkv"), "--report-html", dir_ / "v.html"}),
                 5, "v.html: exists already");
  expect_refused(verify({"-q", file("a.mkv"), file("a.mkv"), "--report-html", dir_ / "w.json.html",
                         "--report", dir_ / "v.json"}),
                 5, "v.json: exists already");
}

}  // namespace
}  // namespace facepipe::test
