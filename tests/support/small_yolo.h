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

/// The versions of YOLO that Ultralytics exports. Version 11 has attention in its body, and
/// depthwise convolutions before its scores.
enum class YoloVersion { v8, v11 };

/// Says what follows the decoded boxes in a file of Ultralytics.
enum class YoloEnd {
  rows,        ///< nothing: the output has 4 + classes + count * values rows
  largest,     ///< TopK as in YOLOv10: 1 x kBest x (x1, y1, x2, y2, score, class)
  suppressed,  ///< NonMaxSuppression as with nms=True: the same for one class, without padding
};
inline constexpr int kBest = 20;  ///< number of boxes that YoloEnd::largest takes

/// Returns a small YOLO of version 8 or 11, as Ultralytics exports it, with its metadata. The
/// network itself decodes the boxes. The rows contain the centre, size, scores and landmarks of
/// each cell, in pixels of the input.
[[nodiscard]] OnnxBuilder small_yolo(int classes = 1, ExportedPoints points = {},
                                     YoloVersion version = YoloVersion::v8,
                                     YoloEnd end = YoloEnd::rows);

/// Returns a network with YOLO 11's attention at the stride 32, as it is exported for pictures of
/// this size. Its weights are the same for all sizes.
[[nodiscard]] OnnxBuilder small_attention(int height, int width);

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

/// Returns a card of the family boxes, as JSON, for a small_yolo() whose rows have a score and a
/// class. Its classes have these names, as in yolo_card(). `outputs` is a member of the head, or
/// empty.
[[nodiscard]] std::string boxes_card(const std::vector<std::string>& classes,
                                     const std::string& layout = "xyxy-score-class",
                                     const std::string& outputs = "");

/// Makes boxes, scores and classes of a small_yolo() of YoloEnd::largest separate outputs, with
/// these names.
void separate_outputs(OnnxBuilder& build);

/// Returns a tiny network whose rows are corners, a score and a class, with a card of boxes_card().
/// It selects the best two of its four boxes by TopK, or those that NonMaxSuppression keeps.
[[nodiscard]] OnnxBuilder small_boxes(bool suppresses);

/// Describes a small network of a family, whose boxes tests/detector/golden/families.txt lists.
struct FamilyModel {
  std::string name;
  OnnxBuilder file;
  std::string card;  ///< JSON; empty if the file needs none
};

[[nodiscard]] std::vector<FamilyModel> family_models();

}  // namespace facepipe::test
