// The command line and the file of --config, parsed once into one struct.
#pragma once

#include <spdlog/common.h>

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/device.h"
#include "detector/options.h"
#include "pipeline/job.h"

namespace facepipe {

enum class ExistingOutput { refuse, overwrite, skip };
enum class ProgressStyle { automatic, json, none };

/// Files beside the video; empty: not asked for.
struct SideFiles {
  std::filesystem::path detections;
  std::filesystem::path latency;
  std::filesystem::path report;
};

/// `facepipe run`. Every number is in its range, and what contradicts itself was refused.
struct RunOptions {
  std::vector<std::string> inputs;  ///< as given: files, directories, URLs; "-": kStandardInput
  /// A file, a directory where it ends in '/', or kStandardOutput; empty: beside each input.
  std::string output;
  bool video = true;
  ExistingOutput existing = ExistingOutput::refuse;
  SideFiles files;
  DeviceRequest device;
  /// Several CUDA devices in place of `device`; an empty list: all that can be used.
  std::optional<std::vector<int>> devices;
  DetectorOptions detector;  ///< `model` empty: the default one
  JobOptions job;            ///< `input` and `output` are each job's own
  bool tolerate_damage = false;
  ProgressStyle progress = ProgressStyle::automatic;
  spdlog::level::level_enum log_level = spdlog::level::info;
  bool quiet = false;
};

/// `facepipe doctor`.
struct DoctorOptions {
  std::filesystem::path model;  ///< empty: the default one
};

/// `--help` or `--version`: text for stdout.
struct ShowText {
  std::string text;
};

using Command = std::variant<RunOptions, DoctorOptions, ShowText>;

/// Parses the arguments after the program's name. Throws Error(usage); what comes from the file of
/// --config is told with the file's name. The command line beats the file.
[[nodiscard]] Command parse_command(const std::vector<std::string>& arguments);

}  // namespace facepipe
