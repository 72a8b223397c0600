// An ONNX file must pass these checks before any library reads it.
//
// Importers of libraries trust files. In OpenCV 4.6's importer, a group of 0 divides by zero. Other
// files make importers read weights beyond their end, if the extents promise more, or allocate
// gigabytes for a padding of 65535. So every model passes these checks first, for all engines.
#pragma once

#include <string>

#include "core/geometry.h"
#include "detector/cnn/model/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace facepipe::detector::graph {

/// Checks what passes over a file rely on, before they rewrite it (detector/cnn/model/canonical/).
/// The opset is one that check_onnx() takes. Weights have names of their own and possible extents;
/// floats and 64-bit integers lie in the file itself, as many as their extents say. Each value has
/// one origin, and each node comes after those whose values it reads. Operators, attributes and
/// numbers of other types may be any, because passes leave alone what they don't know.
/// Errors: as check_onnx().
void check_parts(const onnx::ModelProto& model, const std::string& source);

/// Checks the parsed file, and removes all that import_onnx() doesn't read: notes, unknown fields,
/// inner shapes, weights among the inputs. The file must have the opset of ONNX's own domain, 7 to
/// 21. Its nodes must have import_onnx()'s operators, with attributes of the right type, each once.
/// Each of its weights must have a name of its own, be float or int64, lie in the file itself, and
/// have as many values as its extents say.
/// @return the graph with the shapes for a picture of `trial`: no value holds more than a small
///         multiple of the picture's pixels
/// Errors: device, naming `source`, and the node and operator if there is one.
[[nodiscard]] Graph check_onnx(onnx::ModelProto& model, const std::string& source, Size trial);

}  // namespace facepipe::detector::graph
