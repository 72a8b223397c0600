// Lists of extents in a canonical file that are right for one size of the picture only.
#pragma once

#include <span>
#include <string>

#include "core/geometry.h"
#include "detector/cnn/model/canonical/regroup.h"

namespace onnx {
class ModelProto;
}

namespace facepipe::detector {

/// Describes the list of a Reshape that gives rows and columns their own axes again, as attention
/// does. No list of constants says this for every size of the picture.
struct SizedList {
  std::string name;  ///< name of the weights that are the list
  SizeExtents extents;
};

/// Writes the lists for a picture of this size. Throws Error(device), naming `source`, if an extent
/// isn't an integer for this size.
void write_sized_lists(onnx::ModelProto& model, std::span<const SizedList> lists, Size network,
                       const std::string& source);

}  // namespace facepipe::detector
