// These tests check the lines of progress and the intervals between them.
#include "app/output/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace facepipe::app {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

ProgressState state(pipeline::Progress progress) {
  ProgressState state;
  state.file = "clip.mp4";
  state.progress = progress;
  return state;
}

TEST(ProgressReporter, KnowsThatItCouldNotWrite) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> full(std::fopen("/dev/full", "w"),
                                                             std::fclose);
  ProgressReporter reporter(ProgressKind::json, full.get(), state({}));
  reporter.end("done", ProgressEnd::of_all_frames);
  EXPECT_EQ(reporter.write_error(), ENOSPC);
}

TEST(ProgressJson, HasNullForWhatIsUnknown) {
  ProgressState known = state({30, 120, 15, 44});
  known.elapsed_s = 2;
  EXPECT_EQ(json::parse(progress_json(known)), json({{"file", "clip.mp4"},
                                                     {"input", 1},
                                                     {"inputs", 1},
                                                     {"status", "running"},
                                                     {"frames", 30},
                                                     {"expected_frames", 120},
                                                     {"fps", 15.0},
                                                     {"faces", 44},
                                                     {"elapsed_s", 2.0},
                                                     {"left_s", 6.0}}));
  const json unknown = json::parse(progress_json(state({30, 0, 15, 44})));
  EXPECT_TRUE(unknown["expected_frames"].is_null());
  EXPECT_TRUE(unknown["left_s"].is_null());
}

TEST(ProgressBar, ShowsPartSpeedAndTimeLeft) {
  EXPECT_EQ(progress_bar(state({30, 120, 0.5, 44})),
            "[######..................]  25% 30 frames  0.5 fps  44 faces  3:00 left");
  EXPECT_EQ(progress_bar(state({30, 0, 15, 44})), "30 frames  15.0 fps  44 faces");
  ProgressState one_of_three = state({200, 120, 15, 0});
  one_of_three.input = 2;
  one_of_three.inputs = 3;
  EXPECT_THAT(progress_bar(one_of_three),
              testing::StartsWith("2/3 [########################] 100%"));
  EXPECT_LE(progress_bar(state({9'000'000'000, 9'999'999'999, 0.001, 99'999'999'999})).size(), 79U);
}

class ProgressTellerTest : public testing::Test {
 protected:
  std::vector<std::string> lines() {
    std::rewind(file_.get());
    std::string text;
    for (int letter = 0; (letter = std::fgetc(file_.get())) != EOF;)
      text += static_cast<char>(letter);
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_{std::tmpfile()};
};

TEST_F(ProgressTellerTest, SaysHowItEnds) {
  {
    ProgressReporter reporter(ProgressKind::json, file_.get(), state({}));
    reporter.update({7, 7, 100, 3});
    reporter.end("done", ProgressEnd::of_all_frames);
  }
  const json last = json::parse(lines().back());
  EXPECT_EQ(last["status"], "done");
  EXPECT_EQ(last["frames"], 7);
}

TEST_F(ProgressTellerTest, C4ExpectsNoMoreFramesAtTheEnd) {
  for (const bool all : {true, false}) {
    ProgressReporter reporter(ProgressKind::json, file_.get(), state({}));
    reporter.update({7, 40, 100, 3});
    reporter.end(all ? "done" : "failed",
                 all ? ProgressEnd::of_all_frames : ProgressEnd::before_the_last);
    const json last = json::parse(lines().back());
    EXPECT_EQ(last["expected_frames"], all ? 7 : 40);
    EXPECT_EQ(last["left_s"] == 0, all);
  }
}

TEST_F(ProgressTellerTest, GoesOnWhileNoFrameComes) {
  {
    ProgressReporter reporter(ProgressKind::json, file_.get(), state({}));
    std::this_thread::sleep_for(1200ms);
    reporter.end("done", ProgressEnd::of_all_frames);
  }
  const std::vector<std::string> all = lines();
  ASSERT_EQ(all.size(), 3U) << "at the start, after a second, and at the end";
  const double gap = json::parse(all[1])["elapsed_s"].get<double>() -
                     json::parse(all[0])["elapsed_s"].get<double>();
  EXPECT_GT(gap, 0.5);
  EXPECT_LT(gap, 1.2);
}

TEST_F(ProgressTellerTest, BarLeavesAnEmptyLine) {
  {
    ProgressReporter reporter(ProgressKind::bar, file_.get(), state({}));
    reporter.end("done", ProgressEnd::of_all_frames);
  }
  EXPECT_THAT(lines().back(), testing::EndsWith("\r\033[K"));
}

TEST_F(ProgressTellerTest, NoneIsSilent) {
  {
    ProgressReporter reporter(ProgressKind::none, file_.get(), state({}));
    reporter.end("done", ProgressEnd::of_all_frames);
  }
  EXPECT_THAT(lines(), testing::IsEmpty());
}

}  // namespace
}  // namespace facepipe::app
