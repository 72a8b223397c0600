// What a card says, as the data that decoders read.
#pragma once

#include <string>

#include "detector/cnn/model/canonical/canonical.h"
#include "detector/cnn/model/card/card.h"
#include "detector/cnn/model/known_models.h"

namespace facepipe::detector {

/// Returns the data of a model with such a card. head.anchors is the card's, or 0 if it names none.
/// The card's defaults of options (looks, score, nms) and its classes are left to the caller.
/// Errors: device, naming `origin` and the field, for what no detector does yet.
[[nodiscard]] ModelData model_data(const Card& card, const std::string& origin);

/// Returns what a card of a known network says, if nothing else is known of the file.
[[nodiscard]] Card card_of(const ModelData& known);

/// Returns how the file of such a model is brought into its canonical form.
[[nodiscard]] CanonicalOptions canonical_options(const Card& card);

}  // namespace facepipe::detector
