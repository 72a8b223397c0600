// Tells whether the faces of a video lie on their side or stand on their head in its pixels: a
// phone's video that has lost the tag of its rotation looks so. Detectors find few of such faces.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/detections.h"
#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::detector {

/// How the same samples become the upright picture turned clockwise by `quarter_turns`, 0..3, more.
[[nodiscard]] constexpr Orientation turned(Orientation orientation, int quarter_turns) {
  return {(orientation.quarter_turns + quarter_turns) % 4, orientation.mirrored};
}

/// A frame of the same samples, which it keeps alive, whose upright picture is turned clockwise.
[[nodiscard]] Frame turned_view(const Frame& frame, int quarter_turns);

/// Where a box of the turned picture lies in the picture itself, `upright` pixels large.
[[nodiscard]] Box turned_back(const Box& box, int quarter_turns, Size upright);

/// Appends what was found in the turned picture as it lies in the picture itself, without
/// landmarks.
void append_turned_back(Detections& to, const Detections& found, int quarter_turns, Size upright);

/// Counts the faces that were found in some pictures of a video, by quarter turns clockwise: in the
/// picture as it is, and turned by 90, 180 and 270 degrees before it was looked at.
using FacesByTurn = std::array<std::int64_t, 4>;

/// A face counts for FacesByTurn if it scores more than this.
inline constexpr float kFaceThatCounts = 0.5F;

/// By how many quarter turns clockwise, 1..3, most faces come upright: where the looks at pictures
/// as they are have found few faces, and those at turned ones many. nullopt: they are upright as
/// they are, or too few were found to tell.
[[nodiscard]] std::optional<int> turn_of_faces(const FacesByTurn& found);

/// Says a turn in words, and how FFmpeg's command turns a video by as much: "90 degrees clockwise",
/// "-vf transpose=clock". `quarter_turns` is 1..3.
struct TurnInWords {
  std::string angle;
  std::string filter;
};
[[nodiscard]] TurnInWords turn_in_words(int quarter_turns);

}  // namespace facepipe::detector
