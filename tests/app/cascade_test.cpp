// These tests run the real program with a cascade instead of a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/photo_clip.h"
#include "tests/detector/cascade/files.h"
#include "tests/detector/cascade/golden.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class CascadeProgram : public PhotoClip {
 protected:
  static void SetUpTestSuite() { make_clip("400+n*4:150"); }
  static std::string model(const std::string& name = "frontalface_default") {
    return installed_cascade(name).string();
  }
  std::vector<json> frames_of(const Arguments& more) {
    return PhotoClip::frames_of(joined(more, {"--model", model()}));
  }
};

TEST_F(CascadeProgram, DoesTheWholeJob) {
  const CommandResult result =
      run({"--model", model(), "-o", dir_ / "out.mkv", "--detections", dir_ / "d.csv", "--report",
           dir_ / "r.json", "--latency", dir_ / "l.csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(video_stamps(dir_ / "out.mkv"), video_stamps(clip()));
  EXPECT_EQ(streams_of(probe(dir_ / "out.mkv"), "audio").size(), 1U);
  EXPECT_NE(decoded_luma(dir_ / "out.mkv"), decoded_luma(clip())) << "boxes are drawn";
  const json report = json::parse(read_file(dir_ / "r.json"))[0];
  EXPECT_EQ(report["engine"], "cascade");
  EXPECT_EQ(report["model"]["kind"], "cascade");
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_THAT(read_file(dir_ / "l.csv"), HasSubstr("inference"));
  // A cascade gives no landmarks, so their ten fields are empty.
  std::istringstream lines(read_file(dir_ / "d.csv"));
  std::string head;
  std::string face;
  std::getline(lines, head);
  std::getline(lines, face);
  EXPECT_THAT(face, testing::EndsWith(",,,,,,,,,,"));
  EXPECT_EQ(std::count(face.begin(), face.end(), ','), std::count(head.begin(), head.end(), ','));
}

TEST_F(CascadeProgram, TellsThatThereAreNoLandmarks) {
  for (const json& frame : frames_of({})) {
    EXPECT_GE(frame["faces"].size(), 2U);
    for (const json& face : frame["faces"]) {
      EXPECT_TRUE(face.contains("landmarks"));
      EXPECT_TRUE(face["landmarks"].is_null());
      EXPECT_GT(face["score"], 0.5);
    }
  }
}

TEST_F(CascadeProgram, FindsFacesOfTheSizesWanted) {
  for (const json& frame : frames_of({"--min-face", "40", "--max-face", "90"}))
    for (const json& face : frame["faces"]) {
      const double side = face["box"][2].get<double>() - face["box"][0].get<double>();
      EXPECT_TRUE(side >= 40 && side <= 90) << side;
    }
  EXPECT_NE(frames_of({"--scale-factor", "1.3"}), frames_of({}));
}

TEST_F(CascadeProgram, FindsTheSameEachTime) {
  const std::vector<json> first = frames_of({});
  for (const char* threads : {"1", "3"}) EXPECT_EQ(frames_of({"--threads", threads}), first);
}

TEST_F(CascadeProgram, RefusesWhatDoesNotGoTogether) {
  expect_refusal(2, "--draw landmarks: model " + model() + " finds none",
                 {"--model", model(), "--draw", "boxes,landmarks"});
  expect_refusal(2, "engine opencv can't compute a cascade",
                 {"--model", model(), "--engine", "opencv"});
  expect_refusal(2, "--detect-size", {"--model", model(), "--detect-size", "640x360"});
  expect_refusal(2, "--scale-factor works only with cascades", {"--scale-factor", "1.2"});
  expect_refusal(2, "engine cascade computes only cascades", {"--engine", "cascade"});
  expect_refusal(2, "--score has no effect on the groups of a cascade",
                 {"--model", model(), "--nms-rule", "opencv-groups", "--score", "0.8"});
  expect_refusal(2, "--draw ids and --nms-rule opencv-groups",
                 {"--model", model(), "--nms-rule", "opencv-groups", "--draw", "ids"});
  const CommandResult proof = run_program({"verify", clip(), clip(), "--model", model(), "-q"});
  expect_refused(proof, 2, "a cascade, which misses too many faces to prove that none is left");
  expect_refusal(2, "--scale-factor: '1'", {"--model", model(), "--scale-factor", "1"});
}

// The groups that facepipe finds in a picture file equal those of detectMultiScale() with
// minNeighbors 3.
TEST_F(CascadeProgram, FindsTheGroupsOfOpenCv) {
  const WindowLists golden = read_window_lists();
  int compared = 0;
  for (const char* name : {"vga", "odd"}) {
    const PictureRecipe& recipe = golden.pictures.at(name).recipe;
    const std::vector<std::uint8_t> pixels = make_picture(recipe);
    const auto picture =
        dir_.write(std::string(name) + ".pgm", "P5\n" + std::to_string(recipe.size.width) + " " +
                                                   std::to_string(recipe.size.height) + "\n255\n" +
                                                   std::string(pixels.begin(), pixels.end()));
    for (const GoldenCase& c : golden.cases) {
      const bool whole = c.stages > 15 && c.least == Size{0, 0} && c.largest == Size{0, 0};
      if (c.picture != name || !whole || !c.groups) continue;
      const CommandResult result =
          run_program({"run", picture, "-q", "--overwrite", "--device", "cpu", "--no-video",
                       "--model", model(c.cascade), "--scale-factor", std::to_string(c.factor),
                       "--nms-rule", "opencv-groups", "--detections", dir_ / "d.jsonl"});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      std::vector<GoldenBox> boxes;
      const json frame = json::parse(read_file(dir_ / "d.jsonl"));
      for (const json& face : frame["faces"]) {
        const std::array<int, 4> box = face["box"];
        boxes.push_back({box[0], box[1], box[2] - box[0], box[3] - box[1]});
      }
      EXPECT_EQ(boxes.size(), c.groups->count) << name << c.cascade << c.factor;
      EXPECT_EQ(hash_of(boxes), c.groups->hash) << name << c.cascade << c.factor;
      ++compared;
    }
  }
  EXPECT_GE(compared, 10);
}

TEST_F(CascadeProgram, ScoresGroupsByTheirSize) {
  const std::vector<json> frames = frames_of({"--nms-rule", "opencv-groups"});
  EXPECT_NE(frames, frames_of({}));
  for (const json& frame : frames) {
    EXPECT_GE(frame["faces"].size(), 2U);
    for (const json& face : frame["faces"]) {
      EXPECT_GT(face["score"], 0.5) << "of more than 3 windows";
      for (const json& edge : face["box"]) EXPECT_EQ(edge, std::floor(edge.get<double>()));
    }
  }
  EXPECT_NE(frames_of({"--nms-rule", "opencv-groups", "--nms-neighbours", "1"}), frames);
}

TEST_F(CascadeProgram, HidesAndSaysThatItMissesFaces) {
  const CommandResult result = run_program(
      {"hide", clip(), "--model", model(), "--progress", "none", "-o", dir_ / "hidden.mkv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("a cascade finds far fewer faces"));
  EXPECT_NE(decoded_luma(dir_ / "hidden.mkv"), decoded_luma(clip()));
}

TEST_F(CascadeProgram, RefusesFilesThatAreNoSuchCascade) {
  const std::string tilted = model("smile");
  expect_refusal(4, "model " + tilted + ": ", {"--model", tilted});
  const std::string cut = dir_.write("cut.xml", read_file(model()).substr(0, 100000)).string();
  expect_refusal(4, "model " + cut + ": ", {"--model", cut});
  const std::string page = dir_.write("page.xml", "<html><body/></html>").string();
  expect_refusal(4, "model " + page + ": ", {"--model", page});
}

// The cascade's only stage has one stump, which half of the windows of a noise picture pass.
TEST_F(CascadeProgram, RefusesFramesOfTooManyWindows) {
  const std::string half = dir_.write("half.xml", kHalfPassing).string();
  const std::string noise = dir_ / "noise.png";
  ffmpeg("-f lavfi -i nullsrc=size=1280x720,geq=random(1)*255:128:128 -frames:v 1", noise);
  const CommandResult result = run_program({"run", noise, "-q", "--device", "cpu", "--model", half,
                                            "-o", dir_ / "out.png", "--scale-factor", "1.05"});
  expect_refused(result, 4, "more than 65536 windows of a frame pass the classifier");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out.png"));
}

TEST_F(CascadeProgram, FindsNothingInPicturesThatAreTooSmall) {
  const std::string image = dir_ / "small.png";
  ffmpeg("-f lavfi -i testsrc=size=19x17 -frames:v 1", image);
  const CommandResult result = run_program({"run", image, "-q", "--model", model(), "-o",
                                            dir_ / "out.png", "--detections", dir_ / "d.jsonl"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(read_file(dir_ / "d.jsonl"))["faces"], json::array());
}

}  // namespace
}  // namespace facepipe::test
