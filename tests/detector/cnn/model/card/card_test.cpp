// These tests parse cards, write cards, and check that wrong cards are refused. They also check
// each card with the schema. The schema must accept the same cards as the parser, as far as a
// schema can.
#include "detector/cnn/model/card/card.h"

#include <gmock/gmock.h>

#include <fstream>
#include <functional>

#include "detector/cnn/model/card/words.h"
#include "tests/detector/cnn/model/card/schema.h"
#include "tests/detector/files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector {
namespace {

using Json = nlohmann::json;

const std::string kSha256 = "9c162a817c7dd32d35d1f1c6ae6445032d6e73c6c5fe61d8b5b663ba8bc86b30";

const Json& schema() {
  static const Json root = [] {
    std::ifstream file(test::source_dir() / "data/model-card.schema.json");
    return Json::parse(file);
  }();
  return root;
}

bool fits_schema(const Json& card) { return test::fits_schema(card, schema(), schema()); }

Card parsed(const Json& card) { return parse_card(card.dump(), "c.json", kSha256); }

/// Returns a card of the family scrfd with nearly all members that such a card can have.
Json full_scrfd() {
  return Json::parse(R"({
    "facepipe_model": 1, "name": "scrfd-2.5g",
    "sha256": "9c162a817c7dd32d35d1f1c6ae6445032d6e73c6c5fe61d8b5b663ba8bc86b30",
    "licence": {"code": "MIT", "weights": "research", "data": "WIDER FACE", "commercial": false},
    "input": {"channels": "bgr", "mean": [127.5, 100, 0], "std": [128, 64, 0.5], "pad": 114,
              "multiple": 64, "size": [640, 480], "looks": [1, 0.5]},
    "head": {"family": "scrfd", "outputs": {"score": ["a", "b"], "box": ["c", "d"]},
             "strides": [8, 16], "anchors": 3, "scores": "logit",
             "points": {"count": 5, "values": 3}},
    "classes": [{"name": "face", "as": "head", "score": 0.25, "grow": 0.5}],
    "score": 0.3, "nms": 0.4, "reference_score": 0.24})");
}

Json with_head(const char* head) { return {{"facepipe_model", 1}, {"head", Json::parse(head)}}; }

/// One card of each family. All cards but the first have few members.
const Json kCards[] = {
    full_scrfd(),
    with_head(R"({"family": "centerface"})"),
    with_head(R"({"family": "yunet"})"),
    with_head(R"({"family": "yolo-dfl", "bins": 32, "points": {"count": 17, "values": 3}})"),
    with_head(R"({"family": "yolo-anchors", "strides": [8, 16],
                  "anchors": [[[4, 5], [8, 10.5]], [[23, 29]]]})"),
    with_head(R"({"family": "retinaface", "anchors": [[16, 32], [64, 128], [256, 512]],
                  "variances": [0.25, 0.5], "scores": "probability"})"),
    with_head(R"({"family": "boxes", "layout": "xyxy-score", "outputs": {"all": ["dets"]}})"),
    with_head(R"({"family": "boxes", "layout": "batch-xyxy-class-score", "scores": "logit"})"),
    with_head(R"({"family": "boxes", "layout": "xyxy-score-class",
                  "outputs": {"box": ["b"], "score": ["s"], "class": ["labels"]}})"),
};

