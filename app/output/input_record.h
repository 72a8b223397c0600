// Holds what a report says about the work on an input besides its result.
#pragma once

#include <chrono>
#include <string>

#include "app/review/log_chain.h"
#include "core/time_spans.h"

namespace facepipe::app {

/// A text is empty if it is unknown. The hashes are SHA-256, in 64 hexadecimal digits. They are of
/// regular files only, and only if a report is wanted.
struct InputRecord {
  std::string begun;  ///< when the work began, as utc_text() writes it
  std::string input_sha256;
  std::string output_sha256;  ///< of the finished output
  std::string edit_sha256;    ///< of the edit file that says what is hidden
  LogFacts review;            ///< of the log beside that edit file
  TimeSpans damaged;          ///< when frames were damaged, in the video's time
};

/// Returns a date and time in UTC, such as "2026-01-31T23:59:59Z".
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);

}  // namespace facepipe::app
