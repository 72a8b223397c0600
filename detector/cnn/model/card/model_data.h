// What a card says, as the data that decoders read.
#pragma once

#include <string>
#include <vector>

#include "detector/cnn/model/canonical/canonical.h"
#include "detector/cnn/model/card/card.h"
#include "detector/cnn/model/known_models.h"

namespace facepipe::detector {

/// Returns the data of a model with such a card, whose head has only the classes that aren't
/// ignored. head.anchors is the card's; in the family scrfd it is 0 if the card names none. The
/// card's defaults of options (looks, score, nms) are left to the caller. Candidates have landmarks
/// if the card says 5, because `Landmarks` holds so many; other numbers are read past.
/// Errors: device, naming `origin` and the field, for what no detector does yet.
[[nodiscard]] ModelData model_data(const Card& card, const std::string& origin);

/// Returns what a card of a known network says, if nothing else is known of the file.
[[nodiscard]] Card card_of(const ModelData& known);

/// Returns the numbers of the classes that aren't ignored, in rising order.
[[nodiscard]] std::vector<int> wanted_classes(const Card& card);

/// Returns how the file of such a model is brought into its canonical form.
[[nodiscard]] CanonicalOptions canonical_options(const Card& card);

}  // namespace facepipe::detector
