// A network's raw output to candidates.
#pragma once

#include <span>
#include <vector>

#include "core/detections.h"
#include "detector/cnn/model/network_fit.h"

namespace facepipe::detector {

/// The network's outputs, in the order of Model::outputs(); views, valid as long as the engine
/// says.
using NetworkOutputs = std::vector<std::span<const float>>;

/// Decodes the outputs of one kind of model, which are of a network of size fit.network, to the
/// candidates with score > score_threshold in raster order (YuNet: stride 8, then 16, then 32), in
/// pixels of the upright frame. Boxes are clipped to the frame; those that nothing is left of are
/// dropped, and so are candidates with a value that is not finite. Landmarks are not clipped: those
/// of a face cut off by the frame's edge lie outside.
using Head = Detections (*)(const NetworkOutputs& outputs, const NetworkFit& fit,
                            float score_threshold);

/// Appends one candidate given in pixels of the network's input, mapped, checked and clipped as
/// Head promises.
void push_candidate(Detections& detections, const NetworkFit& fit, const Box& box, float score,
                    const Landmarks& landmarks);

}  // namespace facepipe::detector
