// What the derivation of the options of several commands needs.
#pragma once

#include <string>
#include <vector>

#include "app/options/asked.h"
#include "detector/options.h"

namespace facepipe::app {

/// Throws Error(usage) with this text.
[[noreturn]] void clash(const std::string& text);

/// Returns the arguments that are not options. Those after "--" are last.
[[nodiscard]] std::vector<std::string> all_inputs(const Asked& asked);

/// Replaces "-" by video::kStandardInput, the name of the file of standard input.
void name_standard_input(std::vector<std::string>& inputs);

/// Returns the options of the detectors, with all models that the user named.
[[nodiscard]] detector::DetectorOptions detector_of(const Asked& asked);

/// Returns the value of --score, or its default.
[[nodiscard]] float score_of(const Asked& asked);

}  // namespace facepipe::app
