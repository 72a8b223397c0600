// The options of `facepipe run`, hide and detect, group by group as its help shows them: names,
// help, defaults, and the ranges of single values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/options/values.h"
#include "pipeline/job_options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace facepipe::app {

/// --motion
enum class MotionPlace { with_frames, host, device };

/// What one parse of the command line fills in: the structs that the program gets, and what the
/// rest of `run` follows from.
struct ParsedOptions {
  RunOptions run;
  DoctorOptions doctor;
  VerifyOptions verify;
  CalibrateOptions calibrate;
  std::string config;  ///< --config
  bool overwrite = false;
  bool skip_existing = false;
  bool no_video = false;
  HideStyleChoice hide_style;                          ///< --style
  overlay::MaskShape shape = overlay::MaskShape::box;  ///< --shape
  std::optional<double> grow;                          ///< --grow
  std::vector<std::string> kept_tags;                  ///< --keep-metadata
  pipeline::Regions regions;                           ///< --region, --keep-region, --hide-all
  std::optional<std::int64_t> lookahead_bytes;         ///< --lookahead-memory
  bool careful = false;
  MotionPlace motion = MotionPlace::with_frames;  ///< --motion
  std::optional<float> min_score;                 ///< --nms-min-score
  std::vector<std::string> plain_inputs;          ///< what followed "--"
};

/// Takes what was given; throws Error(usage) for what it can't read.
using OptionSetter = std::function<void(const OptionText&)>;

/// `names` are CLI11's ("-o,--output"); `kind` stands for the value in the help, and `fallback` is
/// its default as the help tells it. `set` is called while `app` parses.
void add_value(CLI::App& app, const std::string& names, const std::string& kind,
               const std::string& help, const std::string& fallback, const OptionSetter& set);

/// The group of options that --help leaves out and --help-all shows.
inline constexpr const char* kExperiments = "Suppression, in experiments";

/// Declares all groups of a command, which keeps references to what is in `to`.
void add_run_options(CLI::App& run, ParsedOptions& to);
void add_hide_options(CLI::App& hide, ParsedOptions& to);
void add_detect_options(CLI::App& detect, ParsedOptions& to);
void add_verify_options(CLI::App& verify, ParsedOptions& to);
void add_calibrate_options(CLI::App& calibrate, ParsedOptions& to);

}  // namespace facepipe::app
