// These tests run the real program: where no scene begins for a minute, the parts of a video only
// look for faces, and join follows and hides them in one pass. It must hide what hide hides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/app/hide_parts_fixture.h"
#include "tests/app/program.h"
#include "tests/app/started.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class LongScenes : public HidePartsTest {
 protected:
  static void SetUpTestSuite() {
    clips_ = new TemporaryFolder;
    make_scenes(one_scene(), 260, 1000, 2);
    make_scenes(two_scenes(), 600, 300, 2);
  }
  static void TearDownTestSuite() {
    delete clips_;
    clips_ = nullptr;
  }
  /// 130 seconds; no scene begins behind a cut.
  static fs::path one_scene() { return *clips_ / "one.mp4"; }
  /// 300 seconds; a scene begins in the middle.
  static fs::path two_scenes() { return *clips_ / "two.mp4"; }

  [[nodiscard]] std::vector<fs::path> scene_files() const {
    std::vector<fs::path> files;
    for (const std::string& name : names())
      if (name.starts_with("scene-")) files.push_back(folder() / name);
    return files;
  }

  static inline TemporaryFolder* clips_ = nullptr;
};

TEST_F(LongScenes, AreHiddenAsHideHidesThem) {
  split_hide(one_scene(), 4, kWithSecondLooks);
  EXPECT_EQ(planned()["parts"].size(), 4U);
  EXPECT_THAT(begins(), testing::IsEmpty());
  make_all();
  EXPECT_THAT(scene_files(), testing::IsEmpty());
  expect_as_a_whole(one_scene(), kWithSecondLooks);
  EXPECT_EQ(scene_files().size(), 1U);
  const json tracks = json::parse(read_file(dir_ / "whole_tracks.json"))["tracks"];
  bool crosses = false;  // the tracks cross the first cut, before frame 96
  for (const json& track : tracks)
    crosses = crosses || (track["boxes"].front()[0] < track["boxes"].back()[0] &&
                          track["boxes"].size() > 100U);
  EXPECT_TRUE(crosses) << "a face is followed over cuts";
}

TEST_F(LongScenes, EndWhereAPartBeginsWithAScene) {
  const Arguments options = joined(
      kSmall, {"--region", "sign=10,10,50,50@20-180", "--keep-region", "poster=160,0,320,96"});
  split_hide(two_scenes(), 4, options);
  EXPECT_EQ(begins(), std::vector<int>{300 - 288}) << "parts 1 and 2 are a scene, and 3 and 4";
  make_all();
  expect_as_a_whole(two_scenes(), options);
  EXPECT_EQ(scene_files().size(), 2U);
}

TEST_F(LongScenes, MayHaveDamagedFrames) {
  const fs::path input = dir_ / "damaged.mp4";
  fs::copy_file(one_scene(), input);
  std::string bytes = read_file(input);
  const std::vector<json> packets = probe(input)["packets"];
  int seen = 0;
  for (const json& packet : packets) {  // not the pictures at cuts: see HideDamagedFramesAsAWhole
    if (packet["codec_type"] != "video") continue;
    const int in_group = seen++ % 48;
    const std::size_t size = std::stoul(packet["size"].get<std::string>());
    if (in_group < 8 || in_group > 40 || size < 300) continue;
    const std::size_t begin = std::stoul(packet["pos"].get<std::string>());
    for (std::size_t i = size / 2; i < size / 2 + 60; ++i) bytes[begin + i] = '\x55';
  }
  std::ofstream(input, std::ios::binary) << bytes;
  split_hide(input, 3, kSmall);
  ASSERT_EQ(planned()["parts"].size(), 3U);
  for (const int number : {1, 2, 3})
    EXPECT_THAT(part(number).exit_code, testing::AnyOf(0, 6)) << number;
  expect_as_a_whole(input, kSmall, 6);
  EXPECT_GT(entry_of(dir_ / "whole.json")["frames"]["damaged"], 0);
}

TEST_F(LongScenes, EqualHideInParts) {
  expect_as_hide_in_parts(two_scenes(), 4, joined(kQuick, {"--preset", "ultrafast"}));
}

TEST_F(LongScenes, AreHiddenOnlyIfAllWasSearched) {
  split_hide(one_scene(), 3, kSmall);
  make({1, 3});
  expect_no_join("part-00002");
  make({2});
  const fs::path second = part_files().at(1);
  std::string bytes = read_file(second);
  bytes[bytes.size() / 3] ^= 1;
  std::ofstream(second, std::ios::binary) << bytes;
  expect_no_join("is damaged");
  fs::copy_file(part_files().at(2), second, fs::copy_options::overwrite_existing);
  expect_no_join("belongs to another plan");
  fs::resize_file(second, 100);
  expect_no_join("no complete part file");
  EXPECT_THAT(scene_files(), testing::IsEmpty());
  make({2});
  expect_as_a_whole(one_scene(), kSmall);
}

TEST_F(LongScenes, AreHiddenOnceIfJoinIsKilled) {
  split_hide(one_scene(), 4, joined(kMjpeg, {"--device", "cpu", "-q", "--detect-size", "128x96"}));
  make_all();
  const std::set<std::string> before = names();
  Started run(program({"join", plan(), "--from", folder(), "-o", dir_ / "joined.mkv", "-q"}));
  EXPECT_TRUE(comes_true([&] { return names() != before; }));
  run.send(SIGKILL);
  EXPECT_EQ(run.exit_code(), 128 + SIGKILL);
  EXPECT_FALSE(fs::exists(dir_ / "joined.mkv"));
  for (const fs::path& file : scene_files())
    EXPECT_THAT(file.string(), HasSubstr(".tmp-")) << "no file of a scene";
  ASSERT_EQ(join("joined.mkv").exit_code, 0);
  ASSERT_EQ(scene_files().size(), 1U) << "the file of the killed program is removed";
  const auto made = fs::last_write_time(scene_files().front());
  ASSERT_EQ(join("again.mkv").exit_code, 0);
  EXPECT_EQ(fs::last_write_time(scene_files().front()), made);
  EXPECT_EQ(sorted_packets(dir_ / "again.mkv"), sorted_packets(dir_ / "joined.mkv"));
}

TEST_F(LongScenes, AreNotDividedForCuda) {
  const Arguments loud{"--detect-size", "128x96", "--device", "cuda:0",
                       "--codec",       "mjpeg",  "--format", "matroska"};
  EXPECT_THAT(split("hide", one_scene(), 3, loud), HasSubstr("1 instead of 3 parts"));
  fs::remove(plan());
  const Arguments on_cpu{"--detect-size", "128x96", "--device", "cpu",
                         "--codec",       "mjpeg",  "--format", "matroska"};
  EXPECT_THAT(split("hide", one_scene(), 3, on_cpu),
              HasSubstr("no scene begins between the parts 1 to 3: they look for faces, and "
                        "facepipe join follows and hides these faces in one pass"));
}

}  // namespace
}  // namespace facepipe::test
