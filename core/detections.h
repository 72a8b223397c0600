// A detector finds candidates. They are a structure of arrays with one entry for each candidate or
// face.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/geometry.h"

namespace facepipe {

/// Holds the eyes, the nose and the corners of the mouth, as seen in the picture: left eye first.
using Landmarks = std::array<Point, 5>;

/// Holds candidates before suppression, or faces after it. All vectors have the same length, except
/// that `landmarks` is empty if the detector finds none. Coordinates are pixels of the upright
/// picture, before the sample aspect ratio is applied.
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
  /// Adds an entry with the landmarks of entry `i` of `from`, if `from` has any.
  void push_back(const Box& box, float score, const Detections& from, std::size_t i) {
    push_back(box, score);
    if (from.has_landmarks()) landmarks.push_back(from.landmarks[i]);
  }
};

/// Appends all of `more`, with its landmarks if it has any.
void append(Detections& to, const Detections& more);

/// Returns those that score more than `score`, with their landmarks if they have any.
[[nodiscard]] Detections scored_over(const Detections& found, float score);

}  // namespace facepipe
