// Holds the candidates that a detector finds, or faces, as a structure of arrays: entry i of each
// array belongs to candidate or face i.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/geometry.h"

namespace facepipe {

/// Holds the left eye, the right eye, the nose, and the left and right corners of the mouth. Left
/// means left in the picture.
using Landmarks = std::array<Point, 5>;

/// Holds candidates before suppression, or faces after it. All vectors have the same length, except
/// that `landmarks` is empty if the detector finds no landmarks. Coordinates are pixels of the
/// upright picture, before the sample aspect ratio is applied.
struct Detections {
  std::vector<Box> boxes;
  std::vector<float> scores;  ///< 0..1
  std::vector<Landmarks> landmarks;

  [[nodiscard]] std::size_t size() const { return boxes.size(); }
  [[nodiscard]] bool has_landmarks() const { return !landmarks.empty(); }

  void push_back(const Box& box, float score) {
    boxes.push_back(box);
    scores.push_back(score);
  }
  void push_back(const Box& box, float score, const Landmarks& points) {
    push_back(box, score);
    landmarks.push_back(points);
  }
  /// Adds an entry with the landmarks of `from`'s entry `i`, if `from` has any.
  void push_back(const Box& box, float score, const Detections& from, std::size_t i) {
    push_back(box, score);
    if (from.has_landmarks()) landmarks.push_back(from.landmarks[i]);
  }
};

/// Appends all of `more`, with its landmarks if it has any.
void append(Detections& to, const Detections& more);

/// Returns the entries whose score is greater than `score`, with their landmarks if they have any.
[[nodiscard]] Detections scored_over(const Detections& found, float score);

}  // namespace facepipe
