// Decides what a run does if a file already has the name of one of its outputs.
#pragma once

#include <filesystem>

#include "app/options/options.h"
#include "core/files/output_names.h"

namespace facepipe::app {

/// Returns `path`. Throws Error(output) if the file exists and `existing` is
/// ExistingOutput::refuse.
[[nodiscard]] const std::filesystem::path& checked_target(const std::filesystem::path& path,
                                                          ExistingOutput existing);
/// Returns what happens at the end to a file that then has the name. With ExistingOutput::skip, the
/// file is replaced only if it was read (see OutputFile::may_replace_what_is_there()).
[[nodiscard]] ExistingTarget at_the_end(ExistingOutput existing);

}  // namespace facepipe::app
