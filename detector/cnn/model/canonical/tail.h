// The end of a network: what stands between its last convolutions and the outputs of its file.
//
// Exports differ most there. They turn maps into cells, join the strides, decode boxes, or do all
// of that. Heads read the maps themselves (detector/cnn/model/head.h), so the tail is cut off.
#pragma once

#include <string>
#include <vector>

#include "detector/cnn/model/canonical/rewriting.h"

namespace facepipe::detector {

/// A map that becomes an output: the result of a convolution.
struct LastMap {
  std::string name;
  /// How many consecutive channels the file's output holds in each row: 4 for boxes, whose
  /// map has 4 channels for each anchor. 0 if it isn't known.
  std::int64_t values = 0;
  bool sigmoid = false;  ///< the tail computed the sigmoid of the values

  friend bool operator==(const LastMap&, const LastMap&) = default;
};

/// Makes the last convolutions the outputs, if a tail only arranges their values: Transpose to
/// height x width x channels, Reshape to rows, Concat, Sigmoid. So the outputs hold the same
/// numbers in another order, before Sigmoid.
/// @return the maps in the order in which the outputs read them
/// Errors: device, naming the node, if a tail does anything else.
std::vector<LastMap> cut_arrangement(Rewriting& to);

/// Makes the last convolutions the outputs, whatever the tail computes. A convolution that reads
/// Softmax belongs to the tail: YOLO from version 8 on computes the mean of a distribution in this
/// way (Li et al., "Generalized Focal Loss", 2020).
/// @return the maps in the order of their nodes
/// Errors: device, if there is no such convolution, or if there are too many.
std::vector<LastMap> cut_decoding(Rewriting& to);

}  // namespace facepipe::detector
