// Holds what a user asked for, on the command line and in the file of --config. Each option is
// stored once. Nothing here is derived: derive() makes the options of a command from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/options/values.h"
#include "detector/options.h"
#include "pipeline/job_options.h"
#include "video/read/input_access.h"

namespace facepipe::app {

/// Lists the choices of --motion.
enum class MotionPlace { with_frames, host, device };

/// Says how hide hides faces, and how hide and detect look for faces.
struct AskedHiding {
  HideStyleChoice style;                               ///< --style
  overlay::MaskShape shape = overlay::MaskShape::box;  ///< --shape
  std::optional<double> grow;                          ///< --grow
  std::vector<std::string> kept_tags;                  ///< --keep-metadata
  pipeline::Regions regions;                           ///< --region, --keep-region and --hide-all
  std::int64_t lookahead_bytes = pipeline::HideJob{}.most_bytes;  ///< --lookahead-memory
  bool careful = false;
  MotionPlace motion = MotionPlace::with_frames;
};

/// Says what may be written.
struct AskedOutputs {
  std::string path;  ///< --output, as the user wrote it
  bool overwrite = false;
  bool skip_existing = false;
  bool no_video = false;
};

/// Says what review reads and writes, and how it begins.
struct AskedReview {
  std::filesystem::path tracks;  ///< --tracks
  std::filesystem::path edits;   ///< --edits
  std::string reviewer;          ///< --reviewer
  bool no_open = false;          ///< --no-open
  std::filesystem::path to;      ///< --to
};

/// Says in which form help prints what it knows. Without either, it prints the help of a command.
struct AskedHelp {
  bool man = false;   ///< --man: a man page
  bool json = false;  ///< --json: the table of all options
};

/// Says in which form a plan is printed.
struct AskedPlan {
  bool json = false;  ///< --json
};

/// Holds the options that several commands have, such as --model. An option that only one command
/// has is in that command's struct, which derive() completes. This struct has more than seven
/// members, because each option must have exactly one place.
struct Asked {
  std::string config;
  std::vector<std::string> inputs;        ///< the arguments that are not options, as written
  std::vector<std::string> plain_inputs;  ///< the arguments after "--"
  bool allow_references = false;
  SandboxMode sandbox = SandboxMode::automatic;
  std::int64_t max_pixels = kDefaultMaxPixels;
  AskedOutputs outputs;
  detector::DetectorOptions detector;  ///< scores and `requests` are not used
  std::vector<std::string> models;     ///< --model of commands that take several
  std::optional<float> score;          ///< --score of run
  std::optional<float> iou;            ///< --iou of run
  std::optional<float> nms_min_score;
  AskedHiding hiding;
  Console console;
  RunOptions run;                       ///< what run, hide and detect have alone
  VerifyOptions verify;                 ///< what verify has alone
  AskedReview review;                   ///< what review has alone
  ModelCheckOptions model_check;        ///< what `model check` has alone
  AskedHelp help;                       ///< what help has alone
  AskedPlan plan;                       ///< what `plan run` and `plan hide` have alone
  std::filesystem::path plan_of_parts;  ///< --output of `split run`
  std::filesystem::path folder;         ///< of part files: --out of part, --from of join
};

}  // namespace facepipe::app
