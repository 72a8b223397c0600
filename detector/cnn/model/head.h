// A head turns a network's raw output into candidates.
#pragma once

#include <span>
#include <vector>

#include "core/detections.h"
#include "detector/network_fit.h"

namespace facepipe::detector {

/// The network's outputs, in the order of Model::outputs(). They are views; the engine says how
/// long they are valid.
using NetworkOutputs = std::vector<std::span<const float>>;

/// Decodes the outputs of one kind of model; the network has the size fit.network. Returns the
/// candidates with score > score_threshold in raster order (YuNet: stride 8, then 16, then 32), in
/// pixels of the upright frame. Boxes are clipped to the frame. Boxes of which nothing is left are
/// dropped, and so are candidates with a value that is not finite. Landmarks are not clipped: if
/// the frame's edge cuts off a face, its landmarks may lie outside.
using Head = Detections (*)(const NetworkOutputs& outputs, const NetworkFit& fit,
                            float score_threshold);

/// Appends one candidate, given in pixels of the network's input. It is mapped, checked and clipped
/// as Head promises.
void push_candidate(Detections& detections, const NetworkFit& fit, const Box& box, float score,
                    const Landmarks& landmarks);

}  // namespace facepipe::detector
