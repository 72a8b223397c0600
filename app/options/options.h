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
#include "pipeline/job_options.h"
#include "verify/verifier.h"
#include "video/read/input_access.h"

namespace facepipe::app {

/// What is told of a face in a file beside its box, score and landmarks.
struct FaceColumns {
  bool track = false;    ///< its track's number
  bool tracked = false;  ///< whether its frame was not searched: where some may be so
};

enum class ExistingOutput { refuse, overwrite, skip };
enum class ProgressStyle { automatic, json, none };

/// Files beside the video; empty: not asked for.
struct SideFiles {
  std::filesystem::path detections;
  std::filesystem::path latency;
  std::filesystem::path report;
  std::filesystem::path tracks{};        ///< an edit file (track/track_file.h), of one input
  std::filesystem::path known_tracks{};  ///< one that is read, and never written
  FaceColumns face_fields{};             ///< of `detections`
};

/// `facepipe run`, hide and detect: the latter two have a job that hides. Every number is in its
/// range, and what contradicts itself was refused.
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
  detector::DetectorOptions detector;  ///< `model` empty: the default one
  pipeline::JobOptions job;            ///< `input` and `output` are each job's own
  bool motion_on_device = false;  ///< is asked for by name: refused where the device is the CPU
  bool two_pass = false;          ///< what is hidden is known before the first frame is written
  bool tolerate_damage = false;
  ProgressStyle progress = ProgressStyle::automatic;
  spdlog::level::level_enum log_level = spdlog::level::info;
  bool quiet = false;
  bool verbose = false;  ///< the closing table has waiting times, too
};

/// `facepipe doctor`.
struct DoctorOptions {
  std::filesystem::path model;  ///< empty: the default one
};

/// `facepipe calibrate`.
struct CalibrateOptions {
  std::vector<std::string> pictures;  ///< files, at least one
  std::filesystem::path model;        ///< empty: the default one
  std::filesystem::path output;       ///< empty: i8_ranges_file() of the model
  int threads = 0;                    ///< as DetectorOptions::threads
  bool overwrite = false;
  bool quiet = false;
};

/// `facepipe verify`. Every number is in its range.
struct VerifyOptions {
  std::string original;  ///< a file, a URL; "-": kStandardInput, of one of the two at most
  std::string hidden;
  std::filesystem::path tracks;      ///< the edit file; empty: none
  std::filesystem::path report;      ///< empty: none
  std::filesystem::path thumbnails;  ///< a folder that is made; empty: none
  bool overwrite = false;            ///< the report
  bool tolerate_cosmetic = false;
  bool quick = false;  ///< two looks at each picture instead of five
  float score = verify::kVerifyScore;
  detector::DetectorOptions
      detector;  ///< `model` empty: the default one; its threshold is not used
  std::int64_t max_pixels = kDefaultMaxPixels;
  video::References references = video::References::refuse;
  spdlog::level::level_enum log_level = spdlog::level::info;
  bool quiet = false;
};

/// `--help` or `--version`: text for stdout.
struct ShowText {
  std::string text;
};

using Command = std::variant<RunOptions, DoctorOptions, VerifyOptions, CalibrateOptions, ShowText>;

/// Parses the arguments after the program's name. Throws Error(usage); what comes from the file of
/// --config is told with the file's name. The command line beats the file.
[[nodiscard]] Command parse_command(const std::vector<std::string>& arguments);

}  // namespace facepipe::app
