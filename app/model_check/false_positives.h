// Finds the score at which a detector has one false positive in each picture, on average.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "core/detections.h"
#include "core/geometry.h"

namespace facepipe::app {

/// Detections with a smaller side, which is the root of their area in pixels, don't count. Many so
/// small faces have no label.
inline constexpr float kLeastCountedSide = 16;

/// Returns whether a detection of at least kLeastCountedSide overlaps none of the faces.
[[nodiscard]] bool is_false_positive(const Box& found, std::span<const Box> faces);

/// Keeps as many scores as there are pictures.
class FalsePositives {
 public:
  /// @param pictures  over which the average is taken, at least one
  explicit FalsePositives(std::size_t pictures) : pictures_(pictures) {}

  /// Takes what was found in a picture that shows `faces`. Suppression has removed duplicates.
  void add(const Detections& found, std::span<const Box> faces);

  /// Returns the highest score that as many false positives reach as there are pictures; nullopt if
  /// there are fewer false positives.
  [[nodiscard]] std::optional<float> reference_score() const;

 private:
  std::size_t pictures_;
  /// The highest scores of false positives; the lowest of them is on top.
  std::priority_queue<float, std::vector<float>, std::greater<>> highest_;
};

}  // namespace facepipe::app
