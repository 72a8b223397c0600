// These tests check that the channels of ignored classes are erased, and that the other channels
// keep their values.
#include "detector/cnn/model/card/ignored_classes.h"

#include <gtest/gtest.h>

#include "detector/cnn/model/canonical/canonical.h"
#include "detector/cnn/model/card/model_data.h"
#include "tests/detector/cnn/model/canonical/same_outputs.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_yolo.h"

namespace facepipe::detector {
namespace {

using test::OnnxValue;

Card card_of(HeadFamily family, const std::vector<ClassKind>& kinds) {
  Card card;
  card.head.family = family;
  card.head.anchor_sizes.assign(3, std::vector<AnchorSize>(3, {8, 8}));
  card.head.points = 5;
  card.classes.clear();
  for (const ClassKind kind : kinds)
    card.classes.push_back({std::to_string(card.classes.size()), kind, {}, {}});
  return card;
}

/// Holds the values of all maps before and after drop_ignored_classes().
struct Dropped {
  std::vector<OnnxValue> before;
  std::vector<OnnxValue> after;
};

Dropped dropped(onnx::ModelProto model, const Card& card) {
  const std::vector<LastMap> maps =
      make_canonical(model, "test.onnx", {Tail::decoding_cut, {}}).maps;
  const OnnxValue picture = test::noise_picture(test::kYoloSide, test::kYoloSide);
  const auto before = interpret_onnx(model, picture);
  drop_ignored_classes(model, "test.onnx", maps, card);
  const auto after = interpret_onnx(model, picture);
  Dropped result;
  for (const LastMap& map : maps) {
    result.before.push_back(before.at(map.name));
    result.after.push_back(after.at(map.name));
  }
  return result;
}

/// Returns the channels `wanted` of a map.
OnnxValue channels(const OnnxValue& map, const std::vector<std::size_t>& wanted) {
  const auto plane = static_cast<std::size_t>(map.dims[2] * map.dims[3]);
  OnnxValue result{{1, static_cast<std::int64_t>(wanted.size()), map.dims[2], map.dims[3]}, {}};
  for (const std::size_t channel : wanted)
    for (std::size_t i = 0; i < plane; ++i)
      result.numbers.push_back(map.numbers[channel * plane + i]);
  return result;
}

constexpr auto kIgnore = ClassKind::ignore;
constexpr auto kFace = ClassKind::face;

TEST(IgnoredClasses, OfAYoloAreNotComputed) {
  const Dropped maps = dropped(test::small_yolo(4, {5, 3}).model(),
                               card_of(HeadFamily::yolo_dfl, {kIgnore, kFace, kIgnore, kFace}));
  int changed = 0;
  for (std::size_t i = 0; i < maps.before.size(); ++i) {
    if (maps.before[i].dims[1] != 4) {
      test::expect_near(maps.after[i], maps.before[i], "other");
      continue;
    }
    ++changed;
    test::expect_near(maps.after[i], channels(maps.before[i], {1, 3}), "classes");
  }
  EXPECT_EQ(changed, 3);
}

TEST(IgnoredClasses, OfAnchorsAreNotComputed) {
  const Dropped maps = dropped(test::small_yolo_anchors(5, 2).model(),
                               card_of(HeadFamily::yolo_anchors, {kIgnore, kFace}));
  std::vector<std::size_t> wanted;
  for (std::size_t channel = 0; channel < 3 * 17; ++channel)
    if (channel % 17 != 15) wanted.push_back(channel);
  ASSERT_EQ(maps.before.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    test::expect_near(maps.after[i], channels(maps.before[i], wanted), "all");
}

TEST(IgnoredClasses, AreNoneIfAllAreWanted) {
  const Dropped maps = dropped(test::small_yolo(2).model(),
                               card_of(HeadFamily::yolo_dfl, {kFace, ClassKind::plate}));
  for (std::size_t i = 0; i < maps.before.size(); ++i)
    test::expect_near(maps.after[i], maps.before[i], "all");
}

TEST(IgnoredClasses, MustBeClear) {
  std::vector<ClassKind> kinds(64, kIgnore);
  kinds[3] = kFace;
  onnx::ModelProto model = test::small_yolo(64).model();
  const std::vector<LastMap> maps =
      make_canonical(model, "test.onnx", {Tail::decoding_cut, {}}).maps;
  test::expect_error(ErrorKind::device, "has as many classes as other values of a cell", [&] {
    drop_ignored_classes(model, "test.onnx", maps, card_of(HeadFamily::yolo_dfl, kinds));
  });
}

}  // namespace
}  // namespace facepipe::detector
