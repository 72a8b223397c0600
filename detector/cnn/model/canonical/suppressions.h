// Takes the suppression of duplicates out of a network.
#pragma once

#include <string>
#include <vector>

#include "core/geometry.h"

namespace onnx {
class ModelProto;
}

namespace facepipe::detector {

/// Replaces each NonMaxSuppression of a file by a list of all boxes and classes. Then the file
/// gives all boxes, and facepipe suppresses duplicates itself, over all looks and tiles. This has
/// another advantage, too: how many boxes a NonMaxSuppression gives depends on the picture, and a
/// network with such values isn't safe to run (row_operator.h).
///
/// The list contains only the classes with the numbers `wanted`, if the file scores more than one
/// class. `size` is the only size of the network's input. Throws the errors of check_onnx() for the
/// nodes before a NonMaxSuppression, and Error(device), naming `source` and the node, if its inputs
/// aren't 1 x boxes x 4 and 1 x classes x boxes, or if the list would be too long.
void list_all_boxes(onnx::ModelProto& model, const std::string& source, Size size,
                    const std::vector<int>& wanted);

}  // namespace facepipe::detector
