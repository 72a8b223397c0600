// These tests run `facepipe model check` on networks and on other models.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/files/sha256.h"
#include "tests/app/program.h"
#include "tests/detector/cascade/files.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_exports.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ModelCheck : public testing::Test {
 protected:
  ModelCheck() : model_(write_small_scrfd(dir_)) {}

  /// Runs the command on the small network. It times the engines with small pictures.
  CommandResult check(const Arguments& more) const {
    return run_program(
        joined({"model", "check", model_, "--timed-size", "64x64", "--threads", "1"}, more));
  }

  TemporaryFolder dir_;
  const std::string model_;
};

TEST_F(ModelCheck, TellsWhatAModelIsAndWhatComputesIt) {
  const CommandResult result = check({});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("file          " + model_));
  EXPECT_THAT(result.out, HasSubstr("sha256        " + sha256_of_file(model_, {})));
  EXPECT_THAT(result.out, HasSubstr("licence       unknown, because no card tells it"));
  EXPECT_THAT(result.out, HasSubstr("family        scrfd"));
  EXPECT_THAT(result.out, HasSubstr("recognised    by its contents"));
  EXPECT_THAT(result.out, HasSubstr("finds         face"));
  EXPECT_THAT(result.out, HasSubstr("input         picture: 1 x 3 x height x width, rgb, sides "
                                    "are multiples of 32"));
  for (const char* values :
       {"1 values a cell, stride 8, 2 cells a place", "4 values a cell, stride 16, 2 cells a place",
        "10 values a cell, stride 32, 2 cells a place"})
    EXPECT_THAT(result.out, HasSubstr(values));
  EXPECT_THAT(result.out, ContainsRegex("operators     .*Convolution [0-9]+.*Upsample 1"));
  EXPECT_THAT(result.out, ContainsRegex("opencv f32    works: [0-9.]+ ms for 64x64"));
  EXPECT_THAT(result.out, HasSubstr("engine on cuda\n"));
  EXPECT_THAT(dir_.names(), ElementsAre("small.onnx"));
}

