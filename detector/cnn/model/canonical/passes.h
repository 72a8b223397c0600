// Each pass rewrites one thing that exporters write in many ways into the one way that the import
// knows (graph/onnx_import.h). The network computes the same, unless the pass says otherwise.
//
// A pass leaves alone what it doesn't understand. check_onnx() refuses what no pass has rewritten
// and the import doesn't know. Each pass takes time that grows with the file, not with its square.
#pragma once

#include "detector/cnn/model/canonical/rewriting.h"

namespace facepipe::detector {

/// Makes weights of the graph out of Constant nodes.
void make_constants_weights(Rewriting& to);

/// Erases Identity, and Dropout, which does nothing after training.
void drop_identities(Rewriting& to);

/// Erases nodes and weights that no output of the graph needs, and weights among the inputs.
void drop_unread(Rewriting& to);

/// Replaces Conv -> Mul by a convolution with other weights, if the factor is one number or one for
/// each channel, and nobody else reads the convolution's result.
void fold_factors(Rewriting& to);

/// Writes the extents of Reshape so that they hold for every size of the picture: exporters bake in
/// the size of their own picture, or let nodes compute it. A Reshape that no list of extents can
/// describe for every picture stays as it is.
void free_reshapes(Rewriting& to);

/// Writes Resize by whole factors, which exporters also write by sizes, and in other ways to name
/// the nearest pixel that come to the same.
void free_resizes(Rewriting& to);

/// Writes a shuffle of channels (Zhang et al., "ShuffleNet", 2017) so that it holds for every size
/// of the picture: a Reshape to five axes can't, but two of four axes can, because a network
/// sees one picture at a time.
void free_shuffles(Rewriting& to);

/// Replaces the Slices of a map's channels by one Split, if they cover all channels once. Gives a
/// Split that computes its sizes constant ones.
void make_slices_splits(Rewriting& to);

/// Replaces AveragePool by a depthwise convolution. Drops the wish to round extents up from pooling
/// that has nothing to round, because the picture's sides are multiples of 32.
void simplify_pooling(Rewriting& to);

}  // namespace facepipe::detector
