// Removes the classes that the card ignores from a network.
#pragma once

#include <string>
#include <vector>

#include "detector/cnn/model/canonical/tail.h"
#include "detector/cnn/model/card/card.h"

namespace facepipe::detector {

/// Erases the channels of ignored classes from the last convolutions. So the network doesn't
/// compute these channels, and decoders don't read them. The other channels keep their order.
/// `maps` is the result of make_canonical().
/// Errors: device, naming `source`, if it isn't clear which channels belong to classes, or if
/// anything but a Conv of one group computes these channels.
void drop_ignored_classes(onnx::ModelProto& model, const std::string& source,
                          const std::vector<LastMap>& maps, const Card& card);

}  // namespace facepipe::detector
