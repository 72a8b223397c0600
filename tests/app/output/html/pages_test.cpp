// These tests check the pages of --report-html, made from entries and series, and their files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/output/html/entry.h"
#include "app/output/html/folder_page.h"
#include "app/output/html/page_files.h"
#include "app/output/html/run_page.h"
#include "app/output/html/verify_page.h"
#include "app/output/input_json.h"
#include "core/error.h"
#include "tests/app/frames.h"
#include "tests/app/outcomes.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using nlohmann::ordered_json;
using test::done_outcome;
using test::some_facts;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kMostPageBytes = 400'000;

RunSeries series_of(int frames) {
  RunSeries series(test::at_ms(0));
  for (int i = 0; i < frames; ++i) {
    FrameRecord record = test::frame_record(i, 2);
    record.face_tracks = {i / 100, 100000 + i};
    record.damaged = i % 1000 == 7;
    series.add(record);
  }
  return series;
}

void expect_complete(const std::string& page) {
  EXPECT_TRUE(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
  EXPECT_TRUE(page.ends_with("</body></html>\n"));
  EXPECT_LT(page.size(), kMostPageBytes);
  for (const char* const word : {"<script", "nan", "http://", "https://", "url("})
    EXPECT_THAT(page, Not(HasSubstr(word)));
}

TEST(RunPage, TellsWhatTheReportTells) {
  const RunSeries series = series_of(100);
  const std::string page =
      run_page(input_json({}, some_facts(), done_outcome("a.mp4")), {&series, {}});
  expect_complete(page);
  for (const char* const text :
       {"<h1>a.mp4</h1>", "Done: every frame is there", "Where the time goes", "bounds the run",
        "Latency over the video", "Faces in a frame", "Sizes of faces", "Scores of faces", "Tracks",
        "What ran on what", "All options", "data stream 2 dropped", "centerface",
        "default-src &#39;none&#39;"})
    EXPECT_THAT(page, HasSubstr(text));
}

TEST(RunPage, OfNoOneAndManyFramesIsComplete) {
  for (const int frames : {0, 1, 2, 50000}) {
    const RunSeries series = series_of(frames);
    expect_complete(run_page(input_json({}, some_facts(), done_outcome("a.mp4")), {&series, {}}));
  }
}

TEST(RunPage, OfAnInputThatFailedTellsWhy) {
  const InputOutcome failed =
      test::outcome_with_code(InputStatus::failed, 3, "x.mp4: <b>no media</b>");
  const std::string page = run_page(input_json({}, {}, failed), {});
  expect_complete(page);
  EXPECT_THAT(page, HasSubstr("Failed: x.mp4: &lt;b&gt;no media&lt;/b&gt;"));
}

TEST(RunPage, TellsWhatNobodyHasLookedAt) {
  RunOptions options;
  options.job.hide.emplace();
  InputOutcome outcome = done_outcome("a.mp4");
  outcome.result.track_counts = pipeline::TrackCounts{120, 3, 1486, 121};
  const std::string page = run_page(input_json(options, some_facts(), outcome), {});
  EXPECT_THAT(page, HasSubstr("120 tracks hidden."));
  EXPECT_THAT(page, HasSubstr("1,486 more were too weak"));
  EXPECT_THAT(page, HasSubstr("121 of them scored 0.1 or more"));
  EXPECT_THAT(page, HasSubstr("facepipe review dir/a.mp4"));
}

TEST(RunPage, HostileTextsStayTexts) {
  const std::string hostile = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'&\u202e";
  RunOptions options;
  options.command_line = {"run", hostile, "https://host/x?secret"};
  options.job.output.encoder.options = {{hostile, hostile}};
  RunFacts facts = some_facts();
  facts.device_why = hostile;
  facts.model = hostile;
  InputOutcome outcome = test::outcome_with_code(InputStatus::damaged, 6, hostile);
  outcome.planned = {hostile, hostile, hostile, {}};
  outcome.result.output = hostile;
  outcome.result.notices = {hostile};
  outcome.result.codecs = {hostile, hostile, hostile, hostile};
  outcome.result.resources.lanes.why_one = hostile;
  const ordered_json entry = input_json(options, facts, outcome);
  for (const std::string& page :
       {run_page(entry, {}), folder_page("run", {folder_line(entry, hostile)})}) {
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, Not(HasSubstr("<img src=x")));
    EXPECT_THAT(page, Not(HasSubstr("\u202e")));
    EXPECT_THAT(page, Not(HasSubstr("secret")));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  }
}

