#include "detector/cnn/model/card/words.h"

namespace facepipe::detector {

std::string_view name_of(HeadFamily family) {
  return word_for(std::span<const CardWord<HeadFamily>>(kFamilyWords), family);
}

std::string_view name_of(ClassKind kind) {
  return word_for(std::span<const CardWord<ClassKind>>(kClassWords), kind);
}

bool has_member(HeadFamily family, HeadMember member) {
  const bool known_network = family == HeadFamily::centerface || family == HeadFamily::yunet;
  const bool has_anchor_sizes =
      family == HeadFamily::yolo_anchors || family == HeadFamily::retinaface;
  const bool has_cells = !known_network && family != HeadFamily::boxes;
  switch (member) {
    case HeadMember::outputs:
      return !known_network;
    case HeadMember::strides:
    case HeadMember::points:
      return has_cells;
    case HeadMember::anchors:
      return has_anchor_sizes || family == HeadFamily::scrfd;
    case HeadMember::variances:
      return family == HeadFamily::retinaface;
    case HeadMember::bins:
      return family == HeadFamily::yolo_dfl;
    case HeadMember::scores:
      return !known_network && family != HeadFamily::yolo_dfl;
    case HeadMember::layout:
      return family == HeadFamily::boxes;
  }
  return false;
}

bool has_classes(HeadFamily family) {
  return family == HeadFamily::yolo_dfl || family == HeadFamily::yolo_anchors ||
         family == HeadFamily::boxes;
}

ChannelOrder usual_channels(HeadFamily family) {
  return family == HeadFamily::yunet ? ChannelOrder::bgr : ChannelOrder::rgb;
}

ScoreKind usual_scores(HeadFamily family) {
  if (family == HeadFamily::yolo_anchors) return ScoreKind::logit;
  return family == HeadFamily::retinaface ? ScoreKind::softmax2 : ScoreKind::probability;
}

}  // namespace facepipe::detector
