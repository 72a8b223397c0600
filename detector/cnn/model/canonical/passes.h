// Declares the passes. Each pass handles one construct that exporters write in many ways, and
// leaves only the form that the import knows (graph/onnx_import.h). The outputs of the network stay
// the same, unless the pass says otherwise.
//
// A pass doesn't change nodes that it doesn't understand. check_onnx() later refuses nodes that the
// import doesn't know. The time of a pass grows with the file's size, and not with the square of
// this size.
#pragma once

#include <vector>

#include "detector/cnn/model/canonical/rewriting.h"
#include "detector/cnn/model/canonical/sized_list.h"

namespace facepipe::detector {

/// Replaces Constant nodes by weights of the graph.
void make_constants_weights(Rewriting& to);

/// Replaces Cast nodes that make f32 of f16 weights by f32 weights of the same values, each where
/// the f16 weights were. f16 weights that any other node reads stay; check_onnx() later refuses
/// them.
void widen_half_weights(Rewriting& to);

/// Erases Identity nodes, and Dropout nodes, which do nothing after training.
void drop_identities(Rewriting& to);

/// Erases nodes and weights that no output of the graph needs. Removes weights from the inputs.
void drop_unread(Rewriting& to);

/// Replaces Conv -> Mul by a convolution with other weights. The factor must be one number, or one
/// number for each channel, and no other node may read the convolution's result.
void fold_factors(Rewriting& to);

/// Rewrites the extents of Reshape nodes so that the extents are valid for every size of the
/// picture. Exporters write extents for the size of their own picture, or add nodes that compute
/// the extents. A Reshape stays unchanged if no list of extents describes it for every picture.
void free_reshapes(Rewriting& to);

/// Gives lists of their own to Reshape nodes that no list describes for every picture, but whose
/// extents are known for every picture. Returns these lists, which are not written yet. This is the
/// last pass that reads extents, because it makes the lists in the file meaningless.
std::vector<SizedList> find_sized_lists(Rewriting& to);

/// Rewrites Resize nodes so that they have whole factors and one mode. Exporters also write sizes
/// instead of factors, and other modes that choose the same nearest pixel.
void free_resizes(Rewriting& to);

/// Rewrites a shuffle of channels (Zhang et al., "ShuffleNet", 2017) so that it is valid for every
/// size of the picture. The list of a Reshape to five axes can't be valid for every size. The lists
/// of two Reshapes with four axes can be, because a network sees one picture at a time and so needs
/// no axis for the pictures.
void free_shuffles(Rewriting& to);

/// Replaces the Slices of a map's channels by one Split, if the Slices cover all channels once.
/// Gives constant sizes to a Split whose sizes are computed by nodes.
void make_slices_splits(Rewriting& to);

/// Replaces each Split into parts of different sizes by Slices, if the sizes are an input. OpenCV
/// before version 4.7 doesn't read this input, and makes equal parts. This pass isn't a part of the
/// canonical form, because our engine for CUDA reads a Split without copying its parts.
void make_splits_slices(Rewriting& to);

/// Replaces AveragePool by a depthwise convolution. Removes ceil_mode from pooling if rounding up
/// and rounding down give the same extents. This can be so for every picture, because the picture's
/// sides are multiples of 32.
void simplify_pooling(Rewriting& to);

}  // namespace facepipe::detector
