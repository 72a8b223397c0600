// Makes the data that decoders read from a model's card.
#pragma once

#include <string>
#include <vector>

#include "detector/cnn/model/canonical/canonical.h"
#include "detector/cnn/model/card/card.h"
#include "detector/cnn/model/known_models.h"

namespace facepipe::detector {

/// Returns the data of a model that has this card. The head has only the classes that aren't
/// ignored. In the family scrfd, head.anchors is 0 if the card doesn't say how many anchors a place
/// has. The caller applies the card's defaults of options (looks, score, nms). Candidates have
/// landmarks if the card says 5, because `Landmarks` has 5 points. Decoders skip any other number
/// of landmarks. Errors: device, naming `origin` and the field, if no detector supports what the
/// card says.
[[nodiscard]] ModelData model_data(const Card& card, const std::string& origin);

/// Returns a card for a network that facepipe knows without a card. The card says only what `known`
/// says.
[[nodiscard]] Card card_of(const ModelData& known);

/// Returns the indices of the classes that aren't ignored, in ascending order.
[[nodiscard]] std::vector<int> wanted_classes(const Card& card);

/// Returns the options with which make_canonical() rewrites the file of a model that has this card.
[[nodiscard]] CanonicalOptions canonical_options(const Card& card);

}  // namespace facepipe::detector
