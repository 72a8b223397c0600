#include "app/options/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "app/options/config_file.h"
#include "app/options/option_groups.h"
#include "app/options/values.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "video/read/input_access.h"
#include "video/read/rgba_image.h"

namespace facepipe::app {
namespace {

constexpr const char* kConfigHelp =
    "Options from a file, which the command line beats (default: none): lines \"NAME = VALUE\"\n"
    "under [run], [hide] or [detect], one an option, named as the options are; not all of TOML.\n"
    "What stands in several places adds up; an option of one value stands once";

constexpr const char* kExitCodes =
    "Exit codes:\n"
    "  0    done\n"
    "  2    usage: options that make no sense, or contradict each other; hide: tracks or\n"
    "       regions none of which applies to a frame\n"
    "  3    input: can't be opened, read or decoded; where reading fails midway, the video so far\n"
    "       is kept as NAME.partial.EXT\n"
    "  4    device, engine or model can't be used\n"
    "  5    output: can't be written, or exists already\n"
    "  6    frames lost or damaged; the output is finished and kept (--tolerate-damage: 0), and\n"
    "       --skip-existing says 6 of it again;\n"
    "       verify: frames or time stamps differ, or a video is damaged\n"
    "  7    a face may be seen in the hidden video: verify found one, or hide that most faces\n"
    "       are turned in the pixels; the video is kept\n"
    "  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); the video so far is kept as NAME.partial.EXT\n"
    "  1    anything else\n"
    "Where hide fails, the frames that were hidden so far are kept as NAME.partial.EXT, too.\n"
    "With several inputs a bad one doesn't stop the others; the code is that of the first that "
    "failed.";

enum class TakesConfig { no, yes };

CLI::App* add_command(CLI::App& app, const char* name, const char* what, TakesConfig config) {
  CLI::App* const command = app.add_subcommand(name, what);
  command->fallthrough();  // so that --config may stand after the command as well
  // CLI11 leaves the root's options out of a subcommand's help.
  const std::string help = std::string("--config F: ") + kConfigHelp + "\n\n";
  command->footer((config == TakesConfig::yes ? help : std::string()) + kExitCodes);
  return command;
}

CLI::App* add_run(CLI::App& app, ParsedOptions& to) {
  CLI::App* const run =
      add_command(app, "run", "Finds faces in inputs and draws them", TakesConfig::yes);
  add_run_options(*run, to);
  return run;
}

CLI::App* add_hide(CLI::App& app, ParsedOptions& to) {
  CLI::App* const hide = add_command(
      app, "hide", "Hides the faces in inputs, so that nobody is recognised", TakesConfig::yes);
  add_hide_options(*hide, to);
  return hide;
}

CLI::App* add_detect(CLI::App& app, ParsedOptions& to) {
  CLI::App* const detect = add_command(
      app, "detect", "Finds and follows faces as hide does, and writes no video", TakesConfig::yes);
  add_detect_options(*detect, to);
  return detect;
}

void add_doctor(CLI::App& app, ParsedOptions& to) {
  CLI::App* const doctor = add_command(
      app, "doctor", "Tells what this machine can do, and tries each engine", TakesConfig::no);
  add_value(*doctor, "--model", "FILE", "Face model to try", "as in run",
            [&](const OptionText& given) { to.doctor.model = given.text; });
}

CLI::App* add_verify(CLI::App& app, ParsedOptions& to) {
  CLI::App* const verify = add_command(
      app, "verify", "Looks for faces that a hidden video still shows, beside its original",
      TakesConfig::no);
  add_verify_options(*verify, to);
  return verify;
}

CLI::App* add_calibrate(CLI::App& app, ParsedOptions& to) {
  CLI::App* const calibrate = add_command(
      app, "calibrate", "Measures on pictures what --precision i8 needs to know of a model",
      TakesConfig::no);
  add_calibrate_options(*calibrate, to);
  return calibrate;
}

enum class ConfigUse { ignored, read };

void add_config(CLI::App& app, ParsedOptions& to, ConfigUse use) {
  if (use == ConfigUse::ignored) {
    app.add_option_function<std::string>(
           "--config",
           [&](const std::string& text) {
             if (text.empty()) refuse({"--config", text}, "a file");
             to.config = text;
           },
           kConfigHelp)
        ->type_name("F");
    return;
  }
  // CLI11 2.1.2 ignores a config file that is set on a subcommand without a word: hence the root.
  app.set_config("--config", "", kConfigHelp)->type_name("F");
  app.config_formatter(std::make_shared<ConfigFile>(app));
  app.allow_config_extras(CLI::config_extras_mode::error);
}

/// Why `command` doesn't take an option, such as "--scor" or "--scor=0.5".
std::string reason_against(const std::string& argument, const CLI::App& command) {
  const std::string name = argument.substr(0, argument.find('='));
  if (command.get_option_no_throw(name) != nullptr)
    return "stands behind " + command.get_name() + ", not before it";
  std::vector<std::string> known;
  for (const CLI::App* app : {&command, command.get_parent()})
    for (const CLI::Option* option : app->get_options())
      known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
  const std::string meant =
      near_miss(name.substr(std::min(name.find_first_not_of('-'), name.size())), known);
  if (!meant.empty()) return "unknown option; did you mean --" + meant + "?";
  return "unknown option; facepipe " + command.get_name() + " --help lists them";
}

/// Refuses what `app` has not understood, unless it looks like an input.
void refuse_unknown(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining(true);
  const auto option = std::find_if(unknown.begin(), unknown.end(), [](const std::string& argument) {
    return argument.starts_with('-');
  });
  const std::vector<CLI::App*> commands = app.get_subcommands();
  if (commands.empty() && !unknown.empty())
    throw Error(ErrorKind::usage, unknown.front() + ": unknown " +
                                      (option == unknown.begin() ? "option" : "command") +
                                      "; the commands are run, hide, detect, verify, calibrate and "
                                      "doctor");
  if (option != unknown.end())
    throw Error(ErrorKind::usage, *option + ": " + reason_against(*option, *commands.front()));
}

/// What the library throws, in our terms; help and version come that way too.
[[noreturn]] void rethrow_usage(const CLI::ParseError& error) {
  std::string reason = error.what();
  if (dynamic_cast<const CLI::FileError*>(&error) != nullptr) reason = "can't be read";
  if (dynamic_cast<const CLI::ConfigError*>(&error) != nullptr)
    reason += " (keys are options' names, one a line, under [run], [hide] or [detect])";
  throw Error(ErrorKind::usage, reason);
}

/// The help of `app`, or of its command that was given.
ShowText help_text(const CLI::App& app, CLI::App& run, CLI::AppFormatMode mode) {
  if (mode != CLI::AppFormatMode::All)
    for (CLI::Option* const option : run.get_options(
             [](const CLI::Option* candidate) { return candidate->get_group() == kExperiments; }))
      option->group("");  // which hides it
  return {app.help("", mode)};
}

constexpr float kLeastMinScore = 1e-6F;

/// The library's own check, with its words behind the option that is meant.
void settle_suppression(ParsedOptions& parsed) {
  RunOptions& run = parsed.run;
  // A score of 0 selects everything: the least that soft takes.
  run.job.nms.soft.min_score =
      parsed.min_score.value_or(std::max(run.detector.score_threshold, kLeastMinScore));
  try {
    nms::check_nms_options(run.job.nms, nms::nms_capacity(run.job.nms));
  } catch (const Error& refused) {
    throw Error(ErrorKind::usage, std::string("--nms-rule ") +
                                      std::string(name_of(run.job.nms.rule)) + ": " +
                                      refused.what());
  }
}

/// "-" as the names that the files of the streams have.
void settle_standard_streams(RunOptions& run) {
  std::replace(run.inputs.begin(), run.inputs.end(), std::string("-"),
               std::string(video::kStandardInput));
  if (run.output == "-") run.output = kStandardOutput;
  if (run.output != kStandardOutput) return;
  if (run.job.format.empty()) run.job.format = "matroska";
  if (run.progress == ProgressStyle::json)
    throw Error(ErrorKind::usage,
                "--output - and --progress json exclude each other: both go to standard output");
}

// Of --careful: how long a face may be missed; from which score on its boxes cover what its
// neighbours in time cover; and what starts a track, as two looks find more that is no face.
// Larger masks, or a longer look-ahead, cost more of the picture for each face that they hide.
constexpr double kCarefulGap_s = 1;
constexpr float kCarefulSure = 0.15F;
constexpr float kCarefulStart = 0.155F;

[[noreturn]] void clash(const std::string& text) { throw Error(ErrorKind::usage, text); }

/// What hide and detect have in common. Tracks need weaker detections than anybody would call
/// faces.
void settle_tracking(ParsedOptions& parsed) {
  RunOptions& run = parsed.run;
  pipeline::HideJob& hide = run.job.hide.emplace();
  run.files.face_fields.track = true;
  run.detector.score_threshold = hide.tracks.doubtful_score;
  hide.host_motion = parsed.motion == MotionPlace::host;
  run.motion_on_device = parsed.motion == MotionPlace::device;
  if (parsed.careful) {
    if (run.job.every > 1) clash("--careful looks at every frame twice: not with --every");
    hide.mirrored_too = true;
    hide.tracks.gap_s = kCarefulGap_s;
    hide.tracks.sure_score = kCarefulSure;
    hide.tracks.start_score = kCarefulStart;
  }
  hide.wants_tracks = !run.files.tracks.empty();
  if (!hide.wants_tracks) return;
  if (parsed.skip_existing) clash("--write-tracks and --skip-existing exclude each other");
  if (run.job.start_s || run.job.end_s)
    clash("--write-tracks is of a whole input: not with --start or --end");
  if (run.job.allow_references)
    clash(
        "--write-tracks goes by the input's SHA-256, which says nothing of files that a playlist "
        "names: not with --allow-references");
}

void settle_hiding(ParsedOptions& parsed) {
  RunOptions& run = parsed.run;
  if (parsed.no_video) clash("--no-video: hide is there for the video, detect for all else");
  settle_tracking(parsed);
  pipeline::HideJob& hide = *run.job.hide;
  hide.look.shape = parsed.shape;
  hide.look.style = parsed.hide_style.style;
  hide.look.color = parsed.hide_style.color;
  if (!parsed.hide_style.image_file.empty())
    hide.look.image =
        std::make_shared<const RgbaImage>(video::read_rgba_image(parsed.hide_style.image_file));
  hide.kept_tags = parsed.kept_tags;
  hide.most_bytes = parsed.lookahead_bytes.value_or(hide.most_bytes);
  hide.look.grow = parsed.grow.value_or(overlay::default_grow(hide.look.shape));
  hide.regions = parsed.regions;
  if (!run.files.known_tracks.empty() && run.job.allow_references)
    clash(
        "--tracks goes by the input's SHA-256, which says nothing of files that a playlist "
        "names: not with --allow-references");
}

/// What follows faces from frame to frame needs weaker ones, too. Tracks of faces that are drawn
/// are those that detect finds.
void settle_following(RunOptions& run) {
  float least = run.detector.score_threshold;
  run.job.face_score = least;
  if (run.job.overlay.ids) {
    run.files.face_fields.track = true;
    least = std::min(least, run.job.follow.emplace().doubtful_score);
  }
  if (run.job.every > 1) least = std::min(least, pipeline::kWeakFace);
  run.detector.score_threshold = least;
}

void settle_detecting(ParsedOptions& parsed) {
  parsed.no_video = true;
  settle_tracking(parsed);
}

/// The two videos, wherever they stood.
void settle_verify(ParsedOptions& parsed) {
  VerifyOptions& verify = parsed.verify;
  std::vector<std::string> videos;
  for (const std::string& given : {verify.original, verify.hidden})
    if (!given.empty()) videos.push_back(given);
  videos.insert(videos.end(), parsed.plain_inputs.begin(), parsed.plain_inputs.end());
  if (videos.size() != 2)
    throw Error(ErrorKind::usage, "verify takes two videos, ORIGINAL and HIDDEN, and got " +
                                      std::to_string(videos.size()));
  std::replace(videos.begin(), videos.end(), std::string("-"), std::string(video::kStandardInput));
  if (videos[0] == video::kStandardInput && videos[1] == video::kStandardInput)
    throw Error(ErrorKind::usage, "standard input can't be both videos");
  verify.original = videos[0];
  verify.hidden = videos[1];
}

/// Fills in what follows from several options. Throws Error(usage) for what contradicts itself.
void settle(ParsedOptions& parsed) {
  RunOptions& run = parsed.run;
  run.inputs.insert(run.inputs.end(), parsed.plain_inputs.begin(), parsed.plain_inputs.end());
  settle_standard_streams(run);
  run.video = !parsed.no_video;
  if (parsed.overwrite) run.existing = ExistingOutput::overwrite;
  if (parsed.skip_existing) run.existing = ExistingOutput::skip;
  if (parsed.overwrite && parsed.skip_existing)
    clash("--overwrite and --skip-existing exclude each other");
  if (!run.video && !run.output.empty()) clash("--no-video and --output exclude each other");
  if (!run.video && parsed.skip_existing && run.files.detections.empty() &&
      run.files.latency.empty())
    clash("--skip-existing without video goes by --detections or --latency, which must be named");
  if (run.devices && !run.device.automatic) clash("--device and --devices exclude each other");
  if (run.job.end_s && *run.job.end_s <= run.job.start_s.value_or(0))
    clash("--end must be later than --start");
  run.detector.every_window = run.job.nms.rule == nms::NmsRule::groups;
  run.detector.min_face = run.job.min_face;
  run.detector.max_face = run.job.max_face;
  if (run.job.max_face > 0 && run.job.max_face < run.job.min_face)
    clash("--max-face must not be less than --min-face");
  settle_suppression(parsed);
  run.files.face_fields.tracked = run.job.every > 1;
  if (!run.job.hide && (run.job.overlay.ids || run.job.every > 1)) settle_following(run);
}

struct Outcome {
  ParsedOptions parsed;
  Command command;
};

/// Takes what follows "--" off the arguments: inputs, whatever they look like. (CLI11 2.1.2 takes
/// them for options again if an input stood before the "--".)
std::vector<std::string> take_plain_inputs(std::vector<std::string>& arguments) {
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end()) return {};
  std::vector<std::string> inputs(mark + 1, arguments.end());
  arguments.erase(mark, arguments.end());
  return inputs;
}

Outcome parse(std::vector<std::string> arguments, ConfigUse use, const ParsedOptions& before) {
  ParsedOptions parsed;
  parsed.plain_inputs = take_plain_inputs(arguments);
  CLI::App app("facepipe finds faces in video and writes annotated video", "facepipe");
  app.set_help_all_flag("--help-all", "Print the help with the options for experiments and exit");
  app.set_version_flag("--version", "facepipe " FACEPIPE_VERSION, "Print the version and exit");
  app.footer(std::string("facepipe run --help lists the options and their defaults.\n\n") +
             kExitCodes);
  app.require_subcommand(1);
  add_config(app, parsed, use);
  CLI::App* const run = add_run(app, parsed);
  CLI::App* const hide = add_hide(app, parsed);
  CLI::App* const detect = add_detect(app, parsed);
  const CLI::App* const verify = add_verify(app, parsed);
  const CLI::App* const calibrate = add_calibrate(app, parsed);
  add_doctor(app, parsed);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return {parsed, help_text(app, *run, CLI::AppFormatMode::Normal)};
  } catch (const CLI::CallForAllHelp&) {
    return {parsed, help_text(app, *run, CLI::AppFormatMode::All)};
  } catch (const CLI::CallForVersion& version) {
    return {parsed, ShowText{std::string(version.what()) + "\n"}};
  } catch (const CLI::ParseError& error) {
    refuse_unknown(app);
    rethrow_usage(error);
  }
  if (before.overwrite || before.skip_existing) {  // the command line's word beats the file's
    parsed.overwrite = before.overwrite;
    parsed.skip_existing = before.skip_existing;
  }
  if (verify->parsed()) {
    settle_verify(parsed);
    return {parsed, parsed.verify};
  }
  if (calibrate->parsed()) {
    parsed.calibrate.pictures.insert(parsed.calibrate.pictures.end(), parsed.plain_inputs.begin(),
                                     parsed.plain_inputs.end());
    return {parsed, parsed.calibrate};
  }
  const bool works = run->parsed() || hide->parsed() || detect->parsed();
  if (!works && !parsed.plain_inputs.empty()) clash("doctor takes no INPUT");
  if (!works) return {parsed, parsed.doctor};
  if (hide->parsed()) settle_hiding(parsed);
  if (detect->parsed()) settle_detecting(parsed);
  settle(parsed);
  return {parsed, parsed.run};
}

}  // namespace

Command parse_command(const std::vector<std::string>& arguments) {
  // Twice where there is a file: what fails only with the file is the file's fault.
  const Outcome alone = parse(arguments, ConfigUse::ignored, {});
  if (alone.parsed.config.empty()) return alone.command;
  try {
    check_config_file(alone.parsed.config);
    return parse(arguments, ConfigUse::read, alone.parsed).command;
  } catch (const Error& error) {
    throw Error(error.kind(), alone.parsed.config + ": " + error.what());
  }
}

}  // namespace facepipe::app
