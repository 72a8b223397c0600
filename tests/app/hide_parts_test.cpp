// These tests run the real program: hide in parts must hide what hide hides. Parts end and begin
// where scenes begin. Where no scene begins, there are fewer parts; nothing is ever hidden less.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/app/hide_parts_fixture.h"
#include "tests/app/program.h"
#include "tests/app/started.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class HideParts : public HidePartsTest {
 protected:
  static void SetUpTestSuite() {
    clips_ = new TemporaryFolder;
    make_scenes(clip(), 240, 40);
  }
  static void TearDownTestSuite() {
    delete clips_;
    clips_ = nullptr;
  }
  /// Scenes begin with the frames 40, 80, 120, 160 and 200.
  static fs::path clip() { return *clips_ / "clip.mp4"; }

  static inline TemporaryFolder* clips_ = nullptr;
};

TEST_F(HideParts, HideWhatHideHides) {
  split_hide(clip(), 5, kWithSecondLooks);
  // The last cut is left out: where its scene begins, the clip can't be cut any more.
  EXPECT_EQ(begins(), (std::vector<int>{80 - 48, 120 - 96, 160 - 144}));
  make_all();
  expect_as_a_whole(clip(), kWithSecondLooks);
  const json tracks = json::parse(read_file(dir_ / "whole_tracks.json"))["tracks"];
  EXPECT_GT(tracks.size(), 10U) << "faces are found in all scenes";
  const CommandResult verified =
      run_program({"verify", clip(), dir_ / "joined.mkv", "-q", "--quick"});
  EXPECT_THAT(verified.exit_code, testing::AnyOf(0, 7)) << verified.err;
}

/// By which angle --careful turns a picture depends on the picture's number in the whole input.
TEST_F(HideParts, TurnPicturesAsHideDoes) {
  const Arguments careful = joined(kWithSecondLooks, {"--careful"});
  split_hide(clip(), 4, careful);
  EXPECT_GT(planned()["parts"].size(), 2U);
  make_all();
  expect_as_a_whole(clip(), careful);
}

TEST_F(HideParts, MayBeMany) {
  const fs::path input = dir_ / "long.mp4";
  make_scenes(input, 640, 25);
  split_hide(input, 12, kSmall);
  EXPECT_GE(planned()["parts"].size(), 10U) << "some scenes may begin too near to the next cut";
  make_all();
  expect_as_a_whole(input, kSmall);
}

TEST_F(HideParts, BeginBehindACutEvenIfASceneBeginsWithIt) {
  const fs::path input = dir_ / "at_cuts.mp4";
  make_scenes(input, 384, 48);  // a scene begins with each frame before which the clip can be cut
  split_hide(input, 3, kSmall);
  EXPECT_EQ(begins(), (std::vector<int>{48, 48}));
  make_all();
  expect_as_a_whole(input, kSmall);
}

TEST_F(HideParts, AreOneIfAShortClipHasNoScene) {
  const fs::path input = dir_ / "one_scene.mp4";
  make_scenes(input, 240, 1000);
  const Arguments loud{"--detect-size", "128x96", "--device", "cpu", "--codec", "mjpeg"};
  EXPECT_THAT(split("hide", input, 4, joined(loud, {"--format", "matroska"})),
              HasSubstr("1 instead of 4 parts: a part must begin with a new scene, and none begins "
                        "soon enough"));
  EXPECT_EQ(planned()["parts"].size(), 1U);
  const fs::path two = dir_ / "two_scenes.mp4";
  make_scenes(two, 240, 130);
  fs::remove(plan());
  split_hide(two, 4, kSmall);
  EXPECT_EQ(begins(), std::vector<int>{130 - 48}) << "only behind the first cut";
  make_all();
  expect_as_a_whole(two, kSmall);
}

TEST_F(HideParts, AreOneIfTimeStampsDontRise) {
  const fs::path input = dir_ / "stream.h264";
  ffmpeg("-i " + clip().string() + " -an -c copy", input);
  const Arguments loud{"--detect-size", "128x96", "--device", "cpu", "--format", "matroska"};
  EXPECT_THAT(split("hide", input, 4, loud),
              HasSubstr("1 instead of 4 parts: some of its time stamps are missing"));
  EXPECT_EQ(planned()["parts"].size(), 1U);
}

TEST_F(HideParts, EqualHideInParts) {
  // With weighted prediction or macroblock trees, x264 164 reads memory that it hasn't written.
  // Then two encodings of equal pictures can differ. This preset has neither.
  expect_as_hide_in_parts(clip(), 4, joined(kQuick, {"--preset", "ultrafast", "--careful"}));
}

TEST_F(HideParts, HideDamagedFramesAsAWhole) {
  const fs::path input = dir_ / "damaged.mp4";
  fs::copy_file(clip(), input);
  std::string bytes = read_file(input);
  // Not the pictures at cuts, from which FFmpeg's concealment takes other pictures in a part.
  const std::vector<json> packets = probe(input)["packets"];
  int seen = 0;
  for (const json& packet : packets) {
    if (packet["codec_type"] != "video" || ++seen % 35 != 20) continue;
    const std::size_t begin = std::stoul(packet["pos"].get<std::string>());
    for (std::size_t i = 30; i < 60; ++i) bytes[begin + i] = '\x55';
  }
  std::ofstream(input, std::ios::binary) << bytes;
  split_hide(input, 4, kSmall);
  ASSERT_GT(planned()["parts"].size(), 1U);
  for (int number = 1; number <= static_cast<int>(planned()["parts"].size()); ++number)
    EXPECT_THAT(part(number).exit_code, testing::AnyOf(0, 6)) << number;
  expect_as_a_whole(input, kSmall, 6);
  EXPECT_GT(entry_of(dir_ / "whole.json")["frames"]["damaged"], 0);
}

