// This pass over an ONNX graph makes one 1x1 convolution out of two that have no activation between
// them.
#pragma once

namespace facepipe::detector {

class Rewriting;

/// Replaces Conv 1x1 -> Conv 1x1 by their product wherever that takes fewer multiplications. The
/// first convolution must have stride 1, no padding and one group, and nobody else may read its
/// result. The network's result changes only by float rounding. In CenterFace the pass merges 960
/// -> 320 -> 24, which is 5 % of the network's work. It leaves weights alone that are not float
/// tensors of the file. Its time grows with the file, because it folds no more pairs after as many
/// products as no network needs. At the end, it erases what nobody reads (drop_unread()).
/// @return how many pairs were folded
/// Errors: that of Rewriting::add_weights(), if the products are more numbers than any network
/// needs.
int fold_pointwise_pairs(Rewriting& to);

}  // namespace facepipe::detector
