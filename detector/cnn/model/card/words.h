// Lists the words that name choices in cards. Says which members the head of each family has.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "detector/cnn/model/card/card.h"

namespace facepipe::detector {

template <class T>
struct CardWord {
  std::string_view word;
  T value;
};

inline constexpr std::array<CardWord<HeadFamily>, 7> kFamilyWords{
    {{"centerface", HeadFamily::centerface},
     {"yunet", HeadFamily::yunet},
     {"scrfd", HeadFamily::scrfd},
     {"yolo-dfl", HeadFamily::yolo_dfl},
     {"yolo-anchors", HeadFamily::yolo_anchors},
     {"retinaface", HeadFamily::retinaface},
     {"boxes", HeadFamily::boxes}}};

inline constexpr std::array<CardWord<ChannelOrder>, 2> kChannelWords{
    {{"rgb", ChannelOrder::rgb}, {"bgr", ChannelOrder::bgr}}};

inline constexpr std::array<CardWord<ScoreKind>, 3> kScoreWords{
    {{"probability", ScoreKind::probability},
     {"logit", ScoreKind::logit},
     {"softmax2", ScoreKind::softmax2}}};

inline constexpr std::array<CardWord<BoxLayout>, 5> kLayoutWords{
    {{"cxcywh-classes", BoxLayout::cxcywh_classes},
     {"xyxy-classes", BoxLayout::xyxy_classes},
     {"xyxy-score-class", BoxLayout::xyxy_score_class},
     {"xyxy-score", BoxLayout::xyxy_score},
     {"batch-xyxy-class-score", BoxLayout::batch_xyxy_class_score}}};

inline constexpr std::array<CardWord<ClassKind>, 5> kClassWords{{{"face", ClassKind::face},
                                                                 {"head", ClassKind::head},
                                                                 {"person", ClassKind::person},
                                                                 {"plate", ClassKind::plate},
                                                                 {"ignore", ClassKind::ignore}}};

/// Returns the word for a value. The table `words` must contain the value.
template <class T>
[[nodiscard]] constexpr std::string_view word_for(std::span<const CardWord<T>> words, T value) {
  for (const CardWord<T>& word : words)
    if (word.value == value) return word.word;
  return {};
}

/// The members of a card's head, except its family.
enum class HeadMember { outputs, strides, anchors, variances, bins, scores, layout, points };

inline constexpr std::array<CardWord<HeadMember>, 8> kHeadMembers{
    {{"outputs", HeadMember::outputs},
     {"strides", HeadMember::strides},
     {"anchors", HeadMember::anchors},
     {"variances", HeadMember::variances},
     {"bins", HeadMember::bins},
     {"scores", HeadMember::scores},
     {"layout", HeadMember::layout},
     {"points", HeadMember::points}}};

/// Returns whether heads of a family have a member.
[[nodiscard]] bool has_member(HeadFamily family, HeadMember member);

/// Returns whether networks of a family can find several classes.
[[nodiscard]] bool has_classes(HeadFamily family);

/// Returns the order of the input planes for networks of a family, if the card states no order.
[[nodiscard]] ChannelOrder usual_channels(HeadFamily family);

/// Returns the kind of scores for networks of a family, if the card states none.
[[nodiscard]] ScoreKind usual_scores(HeadFamily family);

}  // namespace facepipe::detector
