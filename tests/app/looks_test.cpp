// These tests run the real program, which looks at each picture several times.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/photo_clip.h"
#include "tests/support/nms_oracle.h"
#include "tests/support/small_exports.h"

namespace facepipe::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Box box_of(const json& face) {
  const json& box = face["box"];
  return {box[0], box[1], box[2], box[3]};
}

/// Suppresses faces greedily: goes from the highest score to the lowest, and removes a face if its
/// IoU with a kept face exceeds the threshold.
std::vector<json> suppressed(std::vector<json> faces, double threshold) {
  std::ranges::stable_sort(faces, [](const json& a, const json& b) {
    return a["score"].get<double>() > b["score"].get<double>();
  });
  std::vector<json> kept;
  for (const json& face : faces)
    if (std::ranges::none_of(kept, [&](const json& other) {
          return iou_of(box_of(face), box_of(other)) > threshold;
        }))
      kept.push_back(face);
  return kept;
}

class LooksProgram : public PhotoClip {
 protected:
  static void SetUpTestSuite() { make_clip("400+n*4:150"); }

  LooksProgram() : model_(write_small_scrfd(dir_)) {}

  /// Returns the faces of all frames. If `iou` is 1, these are all candidates.
  std::vector<json> found(const std::string& iou, const Arguments& more) {
    return frames_of(joined(more, {"--model", model_, "--score", "0.55", "--iou", iou}));
  }

  const std::string model_;
};

TEST_F(LooksProgram, OneSuppressionTakesTheCandidatesOfAllLooks) {
  constexpr double kThreshold = 0.3;
  const std::vector<json> own = found("1", {"--looks", "1"});
  const std::vector<json> half = found("1", {"--looks", "1", "--detect-size", "320x192"});
  const std::vector<json> both = found("0.3", {"--looks", "1,0.5"});
  for (std::size_t i = 0; i < both.size(); ++i) {
    std::vector<json> all = own[i]["faces"];
    ASSERT_GT(all.size(), 0U);
    ASSERT_GT(half[i]["faces"].size(), 0U);
    all.insert(all.end(), half[i]["faces"].begin(), half[i]["faces"].end());
    EXPECT_EQ(both[i]["faces"], json(suppressed(all, kThreshold))) << i;
  }
  // The first look alone finds other faces.
  EXPECT_NE(both, found("0.3", {"--looks", "1"}));
}

TEST_F(LooksProgram, TheFilesLooksAreTheDefault) {
  EXPECT_EQ(found("0.3", {}), found("0.3", {"--looks", "1,0.5"}));
  EXPECT_NE(found("0.3", {"--looks", "1,0.5,flip"}), found("0.3", {}));
}

TEST_F(LooksProgram, TheReportTellsThem) {
  const auto told = [&](const std::string& command, const Arguments& more) {
    const CommandResult result = run_program(joined(
        {command, clip(), "--model", model_, "--overwrite", "-q", "--report", dir_ / "r.json"},
        more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(read_file(dir_ / "r.json")).at(0)["options"];
  };
  EXPECT_EQ(told("run", {"--no-video"})["looks"], json({1, 0.5}));
  EXPECT_EQ(told("run", {"--no-video", "--looks", "0.5,flip"})["looks"], json({0.5, "flip"}));
  const json careful = told("detect", {"--careful"});
  EXPECT_EQ(careful["looks"], json({1, 0.5, "flip"}));
  EXPECT_EQ(careful["hide"]["mirrored_too"], true);
}

TEST_F(LooksProgram, LooksThatAreTooLargeAreRefused) {
  const std::string picture = dir_ / "wide.png";
  ffmpeg("-f lavfi -i color=s=4096x1024 -frames:v 1", picture);
  expect_refused(run_program({"run", picture, "--no-video", "--model", model_, "--looks", "1,2",
                              "--device", "cpu", "-q"}),
                 4, "a look at 2 times the size of 4096x1024 has more than 12 megapixels");
}

}  // namespace
}  // namespace facepipe::test
