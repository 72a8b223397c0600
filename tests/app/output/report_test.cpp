// These tests check what a run reports at its end: the report, the summary and the exit code.
#include "app/output/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/output/summary.h"
#include "core/error.h"
#include "tests/app/frames.h"
#include "tests/app/outcomes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using nlohmann::json;
using test::done_outcome;
using test::outcome_with_code;
using test::some_facts;
using testing::HasSubstr;
using testing::Not;

TEST(Report, HasNoNetworkSizeOfADetectorWithoutANetwork) {
  InputOutcome outcome = done_outcome("a.mp4");
  outcome.result.network.size.reset();
  const json report = json::parse(report_json({}, some_facts(), {outcome}).text);
  EXPECT_TRUE(report[0].contains("network_size"));
  EXPECT_TRUE(report[0]["network_size"].is_null());
}

TEST(Report, TellsTheScoreOfFacesAndNotOfWhatTracksNeed) {
  RunOptions options;
  options.detector.score_threshold = 0.03F;
  options.job.search.face_score = 0.4F;
  const json report = json::parse(report_json(options, some_facts(), {done_outcome("a.mp4")}).text);
  EXPECT_EQ(report[0]["options"]["score"], 0.4);
}

TEST(Report, TellsEverythingOfAnInput) {
  RunOptions options;
  options.job.output.encoder.options = {{"tune", "film"}};
  options.detector.score_threshold = 0.3F;
  const json report = json::parse(report_json(options, some_facts(), {done_outcome("a.mp4")}).text);
  ASSERT_EQ(report.size(), 1U);
  const json& input = report[0];
  EXPECT_EQ(input["file"], "a.mp4");
  EXPECT_EQ(input["input"], "dir/a.mp4");
  EXPECT_EQ(input["output"], "out/a.mp4");
  EXPECT_EQ(input["status"], "done");
  EXPECT_EQ(input["exit_code"], 0);
  EXPECT_TRUE(input["error"].is_null());
  EXPECT_EQ(input["device"], "cpu");
  EXPECT_EQ(input["engine"], "openvino");
  EXPECT_EQ(input["precision"], "f16");
  EXPECT_EQ(input["why"], json({"cpu: nothing else here", "fastest here"}));
  EXPECT_EQ(input["model"], json({{"kind", "centerface"},
                                  {"class", "face"},
                                  {"path", "models/m.onnx"},
                                  {"sha256", "abc123"},
                                  {"card", nullptr},
                                  {"licence", nullptr}}));
  EXPECT_EQ(input["options"]["score"], 0.3);
  EXPECT_EQ(input["options"]["nms"],
            json({{"rule", "greedy"}, {"overlap", "iou"}, {"voting", false}}));
  EXPECT_EQ(input["options"]["encoder"]["options"]["tune"], "film");
  EXPECT_EQ(input["options"]["looks"], json::array({1}));
  EXPECT_EQ(input["options"]["draw"], json({"boxes"}));
  EXPECT_TRUE(input["options"]["detect_size"].is_null());
  EXPECT_EQ(input["size"], json({640, 480}));
  EXPECT_EQ(input["network_size"], json({640, 480}));
  EXPECT_EQ(input["frames"], json({{"packets", 100},
                                   {"decoded", 100},
                                   {"lost", 0},
                                   {"damaged", 0},
                                   {"written", 100},
                                   {"ended_early", false}}));
  EXPECT_TRUE(input["detection_tiles"].is_null());
  EXPECT_EQ(input["options"]["max_pixels"], 1 << 27);
  EXPECT_EQ(input["frames_searched"], 50);
  EXPECT_EQ(input["faces"], 250);
  EXPECT_EQ(input["candidates"], 700);
  EXPECT_EQ(input["candidates_ignored"], 0);
  EXPECT_EQ(input["fps"], 40);
  EXPECT_EQ(input["wall_s"], 4);
  EXPECT_EQ(input["startup_s"], 1.5);
  EXPECT_EQ(input["cpu_s"], 7);
  EXPECT_EQ(input["stage_ms"]["decode"], json({{"p50", 1}, {"p95", 2}, {"p99", 3}, {"max", 4}}));
  EXPECT_EQ(input["stage_ms"]["total"]["p50"], 5);
  EXPECT_EQ(input["stage_work"]["decode"], json({{"ms", 12.5}, {"share", 0.3125}}));
  EXPECT_EQ(input["bound_by"], "inference");
  EXPECT_EQ(input["own_cpu_ms"]["decode"]["p50"], 0.5);
  EXPECT_FALSE(input.contains("stage_cpu_ms")) << "it left out what codecs and engines do";
  EXPECT_EQ(input["notices"], json({"data stream 2 dropped: mp4 can't hold it"}));
}

