// Decides what a run does if a file already has the name of one of its outputs.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>

#include "app/options/options.h"
#include "core/files/output_file.h"
#include "core/files/output_names.h"

namespace facepipe::app {

/// Returns `path`. Throws Error(output) if the file exists and `existing` is
/// ExistingOutput::refuse.
[[nodiscard]] const std::filesystem::path& checked_target(const std::filesystem::path& path,
                                                          ExistingOutput existing);
/// Returns what the run does at its end if a file then has the output's name. With
/// ExistingOutput::skip, the file is replaced only if the run has read it (see
/// OutputFile::may_replace_what_is_there()).
[[nodiscard]] ExistingTarget at_the_end(ExistingOutput existing);
[[nodiscard]] ExistingTarget at_the_end(bool overwrite);

/// Opens an output. Throws Error(output) if the file exists and `overwrite` is false, and the
/// errors of OutputFile.
[[nodiscard]] std::unique_ptr<OutputFile> open_output(const std::filesystem::path& path,
                                                      bool overwrite, const std::stop_token& stop);

}  // namespace facepipe::app
