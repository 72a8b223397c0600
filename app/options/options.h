// Parses the command line and the file of --config once, into one struct.
#pragma once

#include <spdlog/common.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/device.h"
#include "detector/options.h"
#include "pipeline/job_options.h"
#include "verify/verifier.h"
#include "video/read/input_access.h"

namespace facepipe::app {

/// Says what a file contains about each face besides its box, score and landmarks.
struct FaceColumns {
  bool track = false;    ///< the number of its track
  bool tracked = false;  ///< whether its frame was not searched, because --every skips frames
  bool classes = false;  ///< its class, and the model that has found it
};

enum class ExistingOutput { refuse, overwrite, skip };
enum class ProgressStyle { automatic, json, none };

/// Says whether a command works in a sandbox (app/sandbox/sandbox.h).
enum class SandboxMode {
  automatic,  ///< where the system can, unless a CUDA device may be used
  on,         ///< or not at all
  process,    ///< the same, and the inputs are decoded in processes of their own
  off,
};

/// Says what a command prints on the terminal while it works.
struct Console {
  ProgressStyle progress = ProgressStyle::automatic;
  spdlog::level::level_enum log_level = spdlog::level::info;
  bool quiet = false;    ///< only errors are printed
  bool verbose = false;  ///< the closing table also shows how long frames wait
};

/// Names the files that are written besides the video. An empty path means that the user doesn't
/// want the file.
struct SideFiles {
  std::filesystem::path detections;
  std::filesystem::path latency;
  std::filesystem::path report;
  std::filesystem::path tracks{};        ///< an edit file (track/track_file.h) to write
  std::filesystem::path known_tracks{};  ///< an edit file to read
  FaceColumns face_fields{};             ///< additional columns of `detections`
  std::filesystem::path page{};          ///< a page for people to look at

