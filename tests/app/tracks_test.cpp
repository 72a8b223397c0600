// These tests run the real program. It finds faces and writes a file of tracks. The test changes
// the file as a person would, and the program then hides the faces of the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>

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
using testing::StartsWith;

constexpr int kWidth = 320;
constexpr int kHeight = 192;
constexpr int kFrames = 10;
constexpr int kBlack = 0;  // the photo has luma of full range
constexpr int kWhite = 255;

/// The clip shows a moving part of the demo photo, in which the detector finds about seven faces.
class Tracks : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    clips_.emplace();
    const std::string photo = FACEPIPE_SOURCE_DIR "/data/fetched/demo/city.jpg";
    ffmpeg("-loop 1 -t 0.4 -r 25 -i " + photo +
               " -vf scale=1280:-2,crop=320:192:600+n*2:200,format=yuv420p -c:v libx264 -preset "
               "ultrafast -qp 0",
           clip());
    const CommandResult result = facepipe({"detect", clip(), "--write-tracks", tracks()});
    if (result.exit_code != 0) throw std::runtime_error(result.err);
  }
  static void TearDownTestSuite() { clips_.reset(); }
  static std::string clip() { return *clips_ / "clip.mkv"; }
  static std::string tracks() { return *clips_ / "t.json"; }

  static CommandResult facepipe(const Arguments& arguments) {
    return run_program(joined(arguments, {"-q", "--device", "cpu"}));
  }
  static void expect_refusal(int code, const std::string& reason, const Arguments& arguments) {
    expect_refused(facepipe(arguments), code, reason);
  }

  static json found() { return json::parse(read_file(tracks())); }
  [[nodiscard]] std::string edited(const json& file) const {
    return dir_.write("edited.json", file.dump());
  }

  /// Hides faces. Returns the luma of all frames of the output, which is lossless.
  [[nodiscard]] std::string hidden(const Arguments& more) const {
    const CommandResult result = facepipe(
        joined({"hide", clip(), "-o", dir_ / "out.mkv", "--codec", "ffv1", "--overwrite"}, more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return luma_of(dir_ / "out.mkv");
  }
  static std::string luma_of(const std::string& video) {
    std::string luma = decoded_luma(video);
    EXPECT_EQ(luma.size(), std::size_t{kFrames} * kWidth * kHeight);
    return luma;
  }
  static int pixel(const std::string& luma, std::size_t frame, int x, int y) {
    return static_cast<unsigned char>(luma.at(
        (frame * kHeight + static_cast<std::size_t>(y)) * kWidth + static_cast<std::size_t>(x)));
  }
  static int centre(const json& box, std::size_t side) {
    return static_cast<int>((box[1 + side].get<double>() + box[3 + side].get<double>()) / 2);
  }

  static inline std::optional<TemporaryFolder> clips_;
  TemporaryFolder dir_;
};

/// Returns a track with these boxes. The program shows the pixels in the boxes if it doesn't hide
/// the track.
json track_of(const std::string& action, const std::string& origin, const json& boxes) {
  return {{"id", 90'000},
          {"action", action},
          {"origin", origin},
          {"score_max", origin == "person" ? 0.0 : 0.9},
          {"start_pts", boxes.front()[0]},
          {"end_pts", boxes.back()[0]},
          {"boxes", boxes}};
}

TEST_F(Tracks, DetectWritesAnEditFileOfTheInput) {
  const json file = found();
  EXPECT_EQ(file["version"], 1);
  EXPECT_EQ(file["input"]["frames"], kFrames);
  EXPECT_EQ(file["input"]["width"], kWidth);
  EXPECT_EQ(file["input"]["height"], kHeight);
  const CommandResult sum = run_command({"sha256sum", clip()});
  EXPECT_EQ(file["input"]["sha256"], sum.out.substr(0, 64));
  const auto strong = [](const json& track) {
    return track["action"] == "hide" && track["score_max"] > 0.5;
  };
  EXPECT_GE(std::count_if(file["tracks"].begin(), file["tracks"].end(), strong), 1);
}

TEST_F(Tracks, HideWritesWhatDetectWrites) {
  (void)hidden({"--write-tracks", dir_ / "t.json"});
  EXPECT_EQ(read_file(dir_ / "t.json"), read_file(tracks()));
}

TEST_F(Tracks, DetectionsCarryTheirTrack) {
  const CommandResult result =
      facepipe({"detect", clip(), "--detections", dir_ / "d.jsonl", "--report", dir_ / "r.json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::ifstream lines(dir_ / "d.jsonl");
  std::set<std::int64_t> known;
  const json file = found();
  for (const json& track : file["tracks"]) known.insert(track["id"].get<std::int64_t>());
  int frames = 0;
  for (std::string line; std::getline(lines, line); ++frames) {
    const json frame = json::parse(line);
    EXPECT_FALSE(frame["faces"].empty()) << frames;
    for (const json& face : frame["faces"])
      EXPECT_TRUE(known.contains(face["track"].get<std::int64_t>())) << face;
  }
  EXPECT_EQ(frames, kFrames);
  EXPECT_FALSE(fs::exists(dir_ / "clip_hidden.mkv")) << "no video";
}

TEST_F(Tracks, WhatIsHiddenByTheFileIsWhatWasHiddenWithoutOrMore) {
  const std::string before = luma_of(clip());
  const std::string directly = hidden({});
  const std::string by_file = hidden({"--tracks", tracks()});
  std::size_t hidden_pixels = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (directly[i] == before[i]) continue;
    ++hidden_pixels;
    ASSERT_EQ(by_file[i], directly[i]) << i;
  }
  EXPECT_GT(hidden_pixels, 1000U);
}

TEST_F(Tracks, ATrackThatIsKeptIsShownAndASuggestionThatIsHiddenIsHidden) {
  const std::string before = luma_of(clip());
  json file = found();
  for (json& track : file["tracks"]) track["action"] = "keep";
  EXPECT_EQ(hidden({"--tracks", edited(file)}), before);
  json& best = *std::max_element(
      file["tracks"].begin(), file["tracks"].end(),
      [](const json& a, const json& b) { return a["score_max"] < b["score_max"]; });
  best["action"] = "hide";
  const std::string one = hidden({"--tracks", edited(file)});
  for (std::size_t i = 0; i < best["boxes"].size(); ++i) {
    const json& box = best["boxes"][i];
    EXPECT_EQ(pixel(one, i, centre(box, 0), centre(box, 1)), kBlack) << i;
  }
}

TEST_F(Tracks, APersonsBoxesAreLinearInBetweenAndGrown) {
  json file = found();
  const std::int64_t last = 9 * 40;  // Matroska's stamps are in ms
  ASSERT_EQ(file["input"]["time_base"], (json{1, 1000}));
  file["tracks"] = {track_of("hide", "person",
                             {{0, 40, 40, 60, 60, "seen"}, {last, 220, 130, 240, 150, "seen"}})};
  const std::string before = luma_of(clip());
  const std::string after = hidden({"--tracks", edited(file), "--grow", "0.5"});
  for (int frame = 0; frame < kFrames; ++frame) {
    const int x = 40 + 20 * frame;
    const int y = 40 + 10 * frame;
    const auto at = static_cast<std::size_t>(frame);
    for (const auto& [dx, dy] : {std::pair{0, 0}, {-8, -8}, {28, 28}, {10, 10}})
      EXPECT_EQ(pixel(after, at, x + dx, y + dy), kBlack) << frame;
    for (const auto& [dx, dy] : {std::pair{-14, 0}, {34, 0}, {0, -14}, {0, 34}})
      EXPECT_EQ(pixel(after, at, x + dx, y + dy), pixel(before, at, x + dx, y + dy)) << frame;
  }
}

TEST_F(Tracks, HiddenBeatsKeptAndATrackMayHaveAStyleOfItsOwn) {
  json file = found();
  json whole =
      track_of("keep", "person", {{0, 0, 0, 320, 192, "seen"}, {360, 0, 0, 320, 192, "seen"}});
  json white =
      track_of("hide", "person", {{0, 40, 40, 60, 60, "seen"}, {360, 40, 40, 60, 60, "seen"}});
  white["id"] = 1;
  white["style"] = "solid:white";
  file["tracks"] = {white, whole};
  const std::string after = hidden({"--tracks", edited(file)});
  for (std::size_t frame = 0; frame < kFrames; ++frame)
    EXPECT_EQ(pixel(after, frame, 50, 50), kWhite) << frame;
  EXPECT_EQ(pixel(after, 0, 100, 100), pixel(luma_of(clip()), 0, 100, 100));
}

TEST_F(Tracks, FramesThatTheFileDoesNotKnowAreHiddenAsAWhole) {
  json file = found();
  file["input"]["frames"] = 7;
  file["tracks"] = json::array();
  const std::string before = luma_of(clip());
  const std::string after = hidden({"--tracks", edited(file)});
  const std::size_t known = std::size_t{7} * kWidth * kHeight;
  EXPECT_EQ(after.substr(0, known), before.substr(0, known));
  EXPECT_EQ(after.find_first_not_of(static_cast<char>(kBlack), known), std::string::npos);
}

TEST_F(Tracks, TracksOfAnotherInputAreExitTwo) {
  const std::string out = dir_ / "out.mkv";
  const auto refused = [&](int code, const std::string& reason, const json& file) {
    expect_refusal(code, reason, {"hide", clip(), "-o", out, "--tracks", edited(file)});
    EXPECT_FALSE(fs::exists(out));
  };
  json file = found();
  file["input"]["sha256"] = std::string(64, 'a');
  refused(2, "edited.json: was made for another input than", file);
  file = found();
  file["input"]["width"] = kWidth + 1;
  refused(
      2, "edited.json: was made for another input: its size is 321x192, but the input's is 320x192",
      file);
  file = found();
  file["input"]["time_base"] = {1, 25};
  refused(2, "its time base is 1/25, but the input's is 1/1000", file);
  file = found();
  file["version"] = 2;
  refused(3, "edited.json: ", file);
  file = found();
  file["tracks"][0]["style"] = "image:/etc/passwd";
  refused(3, "track 0: style is not one of solid, solid:COLOUR, blur, mosaic", file);
  expect_refusal(3, "no.json: ", {"hide", clip(), "-o", out, "--tracks", dir_ / "no.json"});
}

TEST_F(Tracks, NoModelIsLoadedForAFile) {
  setenv("FACEPIPE_MODEL", (dir_ / "no.onnx").c_str(), 1);
  EXPECT_EQ(facepipe({"hide", clip(), "-o", dir_ / "a.mkv"}).exit_code, 4);
  const CommandResult result = facepipe(
      {"hide", clip(), "-o", dir_ / "b.mkv", "--tracks", tracks(), "--report", dir_ / "r.json"});
  unsetenv("FACEPIPE_MODEL");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(read_file(dir_ / "r.json")).at(0);
  EXPECT_EQ(report["options"]["hide"]["tracks"], tracks());
  EXPECT_TRUE(report["model"].is_null());
  EXPECT_GE(report["startup_s"], 0);
  EXPECT_GE(report["faces"], 1);
}

TEST_F(Tracks, NobodysFileIsOverwritten) {
  const std::string there = dir_.write("t.json", "somebody's");
  const Arguments detect{"detect", clip(), "--write-tracks", there};
  expect_refusal(5, "t.json: exists already", detect);
  EXPECT_EQ(read_file(there), "somebody's");
  Arguments replacing = detect;
  replacing.emplace_back("--overwrite");
  EXPECT_EQ(facepipe(replacing).exit_code, 0);
  EXPECT_EQ(read_file(there), read_file(tracks()));
  for (const char* option : {"--report", "-o"})
    expect_refusal(2, "is named twice",
                   {"hide", clip(), "--tracks", there, option, there, "--overwrite"});
  expect_refusal(5, "no/t.json: can't be written",
                 {"detect", clip(), "--write-tracks", dir_ / "no/t.json"});
}

TEST_F(Tracks, RegionsAndSpansAreHiddenWhateverIsFound) {
  json file = found();
  file["tracks"] = json::array();
  const std::string empty = edited(file);
  const std::string before = luma_of(clip());
  const std::string after = hidden({"--tracks", empty, "--region", "door=40,30,20,10@0.08-0.16",
                                    "--region", "wall=100,50,30,30", "--hide-all", "0.32-"});
  for (int frame = 0; frame < kFrames; ++frame) {
    const auto at = static_cast<std::size_t>(frame);
    const bool all = frame >= 8;
    const auto expect = [&](int x, int y, bool is_hidden) {
      EXPECT_EQ(pixel(after, at, x, y), is_hidden ? kBlack : pixel(before, at, x, y))
          << "frame " << frame << ", " << x << "," << y;
    };
    for (const auto& [x, y] : {std::pair{40, 30}, {59, 39}})
      expect(x, y, all || frame == 2 || frame == 3);
    for (const auto& [x, y] : {std::pair{100, 50}, {129, 79}}) expect(x, y, true);
    for (const auto& [x, y] : {std::pair{38, 30}, {60, 39}, {98, 50}, {130, 79}, {0, 0}})
      expect(x, y, all);
  }
  expect_refusal(2, "region far: lies outside of the picture, 320x192",
                 {"hide", clip(), "-o", dir_ / "far.mkv", "--region", "far=320,0,10,10"});
  EXPECT_FALSE(fs::exists(dir_ / "far.mkv"));
}

TEST_F(Tracks, AKeepRegionShowsWhatADetectorFindsAndNothingElse) {
  const std::string before = luma_of(clip());
  const std::string everything = "all=0,0,320,192";
  EXPECT_EQ(hidden({"--keep-region", everything}), before);
  EXPECT_EQ(hidden({"--tracks", tracks(), "--keep-region", everything}), before);
  json file = found();
  file["tracks"].push_back(
      track_of("hide", "person", {{0, 40, 40, 60, 60, "seen"}, {360, 40, 40, 60, 60, "seen"}}));
  const std::string persons = hidden(
      {"--tracks", edited(file), "--keep-region", everything, "--region", "door=200,100,20,20"});
  EXPECT_EQ(pixel(persons, 5, 50, 50), kBlack);
  EXPECT_EQ(pixel(persons, 5, 210, 110), kBlack);
}

TEST_F(Tracks, TwoPassesHideNoLess) {
  const std::string before = luma_of(clip());
  const std::string once = hidden({});
  const std::string twice =
      hidden({"--two-pass", "--detections", dir_ / "d.jsonl", "--write-tracks", dir_ / "t.json"});
  for (std::size_t i = 0; i < before.size(); ++i)
    ASSERT_TRUE(once[i] == before[i] || twice[i] == once[i]) << i;
  const std::string lines = read_file(dir_ / "d.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), kFrames);
  EXPECT_EQ(json::parse(read_file(dir_ / "t.json"))["input"], found()["input"]);
  EXPECT_EQ(hidden({"--tracks", dir_ / "t.json"}), twice) << "what the first pass has found";
  expect_refusal(2, "is not a regular file, but --two-pass must read the input twice",
                 {"hide", "-", "-o", dir_ / "x.mkv", "--two-pass"});
}

// With --careful, the program looks twice at each frame, and the look with the higher score decides
// a box. So boxes can differ by one or two pixels. The test compares the middle half of each box
// that is hidden without --careful.
TEST_F(Tracks, CareHidesWhatIsHiddenWithoutIt) {
  const std::string once = hidden({});
  const std::string careful = hidden({"--careful"});
  EXPECT_NE(careful, once) << "the second look finds other scores";
  const json file = found();
  int tracks = 0;
  for (const json& track : file["tracks"]) {
    if (track["action"] != "hide" || track["score_max"] < 0.2) continue;
    ++tracks;
    for (const json& box : track["boxes"]) {
      const auto frame = static_cast<std::size_t>(box[0].get<int>() / 40);
      const auto at = [&](double x, double y) {
        return pixel(careful, frame,
                     static_cast<int>((1 - x) * box[1].get<double>() + x * box[3].get<double>()),
                     static_cast<int>((1 - y) * box[2].get<double>() + y * box[4].get<double>()));
      };
      for (const double x : {0.25, 0.5, 0.75})
        for (const double y : {0.25, 0.5, 0.75}) EXPECT_EQ(at(x, y), kBlack) << track["id"];
    }
  }
  EXPECT_GE(tracks, 6);
}

TEST_F(Tracks, ACosmeticStyleSaysSoOnce) {
  const std::string other = dir_ / "other.mkv";
  std::filesystem::copy_file(clip(), other);
  const auto told = [&](const char* style) {
    const CommandResult result =
        run_program({"hide", clip(), other, "--style", style, "--device", "cpu", "--progress",
                     "none", "-o", (dir_ / style).string() + "/"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    int times = 0;
    for (std::size_t at = 0; (at = result.err.find("is cosmetic", at)) != std::string::npos; ++at)
      ++times;
    return times;
  };
  EXPECT_EQ(told("blur"), 1);
  EXPECT_EQ(told("mosaic"), 1);
  EXPECT_EQ(told("solid"), 0);
}

TEST_F(Tracks, AreOfOneRegularFile) {
  const std::string file = dir_ / "t.json";
  fs::copy(clip(), dir_ / "other.mkv");
  expect_refusal(2, "--write-tracks: the file belongs to one input, not to 2",
                 {"detect", clip(), dir_ / "other.mkv", "--write-tracks", file});
  expect_refusal(2, "--tracks: the file belongs to one input, not to 2",
                 {"hide", clip(), dir_ / "other.mkv", "--tracks", tracks()});
  expect_refusal(2, "is not a regular file, but --write-tracks needs the input's SHA-256",
                 {"detect", "file://" + clip(), "--write-tracks", file});
  expect_refusal(2, "is not a regular file, but --write-tracks needs the input's SHA-256",
                 {"detect", "-", "--write-tracks", file});
  EXPECT_FALSE(fs::exists(file));
}

}  // namespace
}  // namespace facepipe::test
