// This pass over an ONNX graph makes one 1x1 convolution out of two that have no activation between
// them.
#pragma once

namespace onnx {
class GraphProto;
}

namespace facepipe::detector {

/// Replaces Conv 1x1 -> Conv 1x1 by their product wherever that takes fewer multiplications. The
/// first convolution must have stride 1, no padding and one group, and nobody else may read its
/// result. The network's result changes only by float rounding. In CenterFace the pass merges 960
/// -> 320 -> 24, which is 5 % of the network's work. It leaves weights alone that are not float
/// tensors of the file. Its time grows with the file, because it folds no more pairs after as many
/// products as no network needs.
/// @return how many pairs were folded
int fold_pointwise_pairs(onnx::GraphProto& graph);

}  // namespace facepipe::detector