TEST(Card, IsReadWithAllItsMembers) {
  const Card card = parsed(full_scrfd());
  EXPECT_EQ(card.name, "scrfd-2.5g");
  EXPECT_EQ(card.sha256, kSha256);
  EXPECT_EQ(card.licence, (ModelLicence{"MIT", "research", "WIDER FACE", false}));
  EXPECT_EQ(card.input.channels, ChannelOrder::bgr);
  EXPECT_EQ(card.input.normalisation, (InputNormalisation{{127.5F, 100, 0}, {128, 64, 0.5F}}));
  EXPECT_EQ(card.input.pad, 114);
  EXPECT_EQ(card.input.multiple, 64);
  EXPECT_EQ(card.input.size, (Size{640, 480}));
  EXPECT_EQ(card.input.looks, (std::vector{1.0F, 0.5F}));
  EXPECT_EQ(card.head.family, HeadFamily::scrfd);
  EXPECT_EQ(card.head.outputs.box, (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(card.head.strides, (std::vector{8, 16}));
  EXPECT_EQ(card.head.anchors, 3);
  EXPECT_EQ(card.head.scores, ScoreKind::logit);
  EXPECT_EQ(card.head.points, 5);
  EXPECT_EQ(card.head.point_values, 3);
  EXPECT_EQ(card.classes, (std::vector<CardClass>{{"face", ClassKind::head, 0.25F, 0.5F}}));
  EXPECT_EQ(card.score, 0.3F);
  EXPECT_EQ(card.nms, 0.4F);
  EXPECT_EQ(card.reference_score, 0.24F);
}

TEST(Card, HasDefaults) {
  const Card card = parsed(with_head(R"({"family": "yolo-dfl"})"));
  Card expected;
  expected.head.family = HeadFamily::yolo_dfl;
  EXPECT_EQ(card, expected);
  EXPECT_EQ(card.classes.size(), 1U);
  EXPECT_EQ(
      parsed(with_head(R"({"family": "yolo-anchors", "strides": [8], "anchors": [[[4, 5]]]})"))
          .head.scores,
      ScoreKind::logit);
}

TEST(Card, OfEachFamilyIsReadAndFitsTheSchema) {
  for (const Json& card : kCards) {
    EXPECT_NO_THROW((void)parsed(card)) << card;
    EXPECT_TRUE(fits_schema(card)) << card;
  }
}

TEST(Card, ThatIsWrittenIsTheSameWhenItIsRead) {
  for (const Json& json : kCards) {
    const Card card = parsed(json);
    const std::string text = to_json(card);
    EXPECT_EQ(parse_card(text, "c.json", kSha256), card) << text;
    EXPECT_TRUE(fits_schema(Json::parse(text))) << text;
  }
}

TEST(Card, ThatIsWrittenShowsWhatItsFamilyHas) {
  const Json draft = Json::parse(to_json(parsed(with_head(R"({"family": "yolo-dfl"})"))));
  EXPECT_EQ(draft["head"], Json::parse(R"({"family": "yolo-dfl", "strides": [8, 16, 32], "bins": 16,
                            "points": {"count": 0, "values": 2}})"));
  EXPECT_EQ(draft["input"]["mean"], Json::parse("[0.0, 0.0, 0.0]"));
  EXPECT_EQ(Json::parse(to_json(parsed(full_scrfd())))["reference_score"].dump(), "0.24");
}

TEST(Card, ThatIsWrittenIsUtf8) {
  Card card;
  card.classes.front().name = "\xff";
  EXPECT_NO_THROW((void)parse_card(to_json(card), "c.json", kSha256));
}

/// Describes a wrong change to a card, and a part of the error that refuses the card. `place` is
/// the JSON pointer of the changed value.
struct Refused {
  const char* place;
  Json value;
  const char* reason;
  bool schema_tells = true;  ///< whether the schema refuses the card, too
  Json card = full_scrfd();
};

const Json kDfl = with_head(R"({"family": "yolo-dfl"})");
const Json kRetina = with_head(R"({"family": "retinaface", "strides": [8, 16],
                                    "anchors": [[16], [32]]})");
const Json kAnchors = with_head(R"({"family": "yolo-anchors", "strides": [8],
                                     "anchors": [[[4, 5]]]})");
const Json kBoxes = with_head(R"({"family": "boxes", "layout": "xyxy-score"})");

