// Weights that many people have, whose licences are known although the files don't tell them.
#pragma once

#include <string_view>

#include "detector/model_about.h"

namespace facepipe::detector {

/// Returns the licences of the file with this SHA-256. All texts are empty if nobody knows the
/// file.
[[nodiscard]] ModelLicence licence_of_known_weights(std::string_view sha256);

}  // namespace facepipe::detector
