// Cuts off the end of a network: the nodes between its last convolutions and the file's outputs.
//
// Exports differ most in these nodes. The nodes turn maps into cells, join the strides, or decode
// boxes, or do all three. Heads read the maps themselves (detector/cnn/model/head.h), so the tail
// is cut off.
#pragma once

#include <string>
#include <vector>

#include "detector/cnn/model/canonical/rewriting.h"

namespace facepipe::detector {

/// Describes a map that becomes an output: the result of a convolution.
struct LastMap {
  std::string name;
  /// Number of consecutive channels in each row of the file's output: 4 for boxes, whose map has 4
  /// channels for each anchor. 0 if unknown.
  std::int64_t values = 0;
  bool sigmoid = false;  ///< whether the tail computed the sigmoid of the values

  friend bool operator==(const LastMap&, const LastMap&) = default;
};

/// Makes the last convolutions the outputs, if the tail only arranges their values. Such a tail
/// consists of Transpose to height x width x channels, Reshape to rows, Concat and Sigmoid. So the
/// new outputs hold the numbers of the old outputs in another order, before Sigmoid. Returns the
/// maps in the order in which the outputs read them. Throws Error(device), naming the node, if the
/// tail does anything else.
std::vector<LastMap> cut_arrangement(Rewriting& to);

/// Makes the last convolutions the outputs. The tail may compute anything. A convolution that reads
/// Softmax belongs to the tail: YOLO from version 8 on computes the mean of a distribution in this
/// way (Li et al., "Generalized Focal Loss", 2020). Returns the maps in the order of their nodes.
/// Throws Error(device) if no such convolution exists, or if there are too many.
std::vector<LastMap> cut_decoding(Rewriting& to);

}  // namespace facepipe::detector