TEST(Report, IsNullWhereNothingWasReached) {
  const json report = json::parse(
      report_json({}, {},
                  {outcome_with_code(InputStatus::failed, 3, "x.mp4: no media"), InputOutcome{}})
          .text);
  ASSERT_EQ(report.size(), 2U);
  EXPECT_EQ(report[0]["status"], "failed");
  EXPECT_EQ(report[0]["exit_code"], 3);
  EXPECT_EQ(report[0]["error"], "x.mp4: no media");
  for (const char* field : {"output", "device", "model", "frames", "fps", "stage_ms", "notices"}) {
    EXPECT_TRUE(report[0].contains(field)) << field;
    EXPECT_TRUE(report[0][field].is_null()) << field;
  }
  EXPECT_EQ(report[1]["status"], "not run");
}

TEST(Report, TakesNamesWithAnyByte) {
  InputOutcome outcome = done_outcome("a.mp4");
  outcome.planned.name = "bad\xff.mp4";
  EXPECT_EQ(json::parse(report_json({}, {}, {outcome}).text)[0]["file"], "bad\xef\xbf\xbd.mp4");
}

TEST(Report, TellsWhereEachEntryLies) {
  const ReportEntries earlier{{"c.mp4", R"({"file": "c.mp4", "notices": ["two\nlines"]})"}};
  const std::vector<InputOutcome> outcomes{done_outcome("a.mp4"), done_outcome("b.mp4")};
  const ReportText report = report_json({}, some_facts(), outcomes, &earlier);
  const auto parsed = nlohmann::ordered_json::parse(report.text);
  EXPECT_EQ(report.text, parsed.dump(2) + "\n");
  ASSERT_EQ(report.entries.size(), 3U);
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const OutputPart& entry = report.entries[i];
    const auto length = static_cast<std::size_t>(entry.end - entry.begin);
    const std::string text = report.text.substr(static_cast<std::size_t>(entry.begin), length);
    EXPECT_EQ(nlohmann::ordered_json::parse(text), parsed[i]);
    EXPECT_EQ(entry.name, parsed[i]["file"].get<std::string>());
  }
  EXPECT_EQ(report_json({}, {}, {}).text, "[]\n");
}

TEST(ExitCode, IsThatOfTheFirstThatFailed) {
  const InputOutcome done = outcome_with_code(InputStatus::done, 0);
  const InputOutcome input = outcome_with_code(InputStatus::failed, 3);
  const InputOutcome output = outcome_with_code(InputStatus::failed, 5);
  const InputOutcome damaged = outcome_with_code(InputStatus::damaged, 6);
  const InputOutcome partial = outcome_with_code(InputStatus::partial, 130);
  EXPECT_EQ(exit_code({}), 0);
  EXPECT_EQ(exit_code({done, done}), 0);
  EXPECT_EQ(exit_code({done, output, input}), 5);
  EXPECT_EQ(exit_code({damaged, input}), 6);
  EXPECT_EQ(exit_code({input, partial}), 130) << "an interrupt is told above all";
}

TEST(Summary, TellsWhatRanAndWhereItLies) {
  const std::string text =
      summary_text(some_facts(), {done_outcome("a.mp4")}, pipeline::StageTimes(), {}, {"d.jsonl"});
  EXPECT_THAT(text, HasSubstr("ran on cpu, openvino f16, centerface (models/m.onnx)\n"));
  EXPECT_THAT(text, HasSubstr("done: dir/a.mp4: 100 frames, 250 faces, 40.0 fps -> out/a.mp4\n"));
  EXPECT_THAT(text, HasSubstr("wrote d.jsonl\n"));
  EXPECT_THAT(text, Not(HasSubstr("all:")));
}

TEST(Summary, TellsWhatWasCopiedAndNothingElse) {
  InputOutcome outcome = done_outcome("a.mp4");
  outcome.result.resources.copies = {{"upload", "to device", 0, 0},
                                     {"download", "to host", 100, 311040000},
                                     {"network_input", "to device", 100, 2506752000}};
  EXPECT_THAT(summary_text({}, {outcome}, {}, {}, {}),
              HasSubstr(" -> out/a.mp4\n"
                        "  copied: download 100 (311.0 MB), network_input 100 (2506.8 MB)\n"));
  outcome.result.resources.copies.clear();
  EXPECT_THAT(summary_text({}, {outcome}, {}, {}, {}), Not(HasSubstr("copied")));
}