  /// Returns whether the user wants to know all about each input.
  [[nodiscard]] bool any_report() const { return !report.empty() || !page.empty(); }
};

/// Says how a run behaves that a scheduler starts (app/run/task.h).
struct TaskOptions {
  bool wanted = false;                         ///< --task
  bool dies_with_parent = false;               ///< --die-with-parent; also without --task
  std::chrono::milliseconds patience{60'000};  ///< how long a task waits for a lock
};

/// Says what the user left open. The card of the model decides it, if there is one.
struct LeftToCard {
  bool iou = true;     ///< NmsOptions::threshold
  bool score = false;  ///< what faces must exceed; hide and detect have scores of their own
  bool soft_min_score = false;  ///< it follows the score, see soft_min_score_for()
  bool grow = true;             ///< HideOptions::grow
};

/// Returns the least score for the rule `soft` if faces must exceed `score`. It is never 0, because
/// the rule would then select everything.
[[nodiscard]] float soft_min_score_for(float score);

/// The options of `facepipe run`, hide and detect; `job.hide` is set for hide and detect. Every
/// number is in its range, and no two options contradict each other. There are more than seven
/// members: each is a choice of its own, which app/run/ hands on to another part.
struct RunOptions {
  /// Files, directories and URLs as the user wrote them; "-" is replaced by kStandardInput.
  std::vector<std::string> inputs;
  /// A file, a directory if it ends in '/', or kStandardOutput. If it is empty, outputs are next to
  /// their inputs.
  std::string output;
  bool video = true;
  ExistingOutput existing = ExistingOutput::refuse;
  SideFiles files;
  DeviceRequest device;
  /// Several CUDA devices, instead of `device`. An empty list means all usable devices.
  std::optional<std::vector<int>> devices;
  detector::DetectorOptions detector;  ///< an empty `model` means the default one
  pipeline::JobOptions job;            ///< each job fills in its own `input` and `output`
  LeftToCard left_to_card;
  bool motion_on_device = false;  ///< the user named the device: a CPU is an error
  bool two_pass = false;  ///< facepipe decides what to hide before it writes the first frame
  bool tolerate_damage = false;
  int parts = 0;  ///< the video is made in at most so many parts, and joined; 0: as a whole
  /// If parts are joined: the scenes of several parts. Their faces are followed first.
  std::vector<pipeline::PartJob> long_scenes{};
  TaskOptions task;
  SandboxMode sandbox = SandboxMode::automatic;
  Console console;
  std::vector<std::string> command_line{};  ///< what parse_command() got
};

/// Returns the command that has these options: "run", "hide" or "detect".
[[nodiscard]] std::string_view command_name(const RunOptions& options);

/// The options of `facepipe plan run` and `facepipe plan hide`.
struct PlanOptions {
  RunOptions run;     ///< the options of the command that is planned
  bool json = false;  ///< the plan is printed as JSON
};

/// The options of `facepipe split run`.
struct SplitOptions {
  RunOptions run;              ///< makes the whole output; it has one input, a file, and `parts`
  std::filesystem::path plan;  ///< the plan to write
  bool overwrite = false;      ///< a plan that exists may be replaced
};

/// The options of `facepipe part`.
struct PartOptions {
  std::filesystem::path plan;
  std::string number;            ///< of the part, as the user wrote it
  std::filesystem::path folder;  ///< where part files are written
  int threads = 0;               ///< of decoder and network; 0: as the plan says
  int lanes = 0;                 ///< 0: all of the device
  bool tolerate_damage = false;
  TaskOptions task;
  SandboxMode sandbox = SandboxMode::automatic;
  Console console;
};

/// The options of `facepipe join`.
struct JoinOptions {
  std::filesystem::path plan;
  std::filesystem::path folder;  ///< where part files are
  RunOptions run;  ///< says what is written, and what is shown; the plan says everything else
};

/// Holds the options of `facepipe doctor`.
struct DoctorOptions {
  std::filesystem::path model;   ///< empty: the default one
  std::filesystem::path card{};  ///< as DetectorOptions::card
};

/// The options of `facepipe model check`.
struct ModelCheckOptions {
  /// `model` is the file to check. `detect_size` counts only for the picture and the images.
  detector::DetectorOptions detector;
  Size timed_size{640, 384};      ///< at which engines are timed
  std::filesystem::path picture;  ///< to look at; empty: none
  std::filesystem::path output;   ///< empty: NAME_faces.EXT beside the picture
  std::filesystem::path images;   ///< a folder of labelled pictures (labels.h); empty: none
  std::filesystem::path draft;    ///< of a card; "-": standard output; empty: none
  bool overwrite = false;         ///< outputs that exist may be replaced
  SandboxMode sandbox = SandboxMode::automatic;
};

/// Holds the options of `facepipe calibrate`.
struct CalibrateOptions {
  std::vector<std::string> pictures;  ///< files, at least one
  std::filesystem::path model;        ///< empty: the default one
  std::filesystem::path card;         ///< as DetectorOptions::card
  std::filesystem::path output;       ///< empty: i8_ranges_file() of the model
  int threads = 0;                    ///< as DetectorOptions::threads
  bool overwrite = false;             ///< an output that exists may be replaced
  SandboxMode sandbox = SandboxMode::automatic;
  bool quiet = false;
};

/// Holds the options of `facepipe verify`. Every number is in its range. There are more than seven
/// members, because each is a separate choice.
struct VerifyOptions {
  std::string original;  ///< a file or a URL; `original` or `hidden` may be kStandardInput
  std::string hidden;
  std::filesystem::path tracks;      ///< the edit file; empty if there is none
  std::filesystem::path report;      ///< empty if there is none
  std::filesystem::path page{};      ///< a page for people to look at; empty if there is none
  std::filesystem::path thumbnails;  ///< a folder that verify makes; empty if there is none
  bool overwrite = false;            ///< whether reports that exist may be replaced
  bool tolerate_cosmetic = false;
  bool quick = false;          ///< two detection passes over each picture instead of five
  std::optional<float> score;  ///< as the model scores; none: kVerifyScore, usual scale
  /// An empty `model` means the default model; scores are not used.
  detector::DetectorOptions detector;
  std::int64_t max_pixels = kDefaultMaxPixels;
  video::References references = video::References::refuse;
  SandboxMode sandbox = SandboxMode::automatic;
  Console console;                          ///< `progress` is automatic, and `verbose` is not used
  std::vector<std::string> command_line{};  ///< what parse_command() got
};

/// Holds the options of `facepipe review`.
struct ReviewOptions {
  std::string input;             ///< a file
  std::filesystem::path tracks;  ///< an edit file to begin with; empty: `detect` finds the tracks
  std::filesystem::path edits;   ///< the edit file to write
  std::string reviewer;          ///< for the log; never empty
  bool opens_browser = true;
  std::filesystem::path page;  ///< write the page as this file instead of serving it; or empty
  RunOptions detect;           ///< finds the tracks and writes them to detect.files.tracks
  RunOptions hide;             ///< hides what `edits` says; `existing` is also about `page`
  VerifyOptions verify;        ///< without the names of the videos
};

/// Holds a text that the program prints instead of working on something: a help, a version, or a
/// script. All of it is the program's own text, so it is safe on a terminal.
struct ShowText {
  std::string text;
  std::string coloured{};  ///< the same with colours, for terminals; empty: there are none
  /// The command line lacks a command: the text goes to stderr, and the exit code is that of usage.
  bool lacks_command = false;
};

using Command =
    std::variant<RunOptions, PlanOptions, SplitOptions, PartOptions, JoinOptions, ReviewOptions,
                 DoctorOptions, VerifyOptions, CalibrateOptions, ModelCheckOptions, ShowText>;

/// Parses the arguments after the program's name, and the file of --config. The command line has
/// priority over the file. Throws Error(usage); if the error is in the file, it begins with the
/// file's name. Without arguments, the result is a short help.
[[nodiscard]] Command parse_command(const std::vector<std::string>& arguments);

}  // namespace facepipe::app