TEST_F(HideParts, HideWhatAnEditFileSays) {
  const fs::path edits = dir_ / "edits.json";
  ASSERT_EQ(run_program(joined({"detect", clip(), "--write-tracks", edits}, kQuick)).exit_code, 0);
  json file = json::parse(read_file(edits));
  file["tracks"][0]["action"] = "keep";
  file["tracks"][1]["style"] = "solid:red";
  file["tracks"].push_back(
      {{"id", 9999},
       {"action", "hide"},
       {"start_pts", 0},
       {"end_pts", 1 << 20},
       {"origin", "person"},
       {"boxes", {{0, 5, 5, 40, 40, "seen"}, {60000, 90, 90, 140, 140, "seen"}}}});
  std::ofstream(edits) << file;
  const Arguments options = joined({"--tracks", edits, "--device", "cpu", "-q", "--region",
                                    "sign=10,10,50,50@2-7", "--hide-all", "8-9"},
                                   kMjpeg);
  split_hide(clip(), 5, options);
  EXPECT_EQ(planned()["parts"].size(), 5U) << "nothing is followed, so no scene must begin";
  make_all();
  expect_as_a_whole(clip(), options, 0, {});
  file["tracks"][2]["action"] = "keep";
  std::ofstream(edits) << file;
  expect_no_join("edit file");
  fs::remove(part_files().at(3));
  ASSERT_EQ(part(4).exit_code, 0);
  expect_no_join("was made with another edit file");
}

TEST_F(HideParts, KnowAllFramesOfAnEditFile) {
  const fs::path edits = dir_ / "edits.json";
  ASSERT_EQ(run_program(joined({"detect", clip(), "--write-tracks", edits}, kQuick)).exit_code, 0);
  json file = json::parse(read_file(edits));
  file["input"]["frames"] = 200;
  std::ofstream(edits) << file;
  split_hide(clip(), 2, joined({"--tracks", edits, "--device", "cpu", "-q"}, kMjpeg));
  make_all();
  expect_no_join("knows only 200 of 240 frames");
}

TEST_F(HideParts, TellInstructionsThatNoPartHasUsed) {
  const Arguments options = joined(kSmall, {"--region", "late=10,10,50,50@100-200"});
  split_hide(clip(), 3, options);
  make_all();
  const CommandResult result = join("refused.mp4");
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no entry of --region and --hide-all applies"));
  for (const std::string& name : dir_.names()) EXPECT_THAT(name, Not(HasSubstr("refused")));
}

TEST_F(HideParts, ThatAreKilledLeaveNothing) {
  split_hide(clip(), 2, joined(kMjpeg, {"--device", "cpu", "-q", "--detect-size", "640x384"}));
  const auto killed = [&](int signal) {
    const std::set<std::string> before = names();
    Started run(program({"part", plan(), "1", "--out", folder(), "-q"}));
    EXPECT_TRUE(comes_true([&] { return names() != before; }));
    run.send(signal);
    return run.exit_code();
  };
  EXPECT_EQ(killed(SIGKILL), 128 + SIGKILL);
  for (const std::string& name : names())
    EXPECT_THAT(name, AnyOf(HasSubstr(".tmp-"), EndsWith(".facepipe"))) << "no file of a part";
  expect_no_join("can't be opened");
  make({2});
  expect_no_join("part-00001");
  make({1});
  EXPECT_EQ(join("joined.mkv").exit_code, 0);
  EXPECT_EQ(names().size(), 2U) << "the file of the killed program is removed, too";
}

TEST_F(HideParts, MustBeginWhereScenesBegin) {
  split_hide(clip(), 2, kSmall);
  const json plan_as_split = planned();
  const auto with = [&](const std::function<void(json & part)>& change) {
    json changed = plan_as_split;
    change(changed["parts"][0]);
    std::ofstream(plan()) << changed;
    return part(1);
  };
  const CommandResult other = with([](json& part) { part["next"]["frames"] = 7; });
  EXPECT_EQ(other.exit_code, 3) << other.err;
  EXPECT_THAT(other.err, HasSubstr("no scene begins at"));
  const CommandResult late = with([](json& part) { part["next"]["frames"] = 5000; });
  EXPECT_EQ(late.exit_code, 3) << late.err;
  EXPECT_THAT(late.err, HasSubstr("fewer frames could be decoded"));
  const CommandResult input = with([](json& part) { part["next"]["hash"] = "0123456789abcdef"; });
  EXPECT_EQ(input.exit_code, 3) << input.err;
  EXPECT_THAT(input.err, HasSubstr("is not the input that was split"));
  EXPECT_THAT(part_files(), testing::IsEmpty());
}

TEST_F(HideParts, OfOtherPlansAreNotJoined) {
  split_hide(clip(), 4, kSmall);
  make_all();
  const std::vector<fs::path> ours = part_files();
  fs::copy_file(ours[0], ours[1], fs::copy_options::overwrite_existing);
  expect_no_join("belongs to another plan");
  make({2});
  fs::remove(plan());
  split_hide(clip(), 4, joined(kSmall, {"--style", "blur"}));
  expect_no_join("part-00001");
}

}  // namespace
}  // namespace facepipe::test
