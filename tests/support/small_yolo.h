// Small networks of the families YOLO and RetinaFace with random weights, written as exporters
// write large ones, for tests.
#pragma once

#include <string>

#include "tests/support/onnx_builder.h"

namespace facepipe::test {

/// The exports hold for pictures of this side alone. Each has the strides 8, 16 and 32.
inline constexpr int kYoloSide = 64;

/// Landmarks of each box, and the values of each: 3 if one has a score.
struct ExportedPoints {
  int count = 0;
  int values = 2;
};

/// Returns a small YOLO of version 8, as Ultralytics exports it, with its metadata. The file
/// decodes by itself: its output has 4 + classes + count * values rows, with centre, size, scores
/// and landmarks of each cell in pixels of the input.
[[nodiscard]] OnnxBuilder small_yolo(int classes = 1, ExportedPoints points = {});

/// Returns a small YOLO of version 5 with landmarks. Its outputs are 1 x 3 anchors x height x width
/// x (5 + 2 * points + classes), for each stride.
[[nodiscard]] OnnxBuilder small_yolo_anchors(int points = 5, int classes = 1);

/// Returns the card of that file, as JSON. Only the first class is a face; the others are ignored.
[[nodiscard]] std::string yolo_anchors_card(int points = 5, int classes = 1);

/// Returns a small RetinaFace with two anchors. Its outputs hold the boxes, scores and landmarks of
/// all strides; `joined` makes them one output. `softmax` tells whether it computes scores.
[[nodiscard]] OnnxBuilder small_retinaface(bool joined = true, bool softmax = false);

/// Returns the card of each such file, as JSON.
[[nodiscard]] std::string retinaface_card();

}  // namespace facepipe::test
