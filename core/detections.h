// Holds the candidates that a detector finds, or faces, as a structure of arrays: entry i of each
// array belongs to candidate or face i.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe {

/// Holds the left eye, the right eye, the nose, and the left and right corners of the mouth. Left
/// means left in the picture.
using Landmarks = std::array<Point, 5>;

/// Stands for the landmarks of an entry that has none, among entries that have landmarks.
inline constexpr Landmarks kNoLandmarks = [] {
  Landmarks none{};
  none.fill({std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::quiet_NaN()});
  return none;
}();

/// Holds candidates before suppression, or faces after it. All vectors have the same length, except
/// that `landmarks` is empty if the detector finds no landmarks, and `classes` if it finds one
/// class of objects. Coordinates are pixels of the upright picture, before the sample aspect ratio
/// is applied.
struct Detections {
  std::vector<Box> boxes;
  std::vector<float> scores;  ///< 0..1
  std::vector<Landmarks> landmarks;
  /// the class of each entry: its index in the list of classes that the detector finds
  std::vector<std::uint16_t> classes{};

  [[nodiscard]] std::size_t size() const { return boxes.size(); }
  [[nodiscard]] bool has_landmarks() const { return !landmarks.empty(); }
  /// Returns whether entry `i` has landmarks. The points that detectors find are never NaN.
  [[nodiscard]] bool has_landmarks(std::size_t i) const {
    return has_landmarks() && landmarks[i].front().x == landmarks[i].front().x;
  }
  [[nodiscard]] std::uint16_t class_of(std::size_t i) const {
    return classes.empty() ? std::uint16_t{0} : classes[i];
  }

  void push_back(const Box& box, float score) {
    boxes.push_back(box);
    scores.push_back(score);
    if (!classes.empty()) classes.push_back(0);
  }
  void push_back(const Box& box, float score, const Landmarks& points) {
    push_back(box, score);
    landmarks.push_back(points);
  }
  /// Adds an entry with the class of `from`'s entry `i`, and with its landmarks if `from` has any.
  void push_back(const Box& box, float score, const Detections& from, std::size_t i) {
    push_back(box, score);
    if (from.has_landmarks()) landmarks.push_back(from.landmarks[i]);
    set_class_of_last(from.class_of(i));
  }
  /// Sets the class of the last entry.
  void set_class_of_last(std::uint16_t number) {
    if (classes.empty() && number == 0) return;
    classes.resize(size());
    classes.back() = number;
  }
};

/// Appends all of `more`, with its landmarks if it has any. If only some entries of the result have
/// landmarks, the others have kNoLandmarks.
/// @param first_class  is added to the classes of `more`
void append(Detections& to, const Detections& more, std::uint16_t first_class = 0);

/// Returns the entries whose score is greater than `score`, with their classes, and with their
/// landmarks if they have any.
[[nodiscard]] Detections scored_over(const Detections& found, float score);

/// Returns the entries whose score is greater than the value in `scores` for their class.
/// @param scores  one for each class
[[nodiscard]] Detections scored_over(const Detections& found, std::span<const float> scores);

/// Returns for each class the indices of its entries, in rising order. The classes rise, too. A
/// class without entries has no list.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> entries_by_class(const Detections& found);

}  // namespace facepipe
