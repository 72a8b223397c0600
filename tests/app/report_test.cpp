// What a run tells at its end: report, summary, exit code.
#include "app/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/stage_times.h"
#include "app/summary.h"
#include "tests/app/frames.h"
#include "tests/app/outcomes.h"

namespace facepipe {
namespace {

using nlohmann::json;
using test::done_outcome;
using test::outcome_with_code;
using test::some_facts;
using testing::HasSubstr;
using testing::Not;

TEST(Report, TellsEverythingOfAnInput) {
  RunOptions options;
  options.job.encoder.options = {{"tune", "film"}};
  options.detector.score_threshold = 0.3F;
  const json report = json::parse(report_json(options, some_facts(), {done_outcome("a.mp4")}));
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
  EXPECT_EQ(input["model"],
            json({{"kind", "centerface"}, {"path", "models/m.onnx"}, {"sha256", "abc123"}}));
  EXPECT_EQ(input["options"]["score"], 0.3);
  EXPECT_EQ(input["options"]["nms"],
            json({{"rule", "greedy"}, {"overlap", "iou"}, {"voting", false}}));
  EXPECT_EQ(input["options"]["encoder"]["options"]["tune"], "film");
  EXPECT_EQ(input["options"]["draw"], json({"boxes"}));
  EXPECT_TRUE(input["options"]["detect_size"].is_null());
  EXPECT_EQ(input["size"], json({640, 480}));
  EXPECT_EQ(input["frames"], json({{"packets", 100},
                                   {"decoded", 100},
                                   {"lost", 0},
                                   {"damaged", 0},
                                   {"written", 100},
                                   {"ended_early", false}}));
  EXPECT_TRUE(input["detection_tiles"].is_null());
  EXPECT_EQ(input["options"]["max_pixels"], 1 << 27);
  EXPECT_EQ(input["faces"], 250);
  EXPECT_EQ(input["candidates"], 700);
  EXPECT_EQ(input["candidates_ignored"], 0);
  EXPECT_EQ(input["fps"], 25);
  EXPECT_EQ(input["wall_s"], 4);
  EXPECT_EQ(input["stage_ms"]["decode"], json({{"p50", 1}, {"p95", 2}, {"p99", 3}, {"max", 4}}));
  EXPECT_EQ(input["stage_cpu_ms"]["decode"]["p50"], 0.5);
  EXPECT_EQ(input["notices"], json({"data stream 2 dropped: mp4 can't hold it"}));
}

TEST(Report, IsNullWhereNothingWasReached) {
  const json report = json::parse(report_json(
      {}, {}, {outcome_with_code(InputStatus::failed, 3, "x.mp4: no media"), InputOutcome{}}));
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
  EXPECT_EQ(json::parse(report_json({}, {}, {outcome}))[0]["file"], "bad\xef\xbf\xbd.mp4");
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

TEST(StageTimes, PutsTheFramesOfAllInputsTogether) {
  StageTimes times;
  EXPECT_TRUE(times.table().empty());
  for (int i = 0; i < 3; ++i) {
    FrameRecord record = test::frame_record(i, 0);
    record.times[StageId::mux] = {};
    times.add(record.times);
  }
  const auto table = times.table();
  ASSERT_EQ(table.size(), kStageCount - 1 + 2) << "mux did not run; total and latency did";
  EXPECT_EQ(table[0].first, "read");
  EXPECT_NEAR(table[0].second.p50, 0.5, 1e-6);
  EXPECT_EQ(table[table.size() - 2].first, "total");
  EXPECT_NEAR(table[table.size() - 2].second.max, 6.5, 1e-6);
  EXPECT_EQ(table.back().first, "latency");
}

TEST(Summary, TellsWhatRanAndWhereItLies) {
  const std::string text = summary_text(some_facts(), {done_outcome("a.mp4")},
                                        {{"decode", {1, 2, 3, 4.125}}}, {"d.jsonl"});
  EXPECT_THAT(text, HasSubstr("ran on cpu, openvino f16, centerface (models/m.onnx)\n"));
  EXPECT_THAT(text, HasSubstr("done: dir/a.mp4: 100 frames, 250 faces, 25.0 fps -> out/a.mp4\n"));
  EXPECT_THAT(text, HasSubstr("decode            1.00      2.00      3.00      4.12\n"));
  EXPECT_THAT(text, HasSubstr("wrote d.jsonl\n"));
  EXPECT_THAT(text, Not(HasSubstr("all:")));
}

TEST(Summary, TellsDamageFailuresAndTotals) {
  InputOutcome damaged = outcome_with_code(InputStatus::damaged, 6);
  damaged.result.ledger.lost = 2;
  damaged.result.ledger.ended_early = true;
  const std::string text = summary_text(
      {},
      {damaged, done_outcome("z.mp4"), outcome_with_code(InputStatus::failed, 3, "y.mp4: no media"),
       outcome_with_code(InputStatus::skipped, 0)},
      {}, {});
  EXPECT_THAT(text, HasSubstr("100 frames (2 lost, 0 damaged, ended early), 250 faces"));
  EXPECT_THAT(text, HasSubstr("failed: y.mp4: no media\n"));
  EXPECT_THAT(text, HasSubstr("skipped: dir/x.mp4\n"));
  EXPECT_THAT(text, HasSubstr("all: 2 inputs, 200 frames, 500 faces, 25.0 fps\n"));
}

}  // namespace
}  // namespace facepipe
