// Makes small networks of the families YOLO and RetinaFace with random weights for tests. Their
// files are written as exporters write large networks.
#pragma once

#include <string>
#include <vector>

#include "tests/support/onnx_builder.h"

namespace facepipe::test {

/// The networks accept only square pictures with this side, in pixels. Their strides are 8, 16 and
/// 32.
inline constexpr int kYoloSide = 64;

/// How many landmarks each box has, and how many values each landmark has: 2, or 3 with a score.
struct ExportedPoints {
  int count = 0;
  int values = 2;
};

/// Returns a small YOLO of version 8, as Ultralytics exports it, with its metadata. The network
/// itself decodes the boxes: its output has 4 + classes + count * values rows. The rows contain the
/// centre, size, scores and landmarks of each cell, in pixels of the input.
[[nodiscard]] OnnxBuilder small_yolo(int classes = 1, ExportedPoints points = {});

/// Returns a card of small_yolo(), as JSON, whose classes have these names. The names are those of
/// kinds of objects: "face", "head", "person" or "plate".
[[nodiscard]] std::string yolo_card(const std::vector<std::string>& classes);

/// Returns a small YOLO of version 5 with landmarks. Its outputs are 1 x 3 anchors x height x width
/// x (5 + 2 * points + classes), for each stride.
[[nodiscard]] OnnxBuilder small_yolo_anchors(int points = 5, int classes = 1);

/// Returns the card of small_yolo_anchors(), as JSON. Only the first class is a face; the others
/// are ignored.
[[nodiscard]] std::string yolo_anchors_card(int points = 5, int classes = 1);

/// Returns the card "things" of small_yolo_anchors(0, 3), as JSON. The network finds faces and
/// plates. A plate has a lower score and a larger hidden area than a face. The first class of the
/// network, dogs, is ignored.
[[nodiscard]] std::string things_card();

/// Returns a small RetinaFace with two anchors at each place. Its outputs are the boxes, scores and
/// landmarks of all strides. If `joined`, one output contains all three. If `softmax`, the network
/// computes the softmax of the scores itself.
[[nodiscard]] OnnxBuilder small_retinaface(bool joined = true, bool softmax = false);

/// Returns the card of any small_retinaface(), as JSON.
[[nodiscard]] std::string retinaface_card();

}  // namespace facepipe::test
