// Implements `facepipe review`: finds faces, and lets a person decide in the browser which of them
// are hidden.
#pragma once

#include <stop_token>

#include "app/options/options.h"

namespace facepipe::app {

/// Searches the input if there are no tracks yet, then serves the page until the person ends the
/// review there, or until `stop` is requested. Either way, the edit file is saved. Returns the exit
/// code: that of the search if it fails, kExitInterrupted if `stop` ends the search or a rendering,
/// and otherwise 0. Throws Error.
[[nodiscard]] int review(const ReviewOptions& options, const std::stop_token& stop);

}  // namespace facepipe::app