const Refused kRefused[] = {
    {"/facepipe_model", 2, "facepipe_model: not an integer from 1 to 1"},
    {"/facepipe_model", "1", "facepipe_model: not an integer"},
    {"/facepipe_model", 1.5, "facepipe_model: not an integer"},
    {"/licences", Json::object(), "unknown member \"licences\""},
    {"/name", "SCRFD", "name: not a name of a-z"},
    {"/name", "-scrfd", "name: not a name of a-z"},
    {"/name", "", "name: not a name of a-z"},
    {"/name", std::string(65, 'a'), "name: longer than 64 bytes"},
    {"/name", 1, "name: not a string"},
    {"/sha256", std::string(64, 'A'), "sha256: not a SHA-256"},
    {"/sha256", "abc", "sha256: not a SHA-256"},
    {"/sha256", std::string(64, 'a'), "sha256: made for another model; this one's is 9c16", false},
    {"/licence", "MIT", "licence: not an object"},
    {"/licence/weight", "MIT", "licence: unknown member \"weight\""},
    {"/licence/code", std::string(201, 'a'), "licence.code: longer than 200 bytes"},
    {"/licence/code", "MIT\u001b[2J", "licence.code: has control characters", false},
    {"/licence/code", "MIT\u009b2J", "licence.code: has control characters", false},
    {"/licence/code", "MIT\n", "licence.code: has control characters", false},
    {"/licence/commercial", 1, "licence.commercial: neither true nor false"},
    {"/input", Json::array(), "input: not an object"},
    {"/input/swap", true, "input: unknown member \"swap\""},
    {"/input/channels", "grey", "input.channels: not one of rgb, bgr"},
    {"/input/mean", {1, 2}, "input.mean: not a list of 3"},
    {"/input/mean", 127.5, "input.mean: not a list"},
    {"/input/mean/1", 256, "input.mean[1]: not a number from 0.0 to 255.0"},
    {"/input/mean/1", "1", "input.mean[1]: not a number"},
    {"/input/std/2", 0, "input.std[2]: not a number from 0.001 to 1000.0"},
    {"/input/std/2", -1, "input.std[2]: not a number"},
    {"/input/pad", 256, "input.pad: not an integer from 0 to 255"},
    {"/input/pad", -1, "input.pad: not an integer"},
    {"/input/multiple", 48, "input.multiple: not one of 32, 64, 128"},
    {"/input/size", "full", "input.size: neither \"own\" nor"},
    {"/input/size", {640}, "input.size: not a list of 2"},
    {"/input/size/0", 16, "input.size[0]: not an integer from 32 to 16384"},
    {"/input/size/1", 100000, "input.size[1]: not an integer from 32 to 16384"},
    {"/input/looks", Json::array(), "input.looks: not a list of 1 to 4"},
    {"/input/looks", {1, 1, 1, 1, 1}, "input.looks: not a list of 1 to 4"},
    {"/input/looks/1", 0, "input.looks[1]: not a number"},
    {"/input/looks/1", 5, "input.looks[1]: not a number"},
    {"/head", Json::array(), "head: not an object"},
    {"/head", Json::object(), "head: member \"family\" is missing"},
    {"/head/family", "ssd", "head.family: not one of centerface, yunet, scrfd, yolo-dfl"},
    {"/head/cells", 1, "head: unknown member \"cells\""},
    {"/head/outputs/all", Json::array(), "head.outputs.all: not a list of 1 to 5"},
    {"/head/outputs/boxes", Json::array(), "head.outputs: unknown member \"boxes\""},
    {"/head/outputs/score/1", 4, "head.outputs.score[1]: not a string"},
    {"/head/strides", Json::array(), "head.strides: not a list of 1 to 5"},
    {"/head/strides/1", 12, "head.strides[1]: not one of 4, 8, 16, 32, 64, 128"},
    {"/head/strides/1", 8, "head.strides[1]: not above the one before it", false},
    {"/head/anchors", 0, "head.anchors: not an integer from 1 to 9"},
    {"/head/anchors", {{16}, {32}}, "head.anchors: not an integer", false},
    {"/head/scores", "percent", "head.scores: not one of probability, logit, softmax2"},
    {"/head/bins", 16, "head.bins: family scrfd has none", false},
    {"/head/layout", "xyxy-score", "head.layout: family scrfd has none", false},
    {"/head/variances", {0.1, 0.2}, "head.variances: family scrfd has none", false},
    {"/head/points", {{"values", 2}}, "head.points: member \"count\" is missing"},
    {"/head/points/count", 65, "head.points.count: not an integer from 0 to 64"},
    {"/head/points/values", 4, "head.points.values: not an integer from 2 to 3"},
    {"/head/points/names", 4, "head.points: unknown member \"names\""},
    {"/classes", Json::array(), "classes: not a list of 1 to 1000", true, kDfl},
    {"/classes", {{{"name", "a"}}, {{"name", "b"}}}, "classes: not a list of 1", false},
    {"/classes",
     {{{"name", "a"}}, {{"name", "a"}}},
     "classes[1].name: another class has the same",
     false,
     kDfl},
    {"/classes", {{{"name", "a"}, {"as", "ignore"}}}, "classes: all are ignored", false},
    {"/classes/0/name", "", "classes[0].name: empty"},
    {"/classes/0/as", "dog", "classes[0].as: not one of face, head, person, plate, ignore"},
    {"/classes/0/score", 1.5, "classes[0].score: not a number from 0.0 to 1.0"},
    {"/classes/0/grow", -0.5, "classes[0].grow: not a number from 0.0 to 4.0"},
    {"/classes/0/colour", 1, "classes[0]: unknown member \"colour\""},
    {"/classes", {Json::object()}, "classes[0]: member \"name\" is missing"},
    {"/score", 2, "score: not a number from 0.0 to 1.0"},
    {"/nms", "high", "nms: not a number"},
    {"/reference_score", 0, "reference_score: not a number"},
    {"/reference_score", 1, "reference_score: not a number"},
    {"/head/bins", 1, "head.bins: not an integer from 2 to 64", true, kDfl},
    {"/head/scores", "logit", "head.scores: family yolo-dfl has none", false, kDfl},
    {"/head/anchors", {{16}}, "head.anchors: not a list of 2", false, kRetina},
    {"/head/anchors/0", Json::array(), "head.anchors[0]: not a list of 1 to 9", true, kRetina},
    {"/head/anchors/0/0", {16, 32}, "head.anchors[0][0]: not a number", false, kRetina},
    {"/head/variances", {0.1, 0}, "head.variances[1]: not a number", true, kRetina},
    {"/head/anchors/0/0", 4, "head.anchors[0][0]: not a list", false, kAnchors},
    {"/head/anchors/0/0/1", 0, "head.anchors[0][0][1]: not a number", true, kAnchors},
    {"/head", {{"family", "retinaface"}}, "head: member \"anchors\" is missing", false},
    {"/head", {{"family", "boxes"}}, "head: member \"layout\" is missing", false},
    {"/head/layout", "xywh", "head.layout: not one of cxcywh-classes", true, kBoxes},
    {"/head/points", {{"count", 5}}, "head.points: family boxes has none", false, kBoxes},
    {"/head/strides",
     {8},
     "head.strides: family yunet has none",
     false,
     with_head(R"({"family": "yunet"})")},
};

