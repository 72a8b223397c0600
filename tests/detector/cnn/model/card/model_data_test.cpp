// These tests check the data that decoders get for a model's card.
#include "detector/cnn/model/card/model_data.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/expect_error.h"

namespace facepipe::detector {
namespace {

Card scrfd_card() {
  Card card;
  card.head.family = HeadFamily::scrfd;
  card.head.points = 5;
  return card;
}

TEST(ModelDataOfACard, IsWhatTheCardSays) {
  Card card = scrfd_card();
  card.name = "scrfd-2.5g";
  card.input.channels = ChannelOrder::bgr;
  card.input.multiple = 64;
  card.head.strides = {8, 16};
  card.head.anchors = 3;
  const ModelData data = model_data(card, "c.json");
  EXPECT_EQ(data.name, "scrfd-2.5g");
  EXPECT_EQ(data.input.channel_order, ChannelOrder::bgr);
  EXPECT_EQ(data.input.multiple, 64);
  EXPECT_EQ(data.head.kind, HeadKind::scrfd);
  EXPECT_EQ(data.head.strides, (std::vector{8, 16}));
  EXPECT_EQ(data.head.anchors, 3);
  EXPECT_TRUE(data.head.landmarks);
  EXPECT_EQ(data.head.outputs.size(), 3U);
}

TEST(ModelDataOfACard, HasNoLandmarksIfTheCardHasNone) {
  Card card = scrfd_card();
  card.head.points = 0;
  const ModelData data = model_data(card, "c.json");
  EXPECT_FALSE(data.head.landmarks);
  EXPECT_EQ(data.head.outputs.size(), 2U);
  EXPECT_EQ(data.name, "scrfd");
}

TEST(ModelDataOfACard, OfAKnownNetworkHasItsHead) {
  Card card;
  card.head.family = HeadFamily::yunet;
  EXPECT_EQ(model_data(card, "c.json").head.kind, HeadKind::yunet);
  EXPECT_EQ(canonical_options(card).tail, Tail::kept);
  EXPECT_EQ(model_data(card, "c.json").input.pad, 0);
  card.head.family = HeadFamily::centerface;
  EXPECT_EQ(model_data(card, "c.json").head.kind, HeadKind::centerface);
}

TEST(ModelDataOfACard, TellsHowTheFileIsRewritten) {
  Card card = scrfd_card();
  card.input.normalisation = {{127.5F, 127.5F, 127.5F}, {128, 128, 128}};
  const CanonicalOptions options = canonical_options(card);
  EXPECT_EQ(options.tail, Tail::arrangement_cut);
  EXPECT_EQ(options.normalisation, card.input.normalisation);
}

TEST(ModelDataOfACard, OfAYoloHasOnlyTheWantedClasses) {
  Card card;
  card.input.pad = 114;
  card.head.family = HeadFamily::yolo_dfl;
  card.head.bins = 8;
  card.head.points = 5;
  card.head.point_values = 3;
  card.classes = {{"dog", ClassKind::ignore, {}, {}},
                  {"face", ClassKind::face, {}, {}},
                  {"cat", ClassKind::ignore, {}, {}},
                  {"plate", ClassKind::plate, {}, {}}};
  EXPECT_EQ(wanted_classes(card), (std::vector{1, 3}));
  const ModelData data = model_data(card, "c.json");
  EXPECT_EQ(data.input.pad, 114);
  EXPECT_EQ(data.head.kind, HeadKind::yolo_dfl);
  EXPECT_EQ(data.head.numbers.bins, 8);
  EXPECT_EQ(data.head.numbers.classes, 2);
  EXPECT_EQ(data.head.numbers.point_values, 3);
  ASSERT_EQ(data.head.outputs.size(), 3U);
  EXPECT_EQ(data.head.outputs[0].channels, 32);
  EXPECT_EQ(data.head.outputs[1].channels, 2);
  EXPECT_EQ(data.head.outputs[2].channels, 15);
  EXPECT_TRUE(data.head.landmarks);
  EXPECT_EQ(canonical_options(card).tail, Tail::decoding_cut);
}

TEST(ModelDataOfACard, KeepsLandmarksIfThereAreFive) {
  Card card;
  card.head.family = HeadFamily::yolo_dfl;
  for (const int points : {0, 1, 3, 5, 17, 64}) {
    card.head.points = points;
    const HeadData head = model_data(card, "c.json").head;
    EXPECT_EQ(head.landmarks, points == 5) << points;
    EXPECT_EQ(head.outputs.size(), points > 0 ? 3U : 2U) << points;
  }
}

Card anchors_card(HeadFamily family) {
  Card card;
  card.head.family = family;
  card.head.anchor_sizes = {{{4, 5}, {8, 10}}, {{16, 20}, {32, 40}}, {{64, 80}, {128, 160}}};
  card.head.points = 5;
  return card;
}

TEST(ModelDataOfACard, TakesTheSizesOfAnchors) {
  const HeadData yolo = model_data(anchors_card(HeadFamily::yolo_anchors), "c.json").head;
  EXPECT_EQ(yolo.kind, HeadKind::yolo_anchors);
  EXPECT_EQ(yolo.anchors, 2);
  EXPECT_EQ(yolo.anchor_sizes[1][0], (AnchorSize{16, 20}));
  ASSERT_EQ(yolo.outputs.size(), 1U);
  EXPECT_EQ(yolo.outputs[0].channels, 16);
  Card card = anchors_card(HeadFamily::retinaface);
  card.head.variances = {0.3F, 0.4F};
  const HeadData retinaface = model_data(card, "c.json").head;
  EXPECT_EQ(retinaface.kind, HeadKind::retinaface);
  EXPECT_EQ(retinaface.anchors, 2);
  EXPECT_EQ(retinaface.numbers.centre_variance, 0.3F);
  EXPECT_EQ(retinaface.numbers.size_variance, 0.4F);
  EXPECT_EQ(retinaface.outputs.size(), 3U);
}

TEST(ModelDataOfACard, IsRefusedIfNoDetectorDoesThat) {
  struct Unsupported {
    const char* reason;
    std::function<void(Card&)> ask;
  };
  const Unsupported kUnsupported[] = {
      {"input.size: only",
       [](Card& card) {
         card.input.size = Size{640, 640};
       }},
      {"head.points.values: only 2", [](Card& card) { card.head.point_values = 3; }},
      {"head.points.values: only 2",
       [](Card& card) {
         card = anchors_card(HeadFamily::retinaface);
         card.head.point_values = 3;
       }},
      {"head.points.values: only 2",
       [](Card& card) {
         card = anchors_card(HeadFamily::yolo_anchors);
         card.head.point_values = 3;
       }},
      {"head.scores: a single logit",
       [](Card& card) {
         card = anchors_card(HeadFamily::retinaface);
         card.head.scores = ScoreKind::logit;
       }},
      {"head.scores: only probability is supported in this family",
       [](Card& card) { card.head.scores = ScoreKind::logit; }},
      {"head.scores: only probability is supported in this family",
       [](Card& card) { card.head.scores = ScoreKind::softmax2; }},
      {"head.scores: softmax2 is not supported in this family",
       [](Card& card) {
         card = anchors_card(HeadFamily::yolo_anchors);
         card.head.scores = ScoreKind::softmax2;
       }},
      {"head.anchors: all strides need the same number",
       [](Card& card) {
         card = anchors_card(HeadFamily::retinaface);
         card.head.anchor_sizes[1].pop_back();
       }},
      {"head.outputs: names are not supported",
       [](Card& card) {
         card.head.outputs.box = {"a", "b", "c"};
       }},
      {"head.strides: only strides up to 32 are supported with this input.multiple",
       [](Card& card) {
         card.head.strides = {8, 64};
       }},
      {"head.strides: only strides up to 64 are supported",
       [](Card& card) {
         card.input.multiple = 128;
         card.head.strides = {8, 128};
       }},
      {"head.outputs: this layout needs one name of all, or one each of box, score and class",
       [](Card& card) {
         card.head.family = HeadFamily::boxes;
         card.head.layout = BoxLayout::xyxy_score_class;
         card.head.outputs.box = {"boxes"};
         card.head.outputs.score = {"scores"};
       }},
      {"head.outputs: this layout needs one name of all, or one each of box and score",
       [](Card& card) {
         card.head.family = HeadFamily::boxes;
         card.head.layout = BoxLayout::xyxy_score;
         card.head.outputs.all = {"one", "two"};
       }},
      {"head.outputs: this layout needs one name of all, or one each of box and score",
       [](Card& card) {
         card.head.family = HeadFamily::boxes;
         card.head.layout = BoxLayout::xyxy_score;
         card.head.outputs.points = {"points"};
       }},
      {"head.scores: softmax2 is not supported in this family",
       [](Card& card) {
         card.head.family = HeadFamily::boxes;
         card.head.scores = ScoreKind::softmax2;
       }},
  };
  for (const Unsupported& unsupported : kUnsupported) {
    Card card = scrfd_card();
    unsupported.ask(card);
    test::expect_error(ErrorKind::device, std::string("card c.json: ") + unsupported.reason,
                       [&] { (void)model_data(card, "c.json"); });
  }
}

}  // namespace
}  // namespace facepipe::detector
