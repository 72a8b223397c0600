#include "detector/cnn/model/card/model_data.h"

namespace facepipe::detector {
namespace {

constexpr int kLandmarks = 5;

/// Refuses what the detector of networks doesn't do.
void check_input(const CardInput& input, const std::string& origin) {
  if (input.pad != 0)
    refuse_card(origin, "input.pad: only 0 is supported, because frames are padded with black");
  if (input.size) refuse_card(origin, "input.size: only \"own\" is supported");
}

HeadData scrfd_head(const CardHead& card, const std::string& origin) {
  if (card.points != 0 && (card.points != kLandmarks || card.point_values != 2))
    refuse_card(origin, "head.points: only 0 or 5 landmarks of 2 values are supported");
  if (card.strides.back() > kUsualMultiple)
    refuse_card(origin, "head.strides: only strides up to 32 are supported");
  HeadData head;
  head.kind = HeadKind::scrfd;
  head.layout = OutputLayout::planes;
  head.strides = card.strides;
  head.outputs = {{1}, {4}};
  head.landmarks = card.points > 0;
  if (head.landmarks) head.outputs.push_back({2 * kLandmarks});
  head.anchors = card.anchors;
  return head;
}

HeadData head_of(const CardHead& card, const std::string& origin) {
  switch (card.family) {
    case HeadFamily::centerface:
      return centerface().head;
    case HeadFamily::yunet:
      return yunet().head;
    case HeadFamily::scrfd:
      return scrfd_head(card, origin);
    case HeadFamily::yolo_dfl:
    case HeadFamily::yolo_anchors:
    case HeadFamily::retinaface:
    case HeadFamily::boxes:
      break;
  }
  refuse_card(origin, "head.family: " + std::string(name_of(card.family)) + " is not supported");
}

}  // namespace

ModelData model_data(const Card& card, const std::string& origin) {
  check_input(card.input, origin);
  ModelData data;
  data.name = card.name.empty() ? std::string(name_of(card.head.family)) : card.name;
  data.title = data.name;
  data.input = {.channel_order = card.input.channels, .multiple = card.input.multiple};
  data.head = head_of(card.head, origin);
  return data;
}

Card card_of(const ModelData& known) {
  Card card;
  card.name = known.name;
  card.input.channels = known.input.channel_order;
  card.input.multiple = known.input.multiple;
  card.head.family =
      known.head.kind == HeadKind::yunet ? HeadFamily::yunet : HeadFamily::centerface;
  return card;
}

CanonicalOptions canonical_options(const Card& card) {
  const bool known_network =
      card.head.family == HeadFamily::centerface || card.head.family == HeadFamily::yunet;
  return {known_network ? Tail::kept : Tail::arrangement_cut, card.input.normalisation};
}

}  // namespace facepipe::detector
