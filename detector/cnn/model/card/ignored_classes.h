// A network may tell classes apart that nobody looks for.
#pragma once

#include <string>
#include <vector>

#include "detector/cnn/model/canonical/tail.h"
#include "detector/cnn/model/card/card.h"

namespace facepipe::detector {

/// Erases the channels of ignored classes from the last convolutions, so that the network doesn't
/// compute them and decoders don't read them. The order of the others stays. `maps` are those of
/// make_canonical().
/// Errors: device, naming `source`, if it isn't clear which channels those are.
void drop_ignored_classes(onnx::ModelProto& model, const std::string& source,
                          const std::vector<LastMap>& maps, const Card& card);

}  // namespace facepipe::detector
