// A head turns a network's raw output into candidates.
#pragma once

#include <span>
#include <vector>

#include "core/detections.h"
#include "detector/cnn/model/head_data.h"
#include "detector/network_fit.h"

namespace facepipe::detector {

/// The network's outputs, in the order of Model::outputs(): the tensors of the first stride, then
/// those of the next one. They are views; the engine says how long they are valid.
using NetworkOutputs = std::vector<std::span<const float>>;

/// Decodes the outputs of a network of the size fit.network. Returns the candidates with score >
/// score_threshold, in pixels of the upright frame. They come stride by stride, in raster order,
/// and the anchors of a place one after the other. Boxes are clipped to the frame. Boxes of which
/// nothing is left are dropped, and so are candidates with a value that is not finite. Landmarks
/// are not clipped: if the frame's edge cuts off a face, its landmarks may lie outside. The class
/// of a candidate is that of its score, 0..HeadNumbers::classes - 1.
[[nodiscard]] Detections decode_head(const HeadData& head, const NetworkOutputs& outputs,
                                     const NetworkFit& fit, float score_threshold);

}  // namespace facepipe::detector
