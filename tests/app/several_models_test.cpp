// These tests run the real program with several models, and with a model of several classes.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/files/sha256.h"
#include "tests/app/photo_clip.h"
#include "tests/support/small_exports.h"
#include "tests/support/small_yolo.h"

namespace facepipe::test {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class SeveralModelsProgram : public PhotoClip {
 protected:
  static void SetUpTestSuite() { make_clip("400+n*4:150"); }

  SeveralModelsProgram()
      : faces_(write_small_scrfd(dir_)),
        things_(dir_.write("things.onnx", small_yolo_anchors(0, 3).model().SerializeAsString())) {
    (void)dir_.write("things.onnx.json", things_card());
  }

  /// Returns the arguments of both models.
  [[nodiscard]] Arguments both() const { return {"--model", faces_, "--model", things_}; }
  [[nodiscard]] json report_of(const Arguments& more) {
    const CommandResult result = run(joined(more, {"--no-video", "--report", dir_ / "r.json"}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(read_file(dir_ / "r.json")).at(0);
  }

  const std::string faces_;
  const std::string things_;
};

/// Returns the faces of two runs as one run finds them: by falling score.
json together(const json& faces, const json& things) {
  std::vector<json> all = faces;
  for (json& face : all) {
    face["class"] = "face";
    face["model"] = "scrfd";
  }
  all.insert(all.end(), things.begin(), things.end());
  std::ranges::stable_sort(all, [](const json& one, const json& other) {
    return one["score"].get<double>() > other["score"].get<double>();
  });
  return all;
}

TEST_F(SeveralModelsProgram, FindWhatTwoRunsFind) {
  const std::vector<json> faces = frames_of({"--model", faces_});
  const std::vector<json> things = frames_of({"--model", things_});
  const std::vector<json> all = frames_of(both());
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_GT(faces[i]["faces"].size(), 0U);
    EXPECT_FALSE(faces[i]["faces"][0].contains("class")) << "as ever, where faces are looked for";
    EXPECT_FALSE(faces[i]["faces"][0].contains("model"));
    for (const std::string name : {"face", "plate"})
      EXPECT_TRUE(std::ranges::any_of(things[i]["faces"], [&](const json& thing) {
        return thing["class"] == name && thing["model"] == "things" && thing["landmarks"].is_null();
      })) << name;
    EXPECT_EQ(all[i]["faces"], together(faces[i]["faces"], things[i]["faces"])) << i;
  }
}

TEST_F(SeveralModelsProgram, EachClassHasTheScoreOfItsCard) {
  const auto least = [](const std::vector<json>& frames, const std::string& name) {
    double score = 1;
    for (const json& frame : frames)
      for (const json& face : frame["faces"])
        if (face["class"] == name) score = std::min(score, face["score"].get<double>());
    return score;
  };
  const std::vector<json> things = frames_of({"--model", things_});
  EXPECT_GT(least(things, "face"), 0.27);
  EXPECT_GT(least(things, "plate"), 0.18);
  EXPECT_LT(least(things, "plate"), 0.27);
  EXPECT_LT(least(frames_of({"--model", things_, "--score", "0.26"}), "face"), 0.27);
}

TEST_F(SeveralModelsProgram, CsvTellsTheClassInItsLastColumns) {
  const auto lines_of = [&](const Arguments& more) {
    EXPECT_EQ(run(joined(more, {"--no-video", "--detections", dir_ / "d.csv"})).exit_code, 0);
    std::vector<std::string> lines;
    std::istringstream text(read_file(dir_ / "d.csv"));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  };
  const std::vector<std::string> all = lines_of(both());
  EXPECT_THAT(all.front(), EndsWith(",right_mouth_y,class,model"));
  const auto count = [&](const std::string& end) {
    return std::ranges::count_if(all, [&](const std::string& line) { return line.ends_with(end); });
  };
  EXPECT_GT(count(",face,scrfd"), 0);
  EXPECT_GT(count(",,,,,,,,,,,face,things"), 0);
  EXPECT_GT(count(",,,,,,,,,,,plate,things"), 0);
  EXPECT_EQ(count(",face,scrfd") + count(",face,things") + count(",plate,things") + 1,
            static_cast<std::ptrdiff_t>(all.size()));
  EXPECT_THAT(lines_of({"--model", faces_}).front(), EndsWith(",right_mouth_y"));
  EXPECT_THAT(lines_of({"--model", things_, "--classes", "face"}).front(),
              EndsWith(",right_mouth_y"));
  EXPECT_THAT(lines_of({"--model", things_, "--classes", "plate"}).back(),
              EndsWith(",plate,things"));
}

TEST_F(SeveralModelsProgram, ClassesAreChosenByName) {
  const std::vector<json> plates = frames_of({"--model", things_, "--classes", "plate"});
  EXPECT_EQ(frames_of(joined(both(), {"--classes", "plate"})), plates);
  for (const json& face : plates.front()["faces"]) EXPECT_EQ(face["class"], "plate");
  EXPECT_EQ(frames_of(joined(both(), {"--classes", "plate,face"})), frames_of(both()));
  const CommandResult told =
      run_program(joined({"run", clip(), "--no-video", "--classes", "plate"}, both()));
  EXPECT_THAT(told.err, HasSubstr("model " + faces_ + " is not used"));
}

TEST_F(SeveralModelsProgram, UnknownClassesAreRefusedWithAList) {
  for (const std::string name : {"dog", "number plate"})
    expect_refusal(2, "--classes: no model finds \"" + name + "\"; the classes are face, plate",
                   joined(both(), {"--classes", "face," + name}));
  expect_refusal(2, "--classes: no model finds \"plate\"; the classes are face",
                 {"--model", faces_, "--classes", "plate"});
}

TEST_F(SeveralModelsProgram, WhatMakesNoSenseIsRefused) {
  expect_refusal(2, "--card works only with one --model",
                 joined(both(), {"--card", things_ + ".json"}));
  expect_refusal(2, "--model: " + faces_ + " is named twice", joined(both(), {"--model", faces_}));
  Arguments twenty;
  for (int i = 0; i < 20; ++i)
    twenty = joined(twenty, {"--model", dir_ / (std::to_string(i) + ".onnx")});
  expect_refusal(2, "--model: at most 8 models search a frame, not 20", twenty);
  expect_refusal(4, dir_ / "none.onnx", joined(both(), {"--model", dir_ / "none.onnx"}));
}

TEST_F(SeveralModelsProgram, TheReportNamesAllWithTheirLicences) {
  const json report = report_of(both());
  ASSERT_EQ(report["models"].size(), 2U);
  EXPECT_EQ(report["model"]["path"], faces_);
  const json& things = report["models"][1];
  EXPECT_EQ(things["kind"], "things");
  EXPECT_EQ(things["path"], things_);
  EXPECT_EQ(things["sha256"], sha256_of_file(things_, {}));
  EXPECT_EQ(things["licence"]["weights"], "research only");
  EXPECT_EQ(things["score"], 0.18);
  EXPECT_EQ(things["iou"], 0.6);
  EXPECT_EQ(report["models"][0]["looks"], json({1, 0.5}));
  EXPECT_EQ(things["looks"], json({1}));
  EXPECT_EQ(report["classes"], json({{{"name", "face"}, {"model", "scrfd"}},
                                     {{"name", "face"}, {"model", "things"}},
                                     {{"name", "plate"}, {"model", "things"}}}));
  const json one = report_of({"--model", faces_});
  EXPECT_FALSE(one.contains("models"));
  EXPECT_FALSE(one.contains("classes"));
}

TEST_F(SeveralModelsProgram, ALicenceWithoutCommercialUseIsToldOnceAModel) {
  const CommandResult result = run_program(joined({"run", clip(), "--no-video"}, both()));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string told = "model " + things_ + ": its licence doesn't allow commercial use";
  const std::size_t first = result.err.find(told);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(told, first + 1), std::string::npos);
  EXPECT_THAT(result.err, Not(HasSubstr("model " + faces_ + ": its licence")));
  EXPECT_THAT(result.err, HasSubstr("boxes (face, plate)"));
  EXPECT_THAT(result.err, HasSubstr("things (" + things_ + ")"));
}

class HideSeveralModels : public SeveralModelsProgram {
 protected:
  /// Returns the luma of the output.
  [[nodiscard]] std::string hidden(const Arguments& more) const {
    const CommandResult result = run_program(joined(
        {"hide", clip(), "-q", "--overwrite", "--codec", "ffv1", "-o", dir_ / "out.mkv"}, more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return decoded_luma(dir_ / "out.mkv");
  }
  /// Returns arguments with which there are few detections, which don't cover the whole picture.
  [[nodiscard]] Arguments small(const Arguments& more) const {
    return joined(both(), joined({"--detect-size", "128x64", "--max-face", "30"}, more));
  }
};

TEST_F(HideSeveralModels, TheEditFileTellsClassesAndHidesTheSame) {
  const std::string direct =
      hidden(small({"--write-tracks", dir_ / "t.json", "--detections", dir_ / "d.jsonl"}));
  std::vector<std::string> classes;
  const json file = json::parse(read_file(dir_ / "t.json"));
  for (const json& track : file["tracks"]) {
    const bool plate = track.contains("class");
    classes.push_back(plate ? track["class"] : "face");
    EXPECT_EQ(track.contains("grow"), plate);
    if (plate) {
      EXPECT_EQ(track["model"], "things");
    } else {
      EXPECT_THAT(track["model"], testing::AnyOf("scrfd", "things"));
    }
  }
  EXPECT_THAT(classes, testing::Contains("face"));
  EXPECT_THAT(classes, testing::Contains("plate"));
  std::istringstream lines(read_file(dir_ / "d.jsonl"));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_THAT(line, HasSubstr(R"("class":"plate","model":"things")"));
  EXPECT_EQ(hidden({"--tracks", dir_ / "t.json"}), direct);
  // A growth that the user names replaces that of the cards.
  EXPECT_NE(hidden({"--tracks", dir_ / "t.json", "--grow", "0"}), direct);
}

TEST_F(HideSeveralModels, TwoPassesTellTheSameClassesAndModels) {
  const auto told = [&](const Arguments& more) {
    (void)hidden(joined(joined(both(), {"--detect-size", "128x64"}),
                        joined(more, {"--detections", dir_ / "d.jsonl"})));
    std::set<std::pair<std::string, std::string>> all;
    std::istringstream lines(read_file(dir_ / "d.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const json frame = json::parse(line);
      for (const json& face : frame["faces"]) all.emplace(face["class"], face["model"]);
    }
    return all;
  };
  const auto once = told({});
  EXPECT_EQ(once.size(), 3U);
  EXPECT_EQ(told({"--two-pass"}), once);
}

TEST_F(HideSeveralModels, VerifyLooksForTheClassesOfAll) {
  const CommandResult result =
      run_program(joined({"verify", clip(), clip(), "--quick", "--overwrite", "--report",
                          dir_ / "v.json", "--detect-size", "128x64"},
                         both()));
  EXPECT_EQ(result.exit_code, 7) << "nothing is hidden";
  const json report = json::parse(read_file(dir_ / "v.json"));
  ASSERT_EQ(report["options"]["models"].size(), 2U);
  EXPECT_EQ(report["options"]["models"][1]["sha256"], sha256_of_file(things_, {}));
  std::set<std::string> classes;
  for (const json& finding : report["findings"]) classes.insert(finding["class"]);
  EXPECT_EQ(classes, (std::set<std::string>{"face", "plate"}));
  const CommandResult plates =
      run_program(joined({"verify", clip(), clip(), "--quick", "--overwrite", "--report",
                          dir_ / "v.json", "--detect-size", "128x64", "--classes", "plate"},
                         both()));
  EXPECT_EQ(plates.exit_code, 7);
  const json of_plates = json::parse(read_file(dir_ / "v.json"));
  EXPECT_FALSE(of_plates["findings"].empty());
  for (const json& finding : of_plates["findings"]) EXPECT_EQ(finding["class"], "plate");
}

TEST_F(SeveralModelsProgram, CenterfaceIsAName) {
  const std::string file = FACEPIPE_SOURCE_DIR "/data/fetched/models/centerface.onnx";
  const json report = report_of({"--model", "centerface", "--model", things_});
  EXPECT_EQ(report["models"][0]["sha256"], sha256_of_file(file, {}));
  EXPECT_EQ(report["classes"][0]["model"], "centerface");
}

}  // namespace
}  // namespace facepipe::test
