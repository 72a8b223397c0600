// These tests run the real program. tests/pages/review_test.py tests it with a browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/files/sha256.h"
#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::MatchesRegex;

class Review : public testing::Test {
 protected:
  Review() {
    ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25 -frames:v 5 -c:v libx264 -pix_fmt yuv420p", clip());
    write_tracks(sha256_of_file(clip()));
  }
  [[nodiscard]] std::string clip() const { return folder_ / "clip.mp4"; }
  [[nodiscard]] std::string tracks() const { return folder_ / "t.json"; }
  [[nodiscard]] std::string edits() const { return folder_ / "clip.edits.json"; }

  /// Writes an edit file with one track, in the second and the third frame of the clip.
  void write_tracks(const std::string& sha256) const {
    const json box{512, 10, 10, 30, 30, "seen"};
    const json later{1024, 12, 10, 32, 30, "seen"};
    const json track{
        {"id", 3},          {"action", "hide"},     {"start_pts", 512},     {"end_pts", 1024},
        {"score_max", 0.5}, {"origin", "detector"}, {"boxes", {box, later}}};
    const json input{{"sha256", sha256},
                     {"frames", 5},
                     {"width", 96},
                     {"height", 64},
                     {"time_base", {1, 12800}}};
    static_cast<void>(folder_.write(
        "t.json", json{{"version", 1}, {"input", input}, {"tracks", {track}}}.dump()));
  }
  static CommandResult review(const Arguments& arguments) {
    return run_program(joined(joined({"review"}, arguments), {"--no-open", "-q"}));
  }
  /// Starts the program, waits for its address, and then ends it by a signal.
  [[nodiscard]] CommandResult served(const Arguments& arguments) const {
    const std::string out = folder_ / "out.txt";
    const std::string script =
        "out=$1; shift; \"$@\" >\"$out\" & pid=$!; "
        "until grep -q open \"$out\" || ! kill -0 $pid; do sleep 0.05; done; "
        "kill -TERM $pid; wait $pid; code=$?; cat \"$out\"; exit $code";
    return run_command(joined(
        {"bash", "-c", script, "bash", out},
        program(joined(joined({"review"}, arguments), {"--no-open", "-q", "--reviewer", "Ada"}))));
  }

  TemporaryFolder folder_;
};

TEST_F(Review, PrintsItsAddressAndSavesWhenASignalEndsIt) {
  const CommandResult result = served({clip(), "--tracks", tracks()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, MatchesRegex("Review .*clip.mp4 at\n"
                                       "http://127.0.0.1:[0-9]+/open[?]t=[0-9a-f]+\n"));
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(json::parse(read_file(edits()))["tracks"], json::parse(read_file(tracks()))["tracks"]);
  EXPECT_TRUE(fs::exists(folder_ / "clip.edits.log.jsonl"));
}

TEST_F(Review, BeginsWithTheTracksThatAnEarlierReviewHasFound) {
  fs::rename(tracks(), folder_ / "clip.tracks.json");
  EXPECT_EQ(served({clip()}).exit_code, 0);
  EXPECT_EQ(json::parse(read_file(edits()))["tracks"][0]["id"], 3);
}

TEST_F(Review, RefusesWhatItCannotReview) {
  expect_refused(review({folder_ / "none.mp4"}), 3, "none.mp4: can't be opened");
  expect_refused(review({clip(), "--tracks", folder_ / "none.json"}), 3, "none.json");
  expect_refused(review({clip(), "--tracks", folder_.write("bad.json", "[]")}), 3, "bad.json");
  write_tracks(std::string(64, 'a'));
  expect_refused(review({clip(), "--tracks", tracks()}), 2, "was made for another input");
  expect_refused(review({folder_.path(), "--tracks", tracks()}), 2, "not a regular file");
  EXPECT_FALSE(fs::exists(edits()));
}

TEST_F(Review, WritesThePageAsOneFileWithoutASession) {
  const std::string page = folder_ / "page.html";
  const CommandResult made =
      run_program({"review", clip(), "--tracks", tracks(), "--to", page, "--device", "cpu"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.err, testing::HasSubstr("page.html: shows the faces that are to be hidden"));
  EXPECT_EQ(made.out, "");
  EXPECT_THAT(read_file(page), testing::HasSubstr("id=\"edit-file\""));
  EXPECT_FALSE(fs::exists(edits()));
  EXPECT_FALSE(fs::exists(folder_ / "clip.edits.log.jsonl"));
  const Arguments again{"review", clip(), "--tracks", tracks(), "--to", page, "-q"};
  expect_refused(run_program(again), 5, "page.html: exists");
  EXPECT_EQ(run_program(joined(again, {"--overwrite"})).exit_code, 0);
  expect_refused(run_program(joined(again, {"--no-open"})), 2, "--no-open");
}

TEST_F(Review, IsNamedByTheReportOfHide) {
  ASSERT_EQ(served({clip(), "--tracks", tracks()}).exit_code, 0);
  const std::string log = folder_ / "clip.edits.log.jsonl";
  const auto hidden = [&] {
    const std::string report = folder_ / "report.json";
    const CommandResult result = run_program(
        {"hide", clip(), "--tracks", edits(), "-o", folder_ / "hidden.mp4", "--report", report,
         "--report-html", folder_ / "report.html", "--overwrite", "--device", "cpu", "-q"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(read_file(report))[0];
  };
  const std::string text = read_file(log);
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  const json review = hidden()["review"];
  EXPECT_EQ(review["log"], log);
  EXPECT_EQ(review["last_sha256"], sha256_hex(text.substr(last, text.size() - last - 1)));
  EXPECT_EQ(review["reviewers"], json::array({"Ada"}));
  EXPECT_TRUE(review["fault"].is_null());
  EXPECT_THAT(read_file(folder_ / "report.html"),
              testing::HasSubstr("The log of the review tells who has decided this: Ada."));
  // Somebody writes another name into the log.
  std::string other = text;
  other.replace(other.find("Ada"), 3, "Eve");
  static_cast<void>(folder_.write("clip.edits.log.jsonl", other));
  const json broken = hidden();
  EXPECT_TRUE(broken["review"]["last_sha256"].is_null());
  EXPECT_THAT(broken["review"]["fault"].get<std::string>(),
              testing::HasSubstr("line 2 doesn't continue the log"));
  EXPECT_THAT(broken["notices"].back().get<std::string>(), testing::HasSubstr("edits.log.jsonl"));
  EXPECT_THAT(read_file(folder_ / "report.html"),
              testing::HasSubstr("doesn&#39;t prove who has decided this"));
  fs::remove(log);
  EXPECT_TRUE(hidden()["review"].is_null());
}

TEST_F(Review, RefusesALogThatSomebodyHasChanged) {
  ASSERT_EQ(served({clip(), "--tracks", tracks()}).exit_code, 0);
  const std::string log = folder_ / "clip.edits.log.jsonl";
  std::string text = read_file(log);
  text.replace(text.find("Ada"), 3, "Eve");
  static_cast<void>(folder_.write("clip.edits.log.jsonl", text));
  expect_refused(review({clip(), "--tracks", tracks()}), 3, "somebody has changed it");
}

}  // namespace
}  // namespace facepipe::test
