// The options of `facepipe run`, group by group as its help shows them: names, help, defaults, and
// the ranges of single values.
#pragma once

#include "app/options/parsed_options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace facepipe {

/// The group of options that --help leaves out and --help-all shows.
inline constexpr const char* kExperiments = "Suppression, in experiments";

/// Declares all groups. `run` keeps references to what is in `to`.
void add_run_options(CLI::App& run, ParsedOptions& to);

}  // namespace facepipe
