// The real program with channel features in place of a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

constexpr int kFrames = 6;
constexpr const char* kFaceModel = FACEPIPE_SOURCE_DIR "/data/acf_face.json";

/// A part of the demo photo, which moves; some ten faces.
class AcfProgram : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const std::string photo = FACEPIPE_SOURCE_DIR "/data/fetched/demo/city.jpg";
    ffmpeg("-loop 1 -t 0.24 -r 25 -i " + photo +
               " -f lavfi -t 0.24 -i sine -vf scale=1280:-2,crop=640:384:200+n*4:100,"
               "format=yuv420p -c:v libx264 -preset ultrafast -qp 0 -c:a aac -shortest",
           clip());
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string clip() { return *folder_ / "clip.mkv"; }

  static CommandResult run(const Arguments& more, const std::string& model = kFaceModel) {
    Arguments arguments{FACEPIPE_PROGRAM, "run", clip(), "-q", "--overwrite", "--model", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command(arguments);
  }
  std::vector<json> frames_of(Arguments more, const std::string& model = kFaceModel) {
    more.insert(more.end(), {"--no-video", "--detections", dir_ / "d.jsonl"});
    const CommandResult result = run(more, model);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<json> frames;
    std::istringstream lines(read_file(dir_ / "d.jsonl"));
    for (std::string line; std::getline(lines, line);) frames.push_back(json::parse(line));
    EXPECT_EQ(frames.size(), kFrames);
    return frames;
  }
  /// The face model under another class' name.
  std::string of_pedestrians() {
    json model = json::parse(read_file(kFaceModel));
    model["class"] = "pedestrian";
    return dir_.write("pedestrian.json", model.dump());
  }

  TemporaryFolder dir_;
  static TemporaryFolder* folder_;
};

TemporaryFolder* AcfProgram::folder_ = nullptr;

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
  const auto refused = [&](int code, const std::string& reason, Arguments arguments,
                           const std::string& model = kFaceModel) {
    arguments.insert(arguments.end(), {"-o", dir_ / "out.mkv"});
    expect_refused(run(arguments, model), code, reason);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "out.mkv"));
  };
  const std::string named = std::string("model ") + kFaceModel;
  refused(2, "--draw landmarks: " + named + " finds none", {"--draw", "boxes,landmarks"});
  refused(2, named + ": channel features, which engine opencv", {"--engine", "opencv"});
  refused(2, "--detect-size", {"--detect-size", "640x360"});
  refused(2, "scale factor", {"--scale-factor", "1.2"});
  refused(2, "--min-face must be 0, or at least 10", {"--min-face", "5"});
  const std::string cut = dir_.write("cut.json", read_file(kFaceModel).substr(0, 5000));
  refused(4, "cut.json: cut off, or no JSON", {}, cut);
  expect_refused(
      run_command({FACEPIPE_PROGRAM, "verify", clip(), clip(), "--model", kFaceModel, "-q"}), 2,
      "which miss too many faces to prove that none is left");
}

TEST_F(AcfProgram, DoctorTriesIt) {
  const CommandResult result =
      run_command({FACEPIPE_PROGRAM, "doctor", "--model", of_pedestrians()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("acf f32"));
  EXPECT_THAT(result.out, HasSubstr("pedestrian"));
  EXPECT_THAT(result.out, HasSubstr("works: "));
}

}  // namespace
}  // namespace facepipe::test
