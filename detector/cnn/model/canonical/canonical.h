// Makes the canonical form of a network. This form has few operators, each written in one way, and
// is valid for pictures of every size.
//
// Exporters write the same network in many ways. Each library that computes networks reads only
// some of these ways. Model (detector/cnn/model/model.h) makes the canonical form once, before
// check_onnx(), so that all engines see the same network. The canonical form is ONNX, because the
// libraries read ONNX.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detector/cnn/model/canonical/normalisation.h"
#include "detector/cnn/model/canonical/sized_list.h"
#include "detector/cnn/model/canonical/tail.h"

namespace facepipe::detector {

/// Says what happens to the end of a network.
enum class Tail {
  kept,
  arrangement_cut,  ///< see cut_arrangement()
  decoding_cut,     ///< see cut_decoding()
};

struct CanonicalOptions {
  Tail tail = Tail::kept;
  InputNormalisation normalisation;
};

struct CanonicalForm {
  std::vector<LastMap> maps;     ///< the new outputs if the tail is cut, otherwise empty
  std::vector<SizedList> lists;  ///< write_sized_lists() must write them for each size
};

/// Rewrites a parsed file, which may be hostile: the file is first checked with check_parts().
/// Operators that no pass knows stay in the file; check_onnx() refuses them later. Throws
/// Error(device), naming `source`, and the node and operator if there is one.
CanonicalForm make_canonical(onnx::ModelProto& model, const std::string& source,
                             const CanonicalOptions& options);

}  // namespace facepipe::detector
