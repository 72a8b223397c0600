// Tells whether the faces of a video lie on their side or stand on their head in its pixels. A
// phone's video that has lost its rotation tag looks so. Detectors find few such faces.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/detections.h"
#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::detector {

/// Returns the orientation in which the same samples are the upright picture, turned clockwise by
/// `quarter_turns` (0..3) more.
[[nodiscard]] constexpr Orientation turned(Orientation orientation, int quarter_turns) {
  return {(orientation.quarter_turns + quarter_turns) % 4, orientation.mirrored};
}

/// Returns a frame of the same samples, whose upright picture is turned clockwise. It keeps the
/// samples alive.
[[nodiscard]] Frame turned_view(const Frame& frame, int quarter_turns);

/// Returns where a box of the turned picture lies in the picture itself. `upright` is the size of
/// the picture itself.
[[nodiscard]] Box turned_back(const Box& box, int quarter_turns, Size upright);

/// Appends detections of the turned picture to `to`, as they lie in the picture itself, without
/// landmarks.
void append_turned_back(Detections& to, const Detections& found, int quarter_turns, Size upright);

/// Numbers of faces found in some pictures of a video, by quarter turns clockwise of the picture
/// before detection. The first number is for pictures as they are, the others for turns by 90, 180
/// and 270 degrees.
using FacesByTurn = std::array<std::int64_t, 4>;

/// A face counts for FacesByTurn if it scores more than this.
inline constexpr float kFaceThatCounts = 0.5F;

/// Returns by how many quarter turns clockwise, 1..3, most faces become upright. This needs few
/// faces in the pictures as they are, and many in turned ones. Returns nullopt if the faces are
/// upright, or if too few were found to tell.
[[nodiscard]] std::optional<int> turn_of_faces(const FacesByTurn& found);

/// A turn in words, and the option of the ffmpeg command that turns a video by as much: "90 degrees
/// clockwise", "-vf transpose=clock". `quarter_turns` is 1..3.
struct TurnInWords {
  std::string angle;
  std::string filter;
};
[[nodiscard]] TurnInWords turn_in_words(int quarter_turns);

}  // namespace facepipe::detector
