// Finds out before a run loads its models whether its files must tell the classes of what is found.
#pragma once

#include "app/options/options.h"

namespace facepipe::app {

/// Returns whether a CSV file of detections has columns for classes: if there are several classes
/// or models, or another class than faces. A CSV file begins with the names of its columns, so this
/// must be known early. Reads the models, or the edit file that replaces them, only if such a file
/// is wanted. Returns false if they can't be read, because the run itself will say why.
[[nodiscard]] bool has_class_columns(const RunOptions& options);

}  // namespace facepipe::app
