// Writes text to output files, for tests. Its constants say what happens to a target file that
// already exists.
#pragma once

#include <span>
#include <string_view>

#include "core/files/output_file.h"

namespace facepipe {

inline constexpr auto kRefuse = ExistingTarget::refuse;
inline constexpr auto kReplace = ExistingTarget::replace;

/// Writes all of `text`. Returns what OutputFile::write() returns.
inline int write(OutputFile& file, std::string_view text) {
  return file.write(std::as_bytes(std::span(text)));
}

}  // namespace facepipe
