#include "detector/cnn/model/card/model_data.h"

#include <algorithm>

#include "detector/cnn/model/box_rows.h"
#include "detector/cnn/model/head_cells.h"

namespace facepipe::detector {
namespace {

// Factories try engines with a picture of 64x64 pixels, so no stride may be larger.
constexpr int kLargestStride = 64;

/// Makes the HeadData that decoders read from a card's head. Refuses heads that no decoder
/// supports.
class HeadOfCard {
 public:
  HeadOfCard(const Card& card, const std::string& origin)
      : card_(card), from_(card.head), origin_(origin) {}

  HeadData data() {
    switch (from_.family) {
      case HeadFamily::centerface:
        return centerface().head;
      case HeadFamily::yunet:
        return yunet().head;
      case HeadFamily::scrfd:
        return scrfd();
      case HeadFamily::yolo_dfl:
        return yolo_dfl();
      case HeadFamily::yolo_anchors:
        return yolo_anchors();
      case HeadFamily::retinaface:
        return retinaface();
      case HeadFamily::boxes:
        break;
    }
    return head_of_rows(card_, origin_);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const { refuse_card(origin_, reason); }

  HeadData head(HeadKind kind) const {
    const int multiple = card_.input.multiple;
    if (from_.strides.back() > std::min(multiple, kLargestStride))
      refuse("head.strides: only strides up to " +
             std::to_string(std::min(multiple, kLargestStride)) + " are supported" +
             (multiple < kLargestStride ? " with this input.multiple" : ""));
    if (from_.outputs != CardOutputs{})
      refuse("head.outputs: names are not supported, because outputs are found by their shapes");
    HeadData data;
    data.kind = kind;
    data.layout = OutputLayout::planes;
    data.strides = from_.strides;
    data.numbers.points = from_.points;
    data.numbers.point_values = from_.point_values;
    data.landmarks = from_.points == kLandmarkCount;
    return data;
  }

  HeadData scrfd() const {
    if (from_.point_values != 2) refuse("head.points.values: only 2 are supported in this family");
    if (from_.scores != ScoreKind::probability)
      refuse("head.scores: only probability is supported in this family");
    HeadData data = head(HeadKind::scrfd);
    data.outputs = {{1}, {4}};
    add_points(data);
    data.anchors = from_.anchors;
    return data;
  }

  HeadData yolo_dfl() const {
    HeadData data = head(HeadKind::yolo_dfl);
    data.numbers.classes = wanted_classes();
    data.numbers.bins = from_.bins;
    data.outputs = {{4 * from_.bins}, {data.numbers.classes}};
    add_points(data);
    return data;
  }

  HeadData yolo_anchors() const {
    if (from_.point_values != 2) refuse("head.points.values: only 2 are supported in this family");
    if (from_.scores == ScoreKind::softmax2)
      refuse("head.scores: softmax2 is not supported in this family");
    HeadData data = head(HeadKind::yolo_anchors);
    data.numbers.classes = wanted_classes();
    data.outputs = {{YoloAnchorsCells::kPoints + 2 * from_.points + data.numbers.classes}};
    set_anchor_sizes(data);
    return data;
  }

  HeadData retinaface() const {
    if (from_.point_values != 2) refuse("head.points.values: only 2 are supported in this family");
    if (from_.scores == ScoreKind::logit)
      refuse("head.scores: a single logit is not supported in this family");
    HeadData data = head(HeadKind::retinaface);
    data.numbers.centre_variance = from_.variances[0];
    data.numbers.size_variance = from_.variances[1];
    data.outputs = {{2}, {4}};
    add_points(data);
    set_anchor_sizes(data);
    return data;
  }

  void add_points(HeadData& data) const {
    if (from_.points > 0) data.outputs.push_back({from_.points * from_.point_values});
  }

  void set_anchor_sizes(HeadData& data) const {
    data.anchor_sizes = from_.anchor_sizes;
    data.anchors = static_cast<int>(from_.anchor_sizes.front().size());
    for (const auto& sizes : from_.anchor_sizes)
      if (sizes.size() != from_.anchor_sizes.front().size())
        refuse("head.anchors: all strides need the same number of anchors");
  }

  [[nodiscard]] int wanted_classes() const {
    return static_cast<int>(detector::wanted_classes(card_).size());
  }

  const Card& card_;
  const CardHead& from_;
  const std::string& origin_;
};

}  // namespace

ModelData model_data(const Card& card, const std::string& origin) {
  if (card.input.size && card.head.family != HeadFamily::boxes)
    refuse_card(origin, "input.size: only \"own\" is supported in this family");
  ModelData data;
  data.name = card.name.empty() ? std::string(name_of(card.head.family)) : card.name;
  data.title = data.name;
  data.input = {.channel_order = card.input.channels,
                .multiple = card.input.multiple,
                .pad = card.input.pad,
                .size = card.input.size};
  data.head = HeadOfCard(card, origin).data();
  return data;
}

Card card_of(const ModelData& known) {
  Card card;
  card.name = known.name;
  card.input.channels = known.input.channel_order;
  card.input.multiple = known.input.multiple;
  card.head.family =
      known.head.kind == HeadKind::yunet ? HeadFamily::yunet : HeadFamily::centerface;
  card.reference_score = known.reference_score;
  return card;
}

std::vector<int> wanted_classes(const Card& card) {
  std::vector<int> wanted;
  for (std::size_t i = 0; i < card.classes.size(); ++i)
    if (card.classes[i].kind != ClassKind::ignore) wanted.push_back(static_cast<int>(i));
  return wanted;
}

CanonicalOptions canonical_options(const Card& card) {
  switch (card.head.family) {
    case HeadFamily::centerface:
    case HeadFamily::yunet:
    case HeadFamily::boxes:
      return {Tail::kept, card.input.normalisation};
    case HeadFamily::scrfd:
      return {Tail::arrangement_cut, card.input.normalisation};
    case HeadFamily::yolo_dfl:
    case HeadFamily::yolo_anchors:
    case HeadFamily::retinaface:
      break;
  }
  return {Tail::decoding_cut, card.input.normalisation};
}

}  // namespace facepipe::detector
