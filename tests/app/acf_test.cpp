// These tests run the real program with channel features instead of a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/photo_clip.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"

namespace facepipe::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kFaceModel = FACEPIPE_SOURCE_DIR "/data/acf_face.json";

class AcfProgram : public PhotoClip {
 protected:
  static void SetUpTestSuite() { make_clip("200+n*4:100"); }

  static CommandResult run(const Arguments& more) {
    return PhotoClip::run(joined(more, {"--model", kFaceModel}));
  }
  std::vector<json> frames_of(const Arguments& more, const std::string& model = kFaceModel) {
    return PhotoClip::frames_of(joined(more, {"--model", model}));
  }
  /// Writes a copy of the face model with another class name, and returns its path.
  std::string of_pedestrians() {
    json model = json::parse(read_file(kFaceModel));
    model["class"] = "pedestrian";
    return dir_.write("pedestrian.json", model.dump());
  }
};

TEST_F(AcfProgram, DoesTheWholeJob) {
  const CommandResult result =
      run({"-o", dir_ / "out.mkv", "--detections", dir_ / "d.csv", "--report", dir_ / "r.json",
           "--latency", dir_ / "l.csv", "--nms-overlap", "smaller-area", "--device", "auto"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(video_stamps(dir_ / "out.mkv"), video_stamps(clip()));
  EXPECT_EQ(streams_of(probe(dir_ / "out.mkv"), "audio").size(), 1U);
  EXPECT_NE(decoded_luma(dir_ / "out.mkv"), decoded_luma(clip())) << "boxes are drawn";
  const json report = json::parse(read_file(dir_ / "r.json"))[0];
  EXPECT_EQ(report["engine"], "acf");
  EXPECT_EQ(report["precision"], "f32");
  EXPECT_EQ(report["model"]["kind"], "acf");
  EXPECT_EQ(report["model"]["class"], "face");
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_EQ(report["options"]["nms"]["overlap"], "smaller-area");
  EXPECT_GT(report["faces"], kFrames);
  EXPECT_THAT(read_file(dir_ / "l.csv"), HasSubstr("inference"));
}

TEST_F(AcfProgram, NamesWhatIsFound) {
  for (const json& frame : frames_of({}))
    for (const json& face : frame["faces"]) {
      EXPECT_FALSE(face.contains("class")) << "as ever, where faces are looked for";
      EXPECT_TRUE(face["landmarks"].is_null());
      EXPECT_GT(face["score"], 0.5);
    }
  std::size_t found = 0;
  for (const json& frame : frames_of({"--report", dir_ / "r.json"}, of_pedestrians()))
    for (const json& box : frame["faces"]) {
      EXPECT_EQ(box["class"], "pedestrian");
      ++found;
    }
  EXPECT_GT(found, 0U);
  EXPECT_EQ(json::parse(read_file(dir_ / "r.json"))[0]["model"]["class"], "pedestrian");
}

TEST_F(AcfProgram, FindsFacesOfTheSizesWanted) {
  for (const json& frame : frames_of({"--min-face", "25", "--max-face", "90"}))
    for (const json& face : frame["faces"]) {
      const double high = face["box"][3].get<double>() - face["box"][1].get<double>();
      EXPECT_LE(high, 90.1);
    }
}

TEST_F(AcfProgram, FindsTheSameEachTime) {
  const std::vector<json> first = frames_of({});
  for (const char* threads : {"1", "3"}) EXPECT_EQ(frames_of({"--threads", threads}), first);
}

TEST_F(AcfProgram, RefusesWhatDoesNotGoTogether) {
  const auto refused = [&](int code, const std::string& reason, const Arguments& arguments,
                           const std::string& model = kFaceModel) {
    expect_refusal(code, reason, joined(arguments, {"--model", model}));
  };
  const std::string named = std::string("model ") + kFaceModel;
  refused(2, "--draw landmarks: " + named + " finds none", {"--draw", "boxes,landmarks"});
  refused(2, named + ": engine opencv can't compute channel features", {"--engine", "opencv"});
  refused(2, "--detect-size", {"--detect-size", "640x360"});
  refused(2, "--scale-factor works only with cascades", {"--scale-factor", "1.2"});
  refused(2, "--min-face must be 0, or at least 10", {"--min-face", "5"});
  const std::string cut = dir_.write("cut.json", read_file(kFaceModel).substr(0, 5000));
  refused(4, "cut.json: not JSON, or cut off", {}, cut);
  expect_refused(run_program({"verify", clip(), clip(), "--model", kFaceModel, "-q"}), 2,
                 "which miss too many faces to prove that none is left");
}

TEST_F(AcfProgram, DoctorTriesIt) {
  const CommandResult result = run_program({"doctor", "--model", of_pedestrians()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("acf f32"));
  EXPECT_THAT(result.out, HasSubstr("pedestrian"));
  EXPECT_THAT(result.out, HasSubstr("works: "));
}

}  // namespace
}  // namespace facepipe::test
