// What is scanned: a picture and a cascade.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::viola_jones {

/// A picture to scan at the paper's scales.
struct Job {
  detector::cascade::Cascade cascade;
  Size size;
  std::string name;    ///< name of the picture
  std::string pixels;  ///< grey levels, row by row without gaps

  [[nodiscard]] std::span<const std::uint8_t> bytes() const {
    return {reinterpret_cast<const std::uint8_t*>(pixels.data()), pixels.size()};
  }
};

struct Command {
  std::string verb;
  std::string cascade;
  Size size;
  std::vector<std::string> pictures;
  int replays = 200;
};

/// Parses VERB CASCADE WIDTHxHEIGHT [PICTURE...] [--replays N]. Throws a std::exception with one
/// line for a verb that isn't in `verbs`, for too few words, and for values outside their range.
[[nodiscard]] Command parse_command(std::vector<std::string> words,
                                    const std::vector<std::string>& verbs);

/// Returns a job for each picture. Throws what read_cascade() and read_grey() throw.
[[nodiscard]] std::vector<Job> jobs_of(const Command& command);

}  // namespace facepipe::viola_jones