TEST(Summary, SaysAtWhichTimesAPersonShouldLook) {
  InputOutcome outcome = done_outcome("a.mp4");
  pipeline::TrackCounts& counts = outcome.result.track_counts.emplace();
  counts.hidden = 5;
  EXPECT_THAT(summary_text({}, {outcome}, {}, {}, {}), Not(HasSubstr("look:")));
  counts.likely = 2;
  counts.likely_at.add({3, 4.5});
  counts.likely_at.add({70, 72});
  EXPECT_THAT(
      summary_text({}, {outcome}, {}, {}, {}),
      HasSubstr(" -> out/a.mp4\n"
                "  look: visible tracks that may be faces: 2, at 3 s to 4.5 s, 1:10 to 1:12; "
                "facepipe review shows them\n"));
  outcome.result.output.clear();  // detect hides nothing
  EXPECT_THAT(summary_text({}, {outcome}, {}, {}, {}), Not(HasSubstr("look:")));
}

/// Returns the times of four frames. Reading takes 1 ms for each frame, and encoding takes 0.25 s
/// for all.
pipeline::StageTimes times_of_four_frames() {
  using std::chrono::milliseconds;
  const Clock::time_point origin = Clock::time_point{} + std::chrono::hours(1);
  pipeline::StageTimes times;
  for (int i = 0; i < 4; ++i) {
    FrameTimes frame;
    frame[StageId::read] = {origin, origin + milliseconds(1)};
    frame[StageId::encode] = {origin + milliseconds(i), origin + milliseconds(1500 + i)};
    times.add(frame);
  }
  times.add_work(StageId::read, milliseconds(4));
  times.add_work(StageId::encode, milliseconds(900));
  times.add_run(2, 0.5);
  return times;
}

TEST(Summary, TellsHowLongEachStageWorksAndWhichIsTheBottleneck) {
  EXPECT_EQ(
      summary_text({}, {}, times_of_four_frames(), {}, {}),
      "stage          work a frame   share of time\n"
      "read                1.00 ms            0.2%\n"
      "encode            225.00 ms           45.0%  bottleneck\n"
      "the bottleneck is encode: it worked for 45.0% of 2.00 s, of which start-up took 0.50 s\n");
}

TEST(Summary, TellsHowLongFramesWaitWhereThatIsAskedFor) {
  const std::string text =
      summary_text({}, {}, times_of_four_frames(), {}, {}, StageDetail::work_and_waiting);
  EXPECT_THAT(text, HasSubstr("encode            225.00 ms           45.0%  bottleneck\n"));
  EXPECT_THAT(text, HasSubstr("ms of a frame, waiting included       median       p95"));
  EXPECT_THAT(text, HasSubstr("read                                    1.00      1.00"));
  EXPECT_THAT(text, HasSubstr("encode                               1500.00   1500.00"));
  EXPECT_THAT(text, HasSubstr("total: first packet to written       "));
  EXPECT_THAT(text, HasSubstr("latency: decoded to encoder    "));
}

