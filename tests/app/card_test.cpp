// These tests run the real program with a small network whose card says more than its file.
#include <gmock/gmock.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/files/sha256.h"
#include "tests/app/photo_clip.h"
#include "tests/detector/cascade/files.h"
#include "tests/support/small_exports.h"

namespace facepipe::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Returns a card for a small SCRFD. The card says the same as the content of the network's file.
json scrfd_card() {
  return json::parse(R"({"facepipe_model": 1, "name": "small",
    "input": {"mean": [127.5, 127.5, 127.5], "std": [128, 128, 128], "looks": [1, 0.5]},
    "head": {"family": "scrfd", "points": {"count": 5}}})");
}

class CardProgram : public PhotoClip {
 protected:
  static void SetUpTestSuite() { make_clip("400+n*4:150"); }

  CardProgram() : model_(write_small_scrfd(dir_)) {}

  std::string write(const json& card, const std::string& name = "c.json") const {
    return dir_.write(name, card.dump());
  }
  /// Returns the only entry of the report of a run with the model.
  json report_of(const Arguments& more) {
    const CommandResult result =
        run(joined(more, {"--model", model_, "--no-video", "--report", dir_ / "r.json"}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(read_file(dir_ / "r.json")).at(0);
  }
  std::vector<json> faces_with(const json& card, const Arguments& more = {}) {
    return frames_of(joined(more, {"--model", model_, "--card", write(card)}));
  }

  const std::string model_;
};

struct Refused {
  std::string field;   ///< a JSON pointer to a field of a correct card
  json value;          ///< the wrong value of this field
  std::string reason;  ///< the text after "card FILE: "
};

/// Examples of wrong cards. The tests in tests/detector/cnn/model/card/ check all values that the
/// reader of cards refuses.
const Refused kRefused[] = {
    {"/facepipe_model", 2, "facepipe_model: "},
    {"/sha256", std::string(64, 'a'), "sha256: made for another model; this one's is "},
    {"/licence/commercial", "no", "licence.commercial: "},
    {"/input/std", {1, 0, 1}, "input.std[1]: "},
    {"/input/channels", "grey", "input.channels: not one of rgb, bgr"},
    {"/input/pad", 256, "input.pad: "},
    {"/input/size", {640, 480}, "input.size: only \"own\" is supported"},
    {"/head/family", "ssd", "head.family: not one of centerface, yunet, scrfd"},
    {"/head/family", "yunet", "head.points: family yunet has none"},
    {"/head/points/values", 3, "head.points.values: only 2 are supported in this family"},
    {"/score", 1.5, "score: "},
    {"/nms", "0.4", "nms: "},
    {"/head/anchor", 2, "head: unknown member \"anchor\""},
};

TEST_F(CardProgram, WrongCardsAreOneLineThatNamesTheField) {
  for (const Refused& refused : kRefused) {
    json card = scrfd_card();
    card[json::json_pointer(refused.field)] = refused.value;
    const std::string file = write(card);
    expect_refusal(4, "card " + file + ": " + refused.reason, {"--model", model_, "--card", file});
  }
}

TEST_F(CardProgram, HostileFilesAreRefused) {
  const auto refuse = [&](const std::string& file, const std::string& reason) {
    expect_refusal(4, "card " + file + ": " + reason, {"--model", model_, "--card", file});
  };
  refuse(dir_ / "none.json", "no such file");
  refuse(dir_.path().string(), "not a regular file");
  const std::string fifo = dir_ / "fifo.json";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  refuse(fifo, "not a regular file");
  refuse(dir_.write("empty.json", ""), "");
  refuse(dir_.write("cut.json", R"({"facepipe_model": 1, )"), "");
  refuse(dir_.write("deep.json", std::string(100'000, '[')), "");
  refuse(dir_.write("large.json", std::string((256 << 10) + 1, ' ')), "larger than 256 KiB");
  refuse(dir_.write("twice.json", R"({"facepipe_model": 1, "facepipe_model": 1, "head": {}})"), "");
}

TEST_F(CardProgram, AFamilyThatTheFileHasNotIsRefused) {
  const std::string file = write({{"facepipe_model", 1}, {"head", {{"family", "centerface"}}}});
  expect_refusal(4, "card " + file + ": head.family: the model's outputs are not those of centerf",
                 {"--model", model_, "--card", file});
}

TEST_F(CardProgram, OutputsThatTheFileHasNotAreRefused) {
  json card = scrfd_card();
  card["head"]["points"]["count"] = 3;
  const std::string file = write(card);
  expect_refusal(4, "no output has rows of 6 at stride 8; see head in its card " + file,
                 {"--model", model_, "--card", file});
}

TEST_F(CardProgram, ACascadeHasNoCard) {
  expect_refusal(2, "--card works only with networks",
                 {"--model", installed_cascade("frontalface_default").string(), "--card",
                  write(scrfd_card())});
}

TEST_F(CardProgram, TheCardBesideTheModelIsRead) {
  EXPECT_EQ(report_of({})["model"]["card"], nullptr);
  json card = scrfd_card();
  card["sha256"] = sha256_of_file(model_, {});
  const std::string beside = write(card, "small.onnx.json");
  const json report = report_of({});
  EXPECT_EQ(report["model"]["card"], beside);
  EXPECT_EQ(report["model"]["kind"], "small");
  // The file of --card replaces the card beside the model.
  card["name"] = "other";
  EXPECT_EQ(report_of({"--card", write(card)})["model"]["kind"], "other");
  // facepipe never ignores the file beside the model, even if the file contains no card.
  write("no card", "small.onnx.json");
  expect_refusal(4, "card " + beside, {"--model", model_});
}

TEST_F(CardProgram, ScoreAndOverlapAreDefaults) {
  json card = scrfd_card();
  card["score"] = 0.625;
  card["nms"] = 0.75;
  const std::string file = write(card);
  const json options = report_of({"--card", file})["options"];
  EXPECT_EQ(options["score"], 0.625);
  EXPECT_EQ(options["iou"], 0.75);
  const json own = report_of({"--card", file, "--score", "0.5", "--iou", "0.25"})["options"];
  EXPECT_EQ(own["score"], 0.5);
  EXPECT_EQ(own["iou"], 0.25);
  const json soft = report_of({"--card", file, "--nms-rule", "soft"})["options"];
  EXPECT_EQ(soft["nms"]["min_score"], 0.625);
}

TEST_F(CardProgram, FacesAreThoseOfTheOptionsThatTheCardStandsFor) {
  json card = scrfd_card();
  const std::vector<json> named = faces_with(card, {"--score", "0.625", "--iou", "0.75"});
  card["score"] = 0.625;
  card["nms"] = 0.75;
  EXPECT_EQ(faces_with(card), named);
  EXPECT_GT(named.front()["faces"].size(), 0U);
  EXPECT_NE(faces_with(card, {"--score", "0.5"}), named);
  EXPECT_NE(faces_with(card, {"--iou", "0.25"}), named);
  // Tracks need weaker detections, but the faces are the same.
  std::vector<json> followed = faces_with(card, {"--draw", "boxes,ids"});
  ASSERT_EQ(followed.size(), named.size());
  for (std::size_t i = 0; i < named.size(); ++i)
    EXPECT_EQ(followed[i]["faces"].size(), named[i]["faces"].size());
}

TEST_F(CardProgram, ALowScoreOfTheCardHoldsWhereFacesAreFollowed) {
  const std::string model = FACEPIPE_SOURCE_DIR "/data/fetched/models/centerface.onnx";
  const std::string low =
      write({{"facepipe_model", 1}, {"head", {{"family", "centerface"}}}, {"score", 0.02}});
  for (const Arguments& following : {Arguments{"--every", "2"}, Arguments{"--draw", "boxes,ids"}}) {
    const std::vector<json> named =
        frames_of(joined(following, {"--model", model, "--score", "0.02"}));
    EXPECT_EQ(frames_of(joined(following, {"--model", model, "--card", low})), named);
    EXPECT_TRUE(std::ranges::any_of(named.front()["faces"], [](const json& face) {
      return face["score"] < 0.03;
    })) << "so low that the card lowers what tracks need";
  }
}

TEST_F(CardProgram, TheReferenceScoreMapsTheScoresOfTracksAndOfVerify) {
  const std::string model = FACEPIPE_SOURCE_DIR "/data/fetched/models/centerface.onnx";
  json card = {{"facepipe_model", 1}, {"head", {{"family", "centerface"}}}};
  const auto tracks_with = [&](double reference) {
    card["reference_score"] = reference;
    const CommandResult result =
        run_program({"detect", clip(), "--model", model, "--card", write(card), "--write-tracks",
                     dir_ / "t.json", "--report", dir_ / "r.json", "--overwrite", "-q"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(read_file(dir_ / "t.json"));
  };
  const auto score_in_report = [&] {
    return json::parse(read_file(dir_ / "r.json")).at(0)["options"]["score"].get<double>();
  };
  const auto best_scores = [](const json& tracks, const char* action) {
    std::vector<double> scores;
    for (const json& track : tracks["tracks"])
      if (track["action"] == action) scores.push_back(track["score_max"]);
    return scores;
  };
  const std::vector<double> usual = best_scores(tracks_with(0.21), "hide");
  EXPECT_NEAR(score_in_report(), 0.03, 1e-6);
  ASSERT_FALSE(usual.empty());
  // The weakest detection that a second look can confirm has the usual score 0.1.
  EXPECT_GE(std::ranges::min(usual), 0.1);
  // 0.458... is the root of 0.21: hidden tracks need 0.1^0.5 = 0.316 now.
  const json strict = tracks_with(0.458257569);
  EXPECT_NEAR(score_in_report(), 0.1732, 1e-4);
  EXPECT_GE(std::ranges::min(best_scores(strict, "hide")), 0.316);
  // 0.0441 is the square of 0.21, so far weaker tracks are hidden.
  const std::vector<double> all = best_scores(tracks_with(0.0441), "hide");
  EXPECT_NEAR(score_in_report(), 0.0009, 1e-6);
  EXPECT_LT(std::ranges::min(all), 0.1);
  EXPECT_GE(std::ranges::min(all), 0.1 * 0.1);
  const auto score_of_verify = [&](const Arguments& more) {
    const CommandResult result =
        run_program(joined({"verify", clip(), clip(), "--model", model, "--card", write(card),
                            "--quick", "--report", dir_ / "v.json", "--overwrite", "-q"},
                           more));
    EXPECT_EQ(result.exit_code, 7) << result.err;
    return json::parse(read_file(dir_ / "v.json"))["options"]["score"].get<double>();
  };
  EXPECT_NEAR(score_of_verify({}), 0.01, 1e-6);
  EXPECT_NEAR(score_of_verify({"--score", "0.3"}), 0.3, 1e-6) << "as the model scores";
}

TEST_F(CardProgram, TheCardSaysHowPicturesMustLook) {
  // This card says the same as the content of the network's file.
  const std::vector<json> recognised = frames_of({"--model", model_, "--iou", "0.3"});
  EXPECT_EQ(faces_with(scrfd_card(), {"--iou", "0.3"}), recognised);
  json changed = scrfd_card();
  changed["input"]["channels"] = "bgr";
  EXPECT_NE(faces_with(changed, {"--iou", "0.3"}), recognised);
  changed = scrfd_card();
  changed["input"]["std"] = {64, 64, 64};
  EXPECT_NE(faces_with(changed, {"--iou", "0.3"}), recognised);
}

TEST_F(CardProgram, ALicenceWithoutCommercialUseIsToldOnce) {
  json card = scrfd_card();
  card["licence"] = {{"weights", "research only"}, {"commercial", false}};
  const std::string file = write(card);
  std::filesystem::copy(clip(), dir_ / "second.mkv");
  const CommandResult result =
      run_program({"run", clip(), dir_ / "second.mkv", "--model", model_, "--card", file, "-o",
                   dir_ / "out/", "--report", dir_ / "r.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string told =
      "model " + model_ + ": its licence doesn't allow commercial use (research only)";
  const std::size_t first = result.err.find(told);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(told, first + 1), std::string::npos) << result.err;
  for (const json& entry : json::parse(read_file(dir_ / "r.json")))
    EXPECT_EQ(entry["model"]["licence"], json({{"weights", "research only"},
                                               {"code", nullptr},
                                               {"data", nullptr},
                                               {"commercial", false}}));
}

TEST_F(CardProgram, DoctorTellsTheLicence) {
  const CommandResult unknown = run_program({"doctor", "--model", model_});
  EXPECT_THAT(unknown.out, HasSubstr("licence       unknown, because no card tells it"));
  json card = scrfd_card();
  card["licence"] = {{"code", "MIT"}, {"weights", "CC0 \x1b[2J"}, {"commercial", true}};
  const std::string file = write(card);
  expect_refused(run_program({"run", clip(), "--model", model_, "--card", file, "-q"}), 4,
                 "licence.weights: ");
  card["licence"]["weights"] = "CC0";
  const CommandResult told = run_program({"doctor", "--model", model_, "--card", write(card)});
  EXPECT_THAT(told.out,
              HasSubstr("licence       weights CC0, code MIT; commercial use is allowed"));
  EXPECT_THAT(told.out, HasSubstr("card          " + file));
  EXPECT_THAT(told.out, testing::ContainsRegex("opencv f32 +works: "));
}

}  // namespace
}  // namespace facepipe::test
