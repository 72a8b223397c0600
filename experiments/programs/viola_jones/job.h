// Reads what is scanned: a picture and a cascade.
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
  std::vector<std::uint32_t> parts;  ///< one number of multiprocessors; empty: the whole device
};

/// Says where a program's verbs run. Programs for a device have --multiprocessors.
enum class RunsOn : std::uint8_t { processor, device };

/// Parses VERB CASCADE WIDTHxHEIGHT [PICTURE...] [--replays N] [--multiprocessors N]. Throws a
/// std::exception with a text of one line if `verbs` doesn't contain the verb, if there are too few
/// words, or if a value is out of range.
[[nodiscard]] Command parse_command(std::vector<std::string> words,
                                    const std::vector<std::string>& verbs,
                                    RunsOn where = RunsOn::processor);

/// Returns a job for each picture. Throws what read_cascade() and read_grey() throw.
[[nodiscard]] std::vector<Job> jobs_of(const Command& command);

}  // namespace facepipe::viola_jones
