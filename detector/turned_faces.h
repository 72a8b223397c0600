// Finds out whether the faces of a video are turned by 90, 180 or 270 degrees in its stored
// pictures. This happens if a phone's video has lost its rotation tag. Detectors find few such
// faces.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/detections.h"
#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::detector {

/// Returns the orientation that also turns the upright picture clockwise by `quarter_turns` (0..3).
/// The samples are the same.
[[nodiscard]] constexpr Orientation turned(Orientation orientation, int quarter_turns) {
  return {(orientation.quarter_turns + quarter_turns) % 4, orientation.mirrored};
}

/// Returns a frame of the same samples, whose upright picture is turned clockwise by
/// `quarter_turns`. The returned frame keeps the samples alive.
[[nodiscard]] Frame turned_view(const Frame& frame, int quarter_turns);

/// Converts detections in the turned picture to the picture itself, and appends them to `to`,
/// without landmarks.
void append_turned_back(Detections& to, const Detections& found, int quarter_turns, Size upright);

/// Holds the numbers of faces that were found in some pictures of a video. The index is the number
/// of quarter turns clockwise of the pictures before detection: 0 for unturned pictures, and 1 to 3
/// for turns by 90, 180 and 270 degrees.
using FacesByTurn = std::array<std::int64_t, 4>;

/// A face counts for FacesByTurn if it scores more than this on the usual scale
/// (core/score_scale.h).
inline constexpr float kFaceThatCounts = 0.5F;

/// Returns by how many quarter turns clockwise, 1..3, most faces become upright. For this, there
/// must be few faces in unturned pictures, and many in turned pictures. Returns nullopt if the
/// faces are upright, or if too few faces were found.
[[nodiscard]] std::optional<int> turn_of_faces(const FacesByTurn& found);

/// Describes a turn in words, and the ffmpeg option that turns a video in the same way: "90 degrees
/// clockwise", "-vf transpose=clock". `quarter_turns` is 1..3.
struct TurnInWords {
  std::string angle;
  std::string filter;
};
[[nodiscard]] TurnInWords turn_in_words(int quarter_turns);

}  // namespace facepipe::detector