TEST(Card, ThatIsWrongIsOneLineThatNamesTheField) {
  for (const Refused& wrong : kRefused) {
    Json card = wrong.card;
    card[Json::json_pointer(wrong.place)] = wrong.value;
    SCOPED_TRACE(wrong.reason);
    test::expect_error(ErrorKind::device, std::string("card c.json: ") + wrong.reason,
                       [&] { (void)parsed(card); });
    EXPECT_EQ(!fits_schema(card), wrong.schema_tells);
  }
}

TEST(Card, NeedsAVersionAndAHead) {
  for (const char* const member : {"facepipe_model", "head"}) {
    Json card = full_scrfd();
    card.erase(member);
    test::expect_error(ErrorKind::device, "member \"" + std::string(member) + "\" is missing",
                       [&] { (void)parsed(card); });
    EXPECT_FALSE(fits_schema(card));
  }
}

struct RefusedText {
  const char* reason;
  std::function<std::string()> text;
};

TEST(Card, ThatIsNoJsonIsRefused) {
  const RefusedText kTexts[] = {
      {"not JSON at byte 1", [] { return std::string(); }},
      {"not JSON at byte 1", [] { return std::string("card"); }},
      {"not JSON at byte", [] { return full_scrfd().dump().substr(0, 200); }},
      {"not JSON at byte", [] { return full_scrfd().dump() + "{}"; }},
      {"not JSON at byte", [] { return std::string("{\"name\": \"\xff\"}"); }},
      {"not an object", [] { return std::string("[1]"); }},
      {"not an object", [] { return std::string("1"); }},
      {"a number in it is too large", [] { return std::string(R"({"score": 1e999})"); }},
      {"nested more than 6 deep",
       [] { return std::string(100000, '[') + std::string(100000, ']'); }},
      {"nested more than 6 deep",
       [] {
         std::string text;
         for (int i = 0; i < 10000; ++i) text += R"({"a":)";
         return text;
       }},
      {"the name \"score\" stands twice",
       [] { return std::string(R"({"score": 0.1, "score": 0.2})"); }},
      {"the name \"family\" stands twice",
       [] { return std::string(R"({"a": {"family": 1}, "head": {"family": 1, "family": 2}})"); }},
      {"larger than 256 KiB", [] { return std::string(300000, ' '); }},
  };
  for (const RefusedText& wrong : kTexts)
    test::expect_error(ErrorKind::device, std::string("card c.json: ") + wrong.reason,
                       [&] { (void)parse_card(wrong.text(), "c.json", kSha256); });
}