TEST(ReportFile, D7WhereItGetsAPartialNameAloneTheNextRunTakesItsEntriesFromThere) {
  const test::TemporaryFolder dir;
  const auto entry = [](const char* name) {
    return std::string(R"({"file": ")") + name + R"(", "status": "done"})";
  };
  const ReportText whole =
      report_json({}, some_facts(), {done_outcome("a.mp4"), done_outcome("b.mp4")});
  {
    ReportFile report(dir / "r.json", ExistingOutput::refuse, {});
    report.add("a.mp4", entry("a.mp4"));
    dir.write("r.json", "somebody's");
    EXPECT_THROW(report.commit(whole), Error);
  }
  EXPECT_THAT(dir.names(), testing::ElementsAre(".r.json.facepipe", "r.json", "r.partial.json"));
  EXPECT_EQ(test::read_file(dir / "r.partial.json"), whole.text);
  std::filesystem::remove(dir / "r.json");
  {
    ReportFile report(dir / "r.json", ExistingOutput::skip, {});
    EXPECT_EQ(report.earlier().size(), 2U);
    EXPECT_TRUE(report.earlier().contains("b.mp4"));
    report.commit(whole);
  }
  EXPECT_THAT(dir.names(), testing::ElementsAre("r.json"));
}

/// Returns `levels` lists within each other. A writer that calls itself for each level needs more
/// stack than there is for a million of them.
std::string nested_lists(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(ReportFile, AReportOfManyLevelsIsNotContinued) {
  const test::TemporaryFolder dir;
  dir.write("r.json", R"([{"file": "a", "b": )" + nested_lists(1'000'000) + "}]");
  test::expect_error(ErrorKind::output, "is not a report",
                     [&] { const ReportFile report(dir / "r.json", ExistingOutput::skip, {}); });
}

TEST(ReportFile, AnEntryOfManyLevelsThatAKilledRunHasLeftIsNotTaken) {
  const test::TemporaryFolder dir;
  const std::string entry = R"({"file": "a", "b": )" + nested_lists(1'000'000) + "}";
  {
    ReportFile report(dir / "r.json", ExistingOutput::skip, {});
    report.add("a", entry);
    report.add("b", R"({"file": "b"})");
    dir.write("r.json", "somebody's");
    EXPECT_THROW(report.commit({entry, {{"a", 0, static_cast<std::int64_t>(entry.size())}}}),
                 Error);
  }
  std::filesystem::remove(dir / "r.json");
  EXPECT_TRUE(ReportFile(dir / "r.json", ExistingOutput::skip, {}).earlier().empty());
}

TEST(Report, AStatusThatIsNoTextTellsNothing) {
  for (const char* const entry :
       {R"({"file": "a", "status": 5, "faces": 0})", R"({"file": "a", "status": {}, "faces": 0})",
        R"({"file": "a", "status": null, "faces": 0})", R"({"file": "a", "faces": 0})", "[]"}) {
    EXPECT_FALSE(reports_no_faces(entry)) << entry;
    EXPECT_FALSE(reports_damage(entry)) << entry;
  }
  EXPECT_TRUE(reports_no_faces(R"({"file": "a", "status": "done", "faces": 0})"));
  EXPECT_FALSE(reports_no_faces(R"({"file": "a", "status": "done", "faces": []})"));
}

TEST(Report, C9TellsADamagedInput) {
  EXPECT_TRUE(reports_damage(entry_json({}, {}, outcome_with_code(InputStatus::damaged, 6))));
  EXPECT_FALSE(reports_damage(entry_json({}, {}, outcome_with_code(InputStatus::done, 0))));
  EXPECT_FALSE(reports_damage("nonsense"));
}

TEST(Summary, TellsDamageFailuresAndTotals) {
  InputOutcome damaged = outcome_with_code(InputStatus::damaged, 6);
  damaged.result.ledger.lost = 2;
  damaged.result.ledger.ended_early = true;
  const std::string text = summary_text(
      {},
      {damaged, done_outcome("z.mp4"), outcome_with_code(InputStatus::failed, 3, "y.mp4: no media"),
       outcome_with_code(InputStatus::skipped, 0)},
      {}, {5, false}, {});
  EXPECT_THAT(text, HasSubstr("100 frames (2 lost, 0 damaged, ended early), 250 faces"));
  EXPECT_THAT(text, HasSubstr("failed: y.mp4: no media\n"));
  EXPECT_THAT(text, HasSubstr("skipped: dir/x.mp4\n"));
  EXPECT_THAT(text, HasSubstr("all: 2 inputs, 200 frames, 500 faces, 40.0 fps\n"));
}

TEST(Summary, OfInputsAtOnceAddsTheirTimesUp) {
  pipeline::StageTimes times;
  FrameTimes frame;
  frame[StageId::read] = {Clock::time_point{} + std::chrono::hours(1),
                          Clock::time_point{} + std::chrono::hours(1)};
  times.add(frame);
  times.add_run(2, 0.5);
  times.add_run(3, 0.5);
  const std::string text =
      summary_text({}, {done_outcome("a.mp4"), done_outcome("b.mp4")}, times, {4, true}, {});
  EXPECT_THAT(text, HasSubstr("all: 2 inputs, 200 frames, 500 faces, 50.0 fps\n"));
  EXPECT_THAT(text,
              HasSubstr(" of 5.00 s, the times of all inputs together, of which start-up took "
                        "1.00 s\n"));
}

}  // namespace
}  // namespace facepipe::app
