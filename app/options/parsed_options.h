// What one parse of the command line fills in, and what the options say together. Knows nothing of
// how they are declared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"

namespace facepipe {

/// The structs that the program gets, and what `settle` fills the rest of `run` in from.
struct ParsedOptions {
  RunOptions run;
  DoctorOptions doctor;
  std::string config;  ///< --config
  bool overwrite = false;
  bool skip_existing = false;
  bool no_video = false;
  std::optional<float> min_score;         ///< --nms-min-score
  std::vector<std::string> plain_inputs;  ///< what followed "--"
};

/// Fills in what follows from several options. Throws Error(usage) for what contradicts itself.
void settle(ParsedOptions& parsed);

}  // namespace facepipe