TEST(RunPage, TellsNoQueryOfAUrlInItsTitle) {
  ordered_json entry = input_json({}, some_facts(), done_outcome("a.mp4"));
  entry["file"] = "https://host/a.mp4?token=secret";
  const std::string page = run_page(entry, {});
  EXPECT_THAT(page, HasSubstr("<title>https://host/a.mp4"));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST(RunPage, ShowsWhenFramesWereLostOrDamaged) {
  InputOutcome outcome = done_outcome("a.mp4");
  outcome.status = InputStatus::damaged;
  outcome.result.ledger.lost = 2;
  outcome.result.ledger.lost_at_s = {1.0, 1.04, std::numeric_limits<double>::quiet_NaN()};
  outcome.record.damaged.add(65);
  const ordered_json entry = input_json({}, some_facts(), outcome);
  EXPECT_EQ(entry["lost_s"].dump(), "[[1.0,1.04]]");
  EXPECT_EQ(entry["damaged_s"].dump(), "[[65.0,65.0]]");
  const std::string page = run_page(entry, {});
  EXPECT_THAT(page, HasSubstr("1 s to 1.04 s"));
  EXPECT_THAT(page, HasSubstr("1:05"));
  EXPECT_THAT(page, HasSubstr("class=\"verdict bad\""));
}

TEST(RunPage, WritesListsAsPeopleReadThem) {
  EXPECT_EQ(text_of(ordered_json::parse(R"(["a", 1, true])")), "a, 1, yes");
  EXPECT_EQ(text_of(ordered_json::parse(R"({"rule": "soft", "voting": false, "sigma": null})")),
            "rule soft, voting no");
  EXPECT_EQ(text_of(ordered_json::parse(R"([[1, 2], 3])")), "[[1,2],3]");
  for (const char* const nothing : {"null", "false", "[]", "{}"})
    EXPECT_EQ(text_of(ordered_json::parse(nothing)), "") << nothing;
}

TEST(RunPage, IsMadeInTimeForAFilm) {
  const RunSeries series = series_of(200000);
  video::PreviewPicture picture{1, {320, 180}, std::vector<std::byte>(20000, std::byte{7})};
  const ordered_json entry = input_json({}, some_facts(), done_outcome("a.mp4"));
  const Clock::time_point begin = Clock::now();
  const std::string page = run_page(entry, {&series, {6, picture}});
  EXPECT_LT(in_seconds(Clock::now() - begin), 0.5);
  EXPECT_LT(page.size(), kMostPageBytes);
}

TEST(FolderPage, PutsFirstWhatNeedsALook) {
  const ordered_json good = input_json({}, some_facts(), done_outcome("good.mp4"));
  const ordered_json bad =
      input_json({}, {}, test::outcome_with_code(InputStatus::failed, 3, "bad: no media"));
  const std::string page =
      folder_page("run", {folder_line(good, "r/good.mp4.html"), folder_line(bad, "")});
  expect_complete(page);
  EXPECT_THAT(page, HasSubstr("1 of 2 inputs need a look"));
  EXPECT_THAT(page, HasSubstr("<a href=\"./r/good.mp4.html\">good.mp4</a>"));
  EXPECT_LT(page.find("bad: no media"), page.find("good.mp4"));
}

TEST(FolderPage, OfThousandsOfInputsIsBounded) {
  const FolderLine line =
      folder_line(input_json({}, some_facts(), done_outcome("some-camera/clip-0001.mp4")),
                  "r/some-camera_clip-0001.mp4.html");
  const std::string page = folder_page("run", std::vector<FolderLine>(20000, line));
  expect_complete(page);
  EXPECT_THAT(page, HasSubstr("20,000 inputs"));
  EXPECT_THAT(page, HasSubstr("The table has 1,000 inputs"));
  expect_complete(folder_page("run", {}));
}

TEST(VerifyPage, ListsTheWorstFindings) {
  ordered_json finding = {
      {"kind", "leak"},
      {"frames", 3},
      {"first_s", 1.0},
      {"last_s", 2.0},
      {"best_score", 0.9},
      {"place", "<b>"},
      {"clearest", {{"box", {1, 2, 31, 42}}, {"detail_gone", 0.25}, {"shown", "solid"}}}};
  ordered_json report = {{"original", {{"file", "a.mp4"}}},
                         {"hidden", {{"file", "<h>.mp4"}}},
                         {"exit_code", 7},
                         {"verdict", "5000 places where a face may be seen"},
                         {"frames_compared", 100},
                         {"boxes_measured", 12},
                         {"counts", {{"leak", 5000}, {"cosmetic", 0}, {"kept", 0}, {"else", 0}}},
                         {"frames_missing", {{"count", 2}, {"first_s", 0.5}}}};
  for (int i = 0; i < 5000; ++i) report["findings"].push_back(finding);
  const std::string page = verify_page(report);
  expect_complete(page);
  for (const char* const text :
       {"&lt;h&gt;.mp4", "5000 places where a face may be seen", "30x40 at 1, 2", "75 %",
        "4,800 more", "solid in &lt;b&gt;", "2, first at 0.5 s"})
    EXPECT_THAT(page, HasSubstr(text));
  report.erase("findings");
  expect_complete(verify_page(report));
  expect_complete(verify_page(ordered_json::object()));
}

TEST(PageNames, AreDifferentFilesInOneFolder) {
  EXPECT_THAT(page_names({"a.mp4", "x/a.mp4", "x_a.mp4", "../b.mp4", "a\nb", "", "a.mp4"}),
              ElementsAre("a.mp4.html", "x_a.mp4.html", "x_a.mp4-2.html", "_.._b.mp4.html",
                          "a_b.html", "_.html", "a.mp4-2.html"));
  EXPECT_THAT(page_names({"https://user:pw@host/a.mp4?token=secret"}),
              ElementsAre("https___host_a.mp4_....html"));
  const std::string longest = page_names({std::string(150, 'x') + std::string(100, '\xc3')})[0];
  EXPECT_LE(longest.size(), 200U);
}

TEST(PageFiles, AppearWhenTheyAreComplete) {
  const test::TemporaryFolder dir;
  {
    PageFiles files(dir / "r.html", {"a.mp4", "b/c.mp4"}, ExistingOutput::refuse, {});
    EXPECT_EQ(files.page_of(0), "");
    files.write_page(1, "page of c");
    EXPECT_EQ(files.page_of(1), "r/b_c.mp4.html");
    files.commit("table");
    EXPECT_EQ(files.committed(), dir / "r.html");
  }
  EXPECT_THAT(dir.names(), ElementsAre("r", "r.html", "r/b_c.mp4.html"));
  EXPECT_EQ(test::read_file(dir / "r.html"), "table");
  { PageFiles files(dir / "s.html", {}, ExistingOutput::refuse, {}); }
  EXPECT_THAT(dir.names(), ElementsAre("r", "r.html", "r/b_c.mp4.html")) << "nothing was finished";
}

TEST(PageFiles, ReplaceOnlyWhatTheyMay) {
  const test::TemporaryFolder dir;
  dir.write("r.html", "somebody's");
  dir.write("s/a.mp4.html", "somebody's");
  for (const ExistingOutput existing : {ExistingOutput::refuse, ExistingOutput::skip}) {
    EXPECT_THROW(PageFiles(dir / "r.html", {}, existing, {}), Error);
    EXPECT_THROW(PageFiles(dir / "s.html", {"a.mp4"}, existing, {}), Error);
  }
  dir.write("t", "a file");
  EXPECT_THROW(PageFiles(dir / "t.html", {"a.mp4"}, ExistingOutput::overwrite, {}), Error);
  EXPECT_EQ(test::read_file(dir / "r.html"), "somebody's");
  const std::string ours = folder_page("run", {});
  dir.write("r.html", ours);
  dir.write("r/a.mp4.html", ours);
  PageFiles again(dir / "r.html", {"a.mp4"}, ExistingOutput::skip, {});
  EXPECT_TRUE(again.exists_already());
  again.write_page(0, "new");
  again.commit("new table");
  EXPECT_EQ(test::read_file(dir / "r/a.mp4.html"), "new");
  EXPECT_EQ(test::read_file(dir / "r.html"), "new table");
}

}  // namespace
}  // namespace facepipe::app
