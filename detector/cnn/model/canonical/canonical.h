// The canonical form of a network: few operators, each written in one way, for every picture's
// size.
//
// Exporters write the same network in many ways, and the libraries that compute networks read some
// of them. Model (detector/cnn/model/model.h) makes the canonical form once, before check_onnx(),
// so that all engines see the same network. It is ONNX again, because the libraries read ONNX.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detector/cnn/model/canonical/normalisation.h"
#include "detector/cnn/model/canonical/tail.h"

namespace facepipe::detector {

/// What happens to the end of a network.
enum class Tail {
  kept,
  arrangement_cut,  ///< see cut_arrangement()
  decoding_cut,     ///< see cut_decoding()
};

struct CanonicalOptions {
  Tail tail = Tail::kept;
  InputNormalisation normalisation;
};

/// Rewrites a parsed file, which may be hostile. It is checked with check_parts() first; operators
/// that no pass knows stay, and check_onnx() refuses them.
/// @return the outputs, if the tail is cut
/// Errors: device, naming `source`, and the node and operator if there is one.
std::vector<LastMap> make_canonical(onnx::ModelProto& model, const std::string& source,
                                    const CanonicalOptions& options);

}  // namespace facepipe::detector
