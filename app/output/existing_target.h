// Decides what a run does about a file that has the name of one of its outputs.
#pragma once

#include <filesystem>

#include "app/options/options.h"
#include "core/files/output_names.h"

namespace facepipe::app {

/// Returns `path`. Throws Error(output) if it exists and `existing` refuses that.
[[nodiscard]] const std::filesystem::path& checked_target(const std::filesystem::path& path,
                                                          ExistingOutput existing);
/// Returns what happens to a file that has the name in the end. With skip, a file is replaced only
/// if it was read: OutputFile::may_replace_what_is_there().
[[nodiscard]] ExistingTarget at_the_end(ExistingOutput existing);

}  // namespace facepipe::app
