// What a user asked for on the command line and in the file of --config, each thing once. Nothing
// here is derived: derive() makes the options of a command from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/options/values.h"
#include "detector/options.h"
#include "pipeline/job_options.h"
#include "video/read/input_access.h"

namespace facepipe::app {

/// The choices of --motion.
enum class MotionPlace { with_frames, host, device };

/// How hide hides, and how hide and detect look for faces.
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

/// What may be written.
struct AskedOutputs {
  std::string path;  ///< --output, as the user wrote it
  bool overwrite = false;
  bool skip_existing = false;
  bool no_video = false;
};

/// Several commands have the same options, such as --model: those stand here. Options that only one
/// command has stand in that command's struct, which derive() completes. So there are more than
/// seven members: each option has one place, whichever commands take it.
struct Asked {
  std::string config;
  std::vector<std::string> inputs;        ///< the arguments that are no options, as written
  std::vector<std::string> plain_inputs;  ///< the arguments behind "--"
  bool allow_references = false;
  std::int64_t max_pixels = kDefaultMaxPixels;
  AskedOutputs outputs;
  detector::DetectorOptions detector;  ///< `score_threshold` and `requests` are not used
  std::optional<float> score;          ///< --score of run
  std::optional<float> iou;            ///< --iou of run
  std::optional<float> nms_min_score;
  AskedHiding hiding;
  Console console;
  RunOptions run;                 ///< what run, hide and detect have alone
  VerifyOptions verify;           ///< what verify has alone
  ModelCheckOptions model_check;  ///< what `model check` has alone
};

}  // namespace facepipe::app
