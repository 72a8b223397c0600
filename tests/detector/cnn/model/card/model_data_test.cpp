// What a card says becomes the data that decoders read.
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

TEST(ModelDataOfACard, IsRefusedIfNoDetectorDoesThat) {
  struct Unsupported {
    const char* reason;
    std::function<void(Card&)> ask;
  };
  const Unsupported kUnsupported[] = {
      {"input.pad: only 0", [](Card& card) { card.input.pad = 114; }},
      {"input.size: only",
       [](Card& card) {
         card.input.size = Size{640, 640};
       }},
      {"head.points: only 0 or 5", [](Card& card) { card.head.points = 17; }},
      {"head.points: only 0 or 5", [](Card& card) { card.head.point_values = 3; }},
      {"head.strides: only",
       [](Card& card) {
         card.head.strides = {8, 64};
       }},
      {"head.family: yolo-dfl is not supported",
       [](Card& card) { card.head.family = HeadFamily::yolo_dfl; }},
      {"head.family: boxes is not supported",
       [](Card& card) { card.head.family = HeadFamily::boxes; }},
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
