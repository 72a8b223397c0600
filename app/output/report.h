// The file of --report.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/input_outcome.h"
#include "app/options/options.h"

namespace facepipe {

/// Entries of an earlier run, JSON objects, by their "file".
using ReportEntries = std::map<std::string, std::string>;

/// A JSON array with one object an input, in order. Fields of what was not reached (the model of a
/// run that failed before) are null. What an earlier run reported of an input that was skipped now
/// stands in its place, with "from_earlier_run"; of inputs that this run doesn't have, at the end.
[[nodiscard]] std::string report_json(const RunOptions& options,
                                      const std::optional<RunFacts>& facts,
                                      const std::vector<InputOutcome>& outcomes,
                                      const ReportEntries* earlier = nullptr);

/// Whether an entry is of an input that is done and has no face.
[[nodiscard]] bool tells_of_no_faces(const std::string& entry);

/// One such object, in one line.
[[nodiscard]] std::string entry_json(const RunOptions& options,
                                     const std::optional<RunFacts>& facts,
                                     const InputOutcome& outcome);

}  // namespace facepipe
