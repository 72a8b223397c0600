// Returns when a player shows a file's pictures and starts its sound. ffprobe decodes the file for
// this.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/clips.h"

namespace facepipe::test {

/// Returns the times in seconds of all decoded frames of a stream ("v:0", "a:0"), in decoding
/// order. A time that ffprobe doesn't know is NaN.
inline std::vector<double> shown_times(const std::filesystem::path& file,
                                       const std::string& stream) {
  const CommandResult result =
      run_command({"ffprobe", "-v", "error", "-select_streams", stream, "-show_entries",
                   "frame=best_effort_timestamp_time", "-of", "json", file.string()});
  if (result.exit_code != 0) throw std::runtime_error("ffprobe " + file.string() + result.err);
  std::vector<double> times;
  const nlohmann::json probed = nlohmann::json::parse(result.out);
  for (const auto& frame : probed.at("frames")) {
    const std::string text = frame.value("best_effort_timestamp_time", "");
    times.push_back(text.empty() ? std::numeric_limits<double>::quiet_NaN()
                                 : std::strtod(text.c_str(), nullptr));
  }
  return times;
}

}  // namespace facepipe::test
