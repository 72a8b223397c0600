// Checks ONNX files. A file must pass these checks before any library reads it.
//
// Importers of libraries trust files. In OpenCV 4.6's importer, a group of 0 divides by zero. If
// extents promise more weights than there are, importers read beyond the end of the weights. A
// padding of 65535 makes importers allocate gigabytes. So every model passes these checks first,
// for all engines.
#pragma once

#include <string>

#include "core/geometry.h"
#include "detector/cnn/model/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace facepipe::detector::graph {

/// Checks the properties on which passes over a file (detector/cnn/model/canonical/) rely, before
/// they rewrite it. The opset must be one that check_onnx() accepts. Weights must have different
/// names and possible extents. Floats, f16 and 64-bit integers must be in the file itself, as many
/// as their extents say. Each value must have one origin, and each node must come after the nodes
/// whose values it reads. Operators, attributes and other types of numbers are not checked, because
/// passes don't change what they don't know. Throws the same errors as check_onnx().
void check_parts(const onnx::ModelProto& model, const std::string& source);

/// Checks the parsed file, and removes everything that import_onnx() doesn't read: notes, unknown
/// fields, inner shapes, weights among the inputs. The opset of ONNX's own domain must be 7 to 21.
/// Nodes must have operators of import_onnx(), and attributes of the right type, each at most once.
/// Each weight must have its own name, be float or int64, be in the file itself, and have as many
/// values as its extents say. No value may hold more than a small multiple of the picture's pixels.
/// All extents must be known before the network runs, and each index must lie within the values
/// that it selects from (row_operator.h). Returns the graph with the shapes for a picture of
/// `trial`. Throws Error(device), naming `source`, and the node and operator if there is one.
[[nodiscard]] Graph check_onnx(onnx::ModelProto& model, const std::string& source, Size trial);

/// Checks again, for a network of another size, the amounts of numbers in a file that check_onnx()
/// has accepted. This is necessary if values can grow faster than the picture. Throws the errors of
/// check_onnx().
void check_size(const onnx::ModelProto& model, const std::string& source, Size network);

}  // namespace facepipe::detector::graph
