// The words that stand in cards for choices, and the members that each family's head has.
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

inline constexpr std::array<CardWord<BoxLayout>, 3> kLayoutWords{
    {{"cxcywh-classes", BoxLayout::cxcywh_classes},
     {"xyxy-score-class", BoxLayout::xyxy_score_class},
     {"xyxy-score", BoxLayout::xyxy_score}}};

inline constexpr std::array<CardWord<ClassKind>, 5> kClassWords{{{"face", ClassKind::face},
                                                                 {"head", ClassKind::head},
                                                                 {"person", ClassKind::person},
                                                                 {"plate", ClassKind::plate},
                                                                 {"ignore", ClassKind::ignore}}};

/// Returns the word for a value, which must be one of the table's.
template <class T>
[[nodiscard]] constexpr std::string_view word_for(std::span<const CardWord<T>> words, T value) {
  for (const CardWord<T>& word : words)
    if (word.value == value) return word.word;
  return {};
}

/// Members of a head besides its family.
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

/// Tells whether heads of a family have a member.
[[nodiscard]] bool has_member(HeadFamily family, HeadMember member);

/// Tells whether networks of a family tell classes apart.
[[nodiscard]] bool has_classes(HeadFamily family);

/// Returns the order of a family's input planes, unless the card says otherwise.
[[nodiscard]] ChannelOrder usual_channels(HeadFamily family);

/// Returns what a family's scores are, unless the card says otherwise.
[[nodiscard]] ScoreKind usual_scores(HeadFamily family);

}  // namespace facepipe::detector
