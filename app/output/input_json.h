// Describes in JSON what happened to one input.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "app/options/options.h"
#include "app/run/input_outcome.h"

namespace facepipe::app {

/// Adds the members that say which device and which model a run uses: device, devices, engine,
/// precision, why and model, which are null if `facts` has no value; also models and classes if
/// there are several.
void add_facts(nlohmann::ordered_json& json, const RunOptions& options,
               const std::optional<RunFacts>& facts);

/// Returns an entry of a report. It is an object with the input's names, its status, the device,
/// the model and the options, and with the results and measurements of the input's job. A field is
/// null if the run ended before the field's value was known.
[[nodiscard]] nlohmann::ordered_json input_json(const RunOptions& options,
                                                const std::optional<RunFacts>& facts,
                                                const InputOutcome& outcome);

}  // namespace facepipe::app
