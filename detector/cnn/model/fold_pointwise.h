// A graph pass: two 1x1 convolutions without an activation between them become one.
#pragma once

namespace onnx {
class GraphProto;
}

namespace facepipe::detector {

/// Replaces Conv 1x1 -> Conv 1x1 by their product wherever that takes fewer multiplications, the
/// first has stride 1, no padding and one group, and nobody else reads its result. The result of
/// the network changes by float rounding alone. In CenterFace this is 960 -> 320 -> 24: 5 % of the
/// network's work. Weights that are no float tensors of the file are left alone.
/// @return how many pairs were folded
int fold_pointwise_pairs(onnx::GraphProto& graph);

}  // namespace facepipe::detector