TEST(Card, MayHaveEqualNamesInDifferentObjects) {
  EXPECT_NO_THROW((void)parse_card(R"({"facepipe_model": 1, "score": 0.5, "head": {"family":
      "yolo-dfl"}, "classes": [{"name": "a", "score": 1}, {"name": "b", "score": 1}]})",
                                   "c.json", kSha256));
}

TEST(Card, IsReadFromAFile) {
  const test::TemporaryFolder folder;
  const auto model = folder.path() / "m.onnx";
  EXPECT_EQ(card_file(model), folder.path() / "m.onnx.json");
  const auto refuses = [&](const std::string& reason) {
    test::expect_error(ErrorKind::device, card_file(model).string() + ": " + reason,
                       [&] { (void)read_card(card_file(model), kSha256); });
  };
  refuses("no such file");
  (void)folder.write("m.onnx.json", full_scrfd().dump());
  EXPECT_EQ(read_card(card_file(model), kSha256), parsed(full_scrfd()));
  std::filesystem::resize_file(card_file(model), 256 * 1024 + 1);
  refuses("larger than 256 KiB");
  std::filesystem::remove(card_file(model));
  std::filesystem::create_directory(card_file(model));
  refuses("not a regular file");
}

TEST(Card, WordsAreThoseOfTheSchema) {
  const auto words = [](const auto& table) {
    Json list = Json::array();
    for (const auto& entry : table) list.push_back(entry.word);
    return list;
  };
  const Json& properties = schema()["properties"];
  EXPECT_EQ(properties["head"]["properties"]["family"]["enum"], words(kFamilyWords));
  EXPECT_EQ(properties["head"]["properties"]["scores"]["enum"], words(kScoreWords));
  EXPECT_EQ(properties["head"]["properties"]["layout"]["enum"], words(kLayoutWords));
  EXPECT_EQ(properties["input"]["properties"]["channels"]["enum"], words(kChannelWords));
  EXPECT_EQ(properties["classes"]["items"]["properties"]["as"]["enum"], words(kClassWords));
  EXPECT_EQ(properties["head"]["properties"].size(), kHeadMembers.size() + 1);
}

TEST(Card, ThoseOfTheTreeAreRead) {
  int cards = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() / "data/cards")) {
    std::ifstream file(entry.path());
    const Json card = Json::parse(file);
    EXPECT_TRUE(fits_schema(card)) << entry.path();
    EXPECT_NO_THROW((void)read_card(entry.path(), card["sha256"].get<std::string>()));
    ++cards;
  }
  EXPECT_GT(cards, 0);
}

}  // namespace
}  // namespace facepipe::detector
