// Replaces two 1x1 convolutions that have no activation between them by one.
#pragma once

namespace facepipe::detector {

class Rewriting;

/// Replaces Conv 1x1 -> Conv 1x1 by their product wherever this takes fewer multiplications. The
/// first convolution must have stride 1, no padding and one group, and no other node may read its
/// result. The network's result changes only by float rounding. In CenterFace the pass merges 960
/// -> 320 -> 24, which is 5 % of the network's work. Weights that are not float tensors of the file
/// stay unchanged. The number of multiplications for products is limited, far above what networks
/// need, so a hostile file can't make the pass slow. At the end, the pass erases what no output
/// needs (drop_unread()). Returns how many pairs were folded. Throws the error of
/// Rewriting::add_weights() if the products have more numbers than any network needs.
int fold_pointwise_pairs(Rewriting& to);

}  // namespace facepipe::detector
