// Turns a network's raw output into candidates.
#pragma once

#include <span>
#include <vector>

#include "core/detections.h"
#include "detector/cnn/model/head_data.h"
#include "detector/network_fit.h"

namespace facepipe::detector {

/// The network's outputs, in the order of Model::outputs(): the tensors of the first stride, then
/// those of the next stride. The spans are views; the engine defines how long they are valid.
using NetworkOutputs = std::vector<std::span<const float>>;

/// Decodes the outputs of a network of the size fit.network. Returns the candidates with score >
/// score_threshold, in pixels of the upright frame. They are ordered by stride, then in raster
/// order, then by anchor. Boxes are clipped to the frame. A candidate is dropped if nothing is left
/// of its box, or if one of its values is not finite. Landmarks are not clipped: if the frame's
/// edge cuts off a face, its landmarks may lie outside. The class of a candidate is the class of
/// its score, 0..HeadNumbers::classes - 1.
[[nodiscard]] Detections decode_head(const HeadData& head, const NetworkOutputs& outputs,
                                     const NetworkFit& fit, float score_threshold);

}  // namespace facepipe::detector
