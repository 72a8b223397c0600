// What an ONNX file must keep before any library reads it.
//
// Importers of libraries trust files: a group of 0 divides by zero in OpenCV 4.6's, extents that
// the weights don't fill are read beyond their end, a padding of 65535 allocates gigabytes. So
// every model passes here first, whatever engine runs it.
#pragma once

#include <string>

#include "core/geometry.h"
#include "detector/cnn/model/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace facepipe::detector::graph {

/// Checks the parsed file and takes away all that import_onnx() doesn't read: notes, unknown
/// fields, inner shapes, weights among the inputs. What is left: the opset of ONNX's own domain, 7
/// to 21; nodes of import_onnx()'s operators with attributes of the right type, each once; weights
/// with a name of their own, of float or int64, as many as their extents say, in the file itself.
/// @return the graph with the shapes for a picture of `trial`: no value holds more than a small
///         multiple of the picture's pixels
/// Errors: device, naming `source`, and node and operator where there is one.
[[nodiscard]] Graph check_onnx(onnx::ModelProto& model, const std::string& source, Size trial);

}  // namespace facepipe::detector::graph