TEST_F(ModelCheck, WritesACopyOfThePictureBesideIt) {
  const std::string picture = dir_ / "p.png";
  ffmpeg("-f lavfi -i testsrc2=s=160x120 -frames:v 1", picture);
  const CommandResult result = check({"--picture", picture, "--score", "0.25"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("file          " + (dir_ / "p_faces.png").string()));
  EXPECT_THAT(result.out, ContainsRegex("found         [1-9][0-9]* with scores over 0.25, of "));
  EXPECT_THAT(dir_.names(), ElementsAre("p.png", "p_faces.png", "small.onnx"));
  EXPECT_NE(decoded_luma(dir_ / "p_faces.png"), decoded_luma(picture)) << "boxes are drawn";
  // Without --overwrite, the command doesn't replace the picture.
  const CommandResult again = check({"--picture", picture, "--score", "0.25"});
  EXPECT_EQ(again.exit_code, 5);
  EXPECT_THAT(again.err, HasSubstr("p_faces.png: exists already"));
  EXPECT_EQ(check({"--picture", picture, "--overwrite"}).exit_code, 0);
  EXPECT_EQ(check({"--picture", picture, "-o", dir_ / "other.png"}).exit_code, 0);
  EXPECT_EQ(check({"--picture", dir_ / "none.png"}).exit_code, 3);
}

TEST_F(ModelCheck, NeverReplacesWhatItReads) {
  const std::string picture = dir_ / "p.png";
  ffmpeg("-f lavfi -i testsrc2=s=160x120 -frames:v 1", picture);
  const std::string pixels = read_file(picture);
  const std::string model = read_file(model_);
  expect_refused(check({"--picture", picture, "-o", picture, "--overwrite"}), 2,
                 "p.png: is also an input");
  std::filesystem::create_hard_link(model_, dir_ / "link.json");
  expect_refused(check({"--draft", dir_ / "link.json", "--overwrite"}), 2,
                 "link.json: is also an input");
  EXPECT_EQ(read_file(picture), pixels);
  EXPECT_EQ(read_file(model_), model);
}

TEST_F(ModelCheck, TheDraftIsACardOfTheModel) {
  const CommandResult shown = check({"--draft", "-"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  const json card = json::parse(shown.out);
  EXPECT_EQ(card["sha256"], sha256_of_file(model_, {}));
  EXPECT_EQ(card["head"]["family"], "scrfd");
  EXPECT_EQ(card["input"]["mean"], json({127.5, 127.5, 127.5}));
  EXPECT_THAT(shown.err, HasSubstr("family        scrfd"));
  // This call writes the card beside the model, and the next call reads the card.
  EXPECT_EQ(check({"--draft", dir_ / "small.onnx.json"}).exit_code, 0);
  EXPECT_EQ(json::parse(read_file(dir_ / "small.onnx.json")), card);
  const CommandResult with_card = check({});
  EXPECT_THAT(with_card.out, HasSubstr("recognised    by its card, " + model_ + ".json"));
  const CommandResult again = check({"--draft", dir_ / "small.onnx.json"});
  EXPECT_EQ(again.exit_code, 5);
  EXPECT_THAT(again.err, HasSubstr("small.onnx.json: exists already"));
}

TEST_F(ModelCheck, TellsTheClassesOfACard) {
  const json card = {{"facepipe_model", 1},
                     {"name", "plates"},
                     {"licence", {{"weights", "CC0"}}},
                     {"input", {{"mean", {127.5, 127.5, 127.5}}, {"std", {128, 128, 128}}}},
                     {"head", {{"family", "scrfd"}, {"points", {{"count", 5}}}}},
                     {"classes", {{{"name", "licence plate"}, {"as", "plate"}}}}};
  const CommandResult result = check({"--card", dir_.write("c.json", card.dump())});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("kind          plates"),
                                HasSubstr("finds         licence plate (as plate)"),
                                HasSubstr("licence       weights CC0")));
}

TEST_F(ModelCheck, MeasuresTheReferenceScore) {
  std::filesystem::create_directories(dir_ / "l/images/sub");
  const std::vector<std::string> names{"a.png", "sub/b.png", "c.png"};
  for (std::size_t i = 0; i < names.size(); ++i)
    ffmpeg("-f lavfi -i testsrc2=s=160x128,hue=h=" + std::to_string(100 * i) + " -frames:v 1",
           dir_ / "l/images" / names[i]);
  // The left half of each picture counts as a face.
  std::string labels;
  for (const std::string& name : names) labels += "# " + name + " 160 128\n0 0 80 128\n";
  static_cast<void>(dir_.write("l/labels.txt", labels));
  const CommandResult result = check({"--images", dir_ / "l", "--draft", dir_ / "c.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("pictures      3, with 3 faces"));
  // The faces of a run tell which the third highest score of a false positive is.
  EXPECT_EQ(run_program({"run", dir_ / "l/images", "--model", model_, "--no-video", "--score",
                         "0.01", "--detections", dir_ / "d.jsonl", "-q"})
                .exit_code,
            0);
  std::vector<double> scores;
  std::istringstream lines(read_file(dir_ / "d.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const json frame = json::parse(line);
    for (const json& face : frame["faces"]) {
      const auto box = face["box"].get<std::vector<double>>();
      const bool large = (box[2] - box[0]) * (box[3] - box[1]) >= 256;
      if (large && box[0] >= 80) scores.push_back(face["score"]);
    }
  }
  ASSERT_GE(scores.size(), 3U);
  std::ranges::sort(scores, std::greater<>());
  const json card = json::parse(read_file(dir_ / "c.json"));
  EXPECT_NEAR(card["reference_score"].get<double>(), scores[2], 1e-6);
}

TEST_F(ModelCheck, RefusesLabelsThatDoNotFit) {
  std::filesystem::create_directories(dir_ / "images");
  const std::string picture = dir_ / "images/p.png";
  ffmpeg("-f lavfi -i testsrc2=s=160x128 -frames:v 1", picture);
  const auto refuse = [&](const std::string& labels, const std::string& reason) {
    static_cast<void>(dir_.write("labels.txt", labels));
    expect_refused(check({"--images", dir_.path().string()}), 3, reason);
  };
  expect_refused(check({"--images", dir_ / "none"}), 3, "none/labels.txt: no such file");
  refuse("# p.png 160", "labels.txt: line 1: not '# NAME WIDTH HEIGHT' of a picture");
  refuse("# p.png 128 160", picture + ": its size is 160x128, but labels.txt says 128x160");
  refuse("# none.png 160 128", (dir_ / "images/none.png").string() + ": ");
  static_cast<void>(dir_.write("images/text.png", "no picture"));
  refuse("# text.png 160 128", (dir_ / "images/text.png").string() + ": ");
  ffmpeg("-f lavfi -i testsrc2=s=160x128 -frames:v 2", dir_ / "images/two.gif");
  refuse("# two.gif 160 128", (dir_ / "images/two.gif").string() + ": not a single picture");
}

TEST_F(ModelCheck, OnlyNetworksHaveReferenceScores) {
  const std::string model = installed_cascade("frontalface_default").string();
  expect_refused(run_program({"model", "check", model, "--images", dir_.path().string()}), 2,
                 "--images: model " + model + ": only networks have reference scores");
}

TEST_F(ModelCheck, TellsWhatAnUnknownNetworkDeclares) {
  // The export's output isn't of any family, and no card says how it is read.
  const std::string model =
      dir_.write("unknown.onnx", export_for_all_passes().model().SerializeAsString());
  const CommandResult result = run_program({"model", "check", model});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("model " + model + ": not a known face model"));
  EXPECT_THAT(result.out, HasSubstr("declared by the file\n"));
  EXPECT_THAT(result.out, ContainsRegex("  input         [^:\n]+: float of 1 x 3 x [0-9?]+ x "));
  EXPECT_THAT(result.out, ContainsRegex("  output        [^:\n]+: float"));
}

TEST_F(ModelCheck, ANetworkOfAKnownKindHasADraft) {
  const std::string model = FACEPIPE_SOURCE_DIR "/data/fetched/models/centerface.onnx";
  const CommandResult result =
      run_program({"model", "check", model, "--timed-size", "64x64", "--draft", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json card = json::parse(result.out);
  EXPECT_EQ(card["head"], json({{"family", "centerface"}}));
  EXPECT_EQ(card["licence"]["weights"], "MIT");
  EXPECT_EQ(card["reference_score"], 0.21);
  EXPECT_THAT(result.err, HasSubstr("recognised    by the shapes of its outputs"));
}

TEST_F(ModelCheck, CascadesHaveNoCard) {
  const std::string model = installed_cascade("frontalface_default").string();
  const CommandResult result = run_program({"model", "check", model});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("kind          cascade"), Not(HasSubstr("family")),
                                ContainsRegex("cascade f32   works: ")));
  expect_refused(run_program({"model", "check", model, "--draft", "-"}), 2,
                 "--draft: model " + model + ": only networks have cards");
}

TEST_F(ModelCheck, WhatIsNoModelIsRefused) {
  const std::string text = dir_.write("text.onnx", "this is not a model");
  for (const std::string& model : {text, (dir_ / "none.onnx").string(), dir_.path().string()}) {
    const CommandResult result = run_program({"model", "check", model, "--draft", dir_ / "c.json"});
    expect_refused(result, 4, model);
    EXPECT_EQ(result.out, "");
  }
  EXPECT_THAT(dir_.names(), ElementsAre("small.onnx", "text.onnx"));
}

}  // namespace
}  // namespace facepipe::test
