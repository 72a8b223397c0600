// These tests run the real program: a part begins to read near its place in the file, and what it
// makes is the same as if it read the file from the beginning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/parts_fixture.h"
#include "tests/support/clips.h"
#include "tests/support/failing_calls.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class PartsPlaces : public PartsTest {
 protected:
  /// Makes a clip that can be cut before each 48th of its 240 frames, also as FFmpeg's options say.
  void make_clip(const fs::path& clip, const std::string& options) const {
    ffmpeg(
        "-f lavfi -i testsrc2=s=320x192:r=25:d=9.6,noise=alls=30:allf=t -f lavfi -i sine=d=9.6 "
        "-c:v libx264 -preset veryfast -threads 1 -bf 3 -crf 12 "
        "-x264-params keyint=48:min-keyint=48:scenecut=0:open-gop=1 -c:a mp3",
        dir_ / "made.mp4");
    ffmpeg("-i " + (dir_ / "made.mp4").string() + " " + options, clip);
  }
  void split_in_five(const fs::path& clip) const {
    split("run", clip, 5, joined(kQuick, {"--codec", "mjpeg", "--format", "matroska"}));
  }
  [[nodiscard]] json read_plan() const { return json::parse(read_file(plan())); }
  void change_plan(const std::function<void(json& parts)>& change) const {
    json changed = read_plan();
    change(changed["parts"]);
    std::ofstream(plan()) << changed.dump(2) << '\n';
  }
  void make_and_join(const std::string& name) const {
    const auto parts = static_cast<int>(read_plan()["parts"].size());
    for (int number = parts; number > 0; --number) make({number});
    const CommandResult result = join(name, {"--detections", dir_ / (name + ".jsonl")});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
};

class PartsOfFormats : public PartsPlaces, public testing::WithParamInterface<const char*> {};

TEST_P(PartsOfFormats, EqualARunAsAWhole) {
  const std::string format = GetParam();
  const fs::path clip = dir_ / ("clip." + format.substr(0, format.find(' ')));
  make_clip(clip, format.substr(format.find(' ') + 1));
  split_in_five(clip);
  const json parts = read_plan()["parts"];
  ASSERT_GE(parts.size(), 4U) << "an edit list may leave out a group of pictures";
  EXPECT_TRUE(parts.back().contains("before"));
  make_and_join("joined.mkv");
  const CommandResult whole =
      run_program(joined({"run", clip, "-o", dir_ / "whole.mkv", "--codec", "mjpeg", "--format",
                          "matroska", "--detections", dir_ / "whole.jsonl"},
                         kQuick));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(sorted_packets(dir_ / "joined.mkv"), sorted_packets(dir_ / "whole.mkv"));
  EXPECT_EQ(read_file(dir_ / "joined.mkv.jsonl"), read_file(dir_ / "whole.jsonl"));
}

// packet_place_test.cpp has more containers.
INSTANTIATE_TEST_SUITE_P(All, PartsOfFormats,
                         testing::Values("mp4 -ss 0.7 -c copy", "mkv -c copy -live 1",
                                         "ts -c copy"));

TEST_F(PartsPlaces, MayHaveSeveralLanes) {
  const fs::path clip = dir_ / "clip.mp4";
  make_clip(clip, "-c copy");
  const Arguments making = joined(kQuick, {"--codec", "mjpeg", "--format", "matroska"});
  split("run", clip, 2, making);
  ASSERT_EQ(read_plan()["parts"].size(), 2U);
  for (const char* const number : {"2", "1"}) {
    const CommandResult result =
        run_program({"part", plan(), number, "--out", folder(), "--lanes", "3"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  const CommandResult joining =
      join("joined.mkv", {"--detections", dir_ / "joined.jsonl", "--latency", dir_ / "joined.csv"});
  ASSERT_EQ(joining.exit_code, 0) << joining.err;
  EXPECT_THAT(read_file(dir_ / "joined.csv"),
              testing::AnyOf(testing::HasSubstr(",1,cpu"), testing::HasSubstr(",2,cpu")));
  const CommandResult whole = run_program(joined(
      {"run", clip, "-o", dir_ / "whole.mkv", "--detections", dir_ / "whole.jsonl"}, making));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(sorted_packets(dir_ / "joined.mkv"), sorted_packets(dir_ / "whole.mkv"));
  EXPECT_EQ(read_file(dir_ / "joined.jsonl"), read_file(dir_ / "whole.jsonl"));
}

TEST_F(PartsPlaces, OfHideHaveOneLane) {
  const fs::path clip = dir_ / "clip.mp4";
  make_clip(clip, "-c copy");
  split("hide", clip, 2, kQuick);
  const CommandResult result =
      run_program({"part", plan(), "1", "--out", folder(), "--lanes", "3"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, testing::HasSubstr("--lanes: a part of split hide has one lane"));
}

TEST_F(PartsPlaces, ReadOnlyWhatTheyNeed) {
  if (!kCanFailCalls) GTEST_SKIP() << "a sanitizer has these calls";
  const fs::path clip = dir_ / "clip.mp4";
  make_clip(clip, "-c copy");
  split_in_five(clip);
  // FFmpeg reads 32 KB at once. The last part needs the packets of two fifths of the file.
  const auto reads = static_cast<long>(fs::file_size(clip) >> 15U);
  ASSERT_GT(reads, 50);
  const auto last_part = [&] {
    return run_failing("read libavformat " + std::to_string(reads * 3 / 4) + " 5",
                       {"part", plan(), "5", "--out", folder(), "-q"}, Failing::from_then_on)
        .exit_code;
  };
  EXPECT_EQ(last_part(), 0);
  change_plan([](json& parts) { parts[4].erase("before"); });
  EXPECT_EQ(last_part(), 75) << "it reads the whole file";
}

TEST_F(PartsPlaces, ThatAreWrongAreNotBelieved) {
  const fs::path clip = dir_ / "clip.mp4";
  make_clip(clip, "-c copy");
  split_in_five(clip);
  make_and_join("right.mkv");
  change_plan([](json& parts) {
    const json third = parts[2]["before"];  // the second part begins at the first place
    parts[2]["before"]["hash"] = "0123456789abcdef";
    parts[3]["before"]["pos"] = 1;
    parts[4]["before"] = third;  // there are such packets, but before other packets
  });
  make_and_join("joined.mkv");
  EXPECT_EQ(sorted_packets(dir_ / "joined.mkv"), sorted_packets(dir_ / "right.mkv"));
  EXPECT_EQ(read_file(dir_ / "joined.mkv.jsonl"), read_file(dir_ / "right.mkv.jsonl"));
}

TEST_F(PartsPlaces, DoNotHideThatAnInputEndsTooEarly) {
  const fs::path clip = dir_ / "clip.mkv";
  make_clip(clip, "-c copy");
  fs::resize_file(clip, fs::file_size(clip) * 9 / 10);
  split_in_five(clip);
  const auto last = static_cast<int>(read_plan()["parts"].size());
  EXPECT_TRUE(read_plan()["parts"].back().contains("before"));
  make({last}, 6);
}

}  // namespace
}  // namespace facepipe::test
