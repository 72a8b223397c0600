// The options of `facepipe run` that say which faces are found: of the detector and of suppression.
#pragma once

#include "app/options/parsed_options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace facepipe {

/// Each declares a group. `app` keeps references to what is in `to`.
void add_detection(CLI::App& app, ParsedOptions& to);
void add_suppression(CLI::App& app, ParsedOptions& to);
/// Of suppression, what only experiments change.
void add_suppression_experiments(CLI::App& app, ParsedOptions& to);

}  // namespace facepipe
