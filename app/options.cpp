#include "app/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>

#include "app/text.h"
#include "app/values.h"
#include "core/error.h"

namespace facepipe {
namespace {

constexpr int kSmallestDetectSide = 16;
constexpr int kLargestDetectSide = 8192;
constexpr double kLargestFace = 1e5;
constexpr double kLargestCrf = 63;
constexpr int kMostThreads = 1024;
constexpr double kLeastSoft = 1e-6;  // of numbers that must be above 0
constexpr double kMostSoft = 1e6;
constexpr float kLeastMinScore = 1e-6F;
constexpr int kMostFramesInFlight = 64;

constexpr const char* kConfigHelp =
    "Options from a file, which the command line beats (default: none): lines \"NAME = VALUE\"\n"
    "under [run], one an option, named as the options are; not all of TOML";

constexpr const char* kExitCodes =
    "Exit codes:\n"
    "  0    done\n"
    "  2    usage: options that make no sense, or contradict each other\n"
    "  3    input: can't be opened, read or decoded\n"
    "  4    device, engine or model can't be used\n"
    "  5    output: can't be written, or exists already\n"
    "  6    frames lost or damaged; the output is finished and kept (--tolerate-damage: 0)\n"
    "  130  interrupted (Ctrl-C); the video so far is kept as NAME.partial.EXT\n"
    "  1    anything else\n"
    "With several inputs a bad one doesn't stop the others; the code is that of the first that "
    "failed.";

template <typename T>
std::string shown(T value) {
  std::string text;
  append_number(text, value);
  return text;
}

/// Everything that one parse fills in.
struct Parsed {
  RunOptions run;
  DoctorOptions doctor;
  std::string config;
  bool overwrite = false;
  bool skip_existing = false;
  bool no_video = false;
  std::optional<float> min_score;         ///< --nms-min-score
  std::vector<std::string> plain_inputs;  ///< what followed "--"
};

using Setter = std::function<void(const OptionText&)>;

/// An option with one value; `fallback` is its default as the help tells it.
void add_value(CLI::App& app, const std::string& names, const std::string& kind,
               const std::string& help, const std::string& fallback, const Setter& set) {
  const std::string name = names.substr(names.find("--"));
  app.add_option_function<std::string>(
         names,
         [name, set](const std::string& text) {
           set({name, text});
         },
         help + " (default: " + fallback + ")")
      ->type_name(kind);
}

void add_inputs(CLI::App& app, Parsed& to) {
  app.add_option("INPUT", to.run.inputs,
                 "Video, still image, directory (walked; earlier outputs *_faces.* and hidden\n"
                 "files are left out), or URL. After --, names that look like options.")
      ->required(to.plain_inputs.empty())
      ->configurable(false)
      ->type_name("");
  add_value(app, "-o,--output", "PATH",
            "Output file; or a directory, if it exists or ends in '/', which\n"
            "is made if need be",
            "beside the input, NAME_faces.EXT", [&](const OptionText& given) {
              if (given.text.empty()) refuse(given, "a path");
              to.run.output = given.text;
            });
  app.add_flag("--overwrite", to.overwrite, "Replace outputs that exist (default: exit 5)");
  app.add_flag("--skip-existing", to.skip_existing,
               "Leave inputs out whose output exists (default: exit 5)");
  app.add_flag("--no-video", to.no_video, "Write no video (default: write it)");
  add_value(app, "--start", "TIME", "Begin at: seconds, or [HH:]MM:SS[.frac]", "the beginning",
            [&](const OptionText& given) { to.run.job.start_s = parse_time(given); });
  add_value(app, "--end", "TIME", "End before: seconds, or [HH:]MM:SS[.frac]", "the end",
            [&](const OptionText& given) { to.run.job.end_s = parse_time(given); });
}

void add_detection(CLI::App& app, Parsed& to) {
  RunOptions& run = to.run;
  add_value(app, "--model", "FILE", "Face model, ONNX (CenterFace or YuNet)",
            "$FACEPIPE_MODEL, else\nmodels/centerface.onnx beside the program or in its share/",
            [&](const OptionText& given) { run.detector.model = given.text; });
  add_value(app, "--score", "0..1", "Faces score more than this",
            shown(run.detector.score_threshold), [&](const OptionText& given) {
              run.detector.score_threshold = static_cast<float>(parse_number(given, 0, 1));
            });
  add_value(app, "--min-face", "PIXELS", "Smallest face, by the shorter side of its box",
            shown(run.job.min_face), [&](const OptionText& given) {
              run.job.min_face = parse_number(given, 0, kLargestFace);
            });
  add_value(app, "--max-face", "PIXELS", "Largest face, by the longer side; 0: no limit",
            shown(run.job.max_face), [&](const OptionText& given) {
              run.job.max_face = parse_number(given, 0, kLargestFace);
            });
  add_value(app, "--detect-size", "WxH", "Size at which faces are looked for; aspect ratio kept",
            "the frame's own", [&](const OptionText& given) {
              run.detector.detect_size = parse_size(given, kSmallestDetectSide, kLargestDetectSide);
            });
}

/// The value whose name was given.
template <typename T>
T parse_named(const OptionText& given, std::initializer_list<T> values) {
  std::vector<std::pair<std::string_view, T>> choices;
  for (const T value : values) choices.emplace_back(name_of(value), value);
  return parse_choice<T>(given, choices);
}

void add_suppression(CLI::App& app, Parsed& to) {
  NmsOptions& nms = to.run.job.nms;
  add_value(app, "--iou", "0..1", "Of boxes that overlap more than this the best stays",
            shown(nms.threshold), [&](const OptionText& given) {
              nms.threshold = static_cast<float>(parse_number(given, 0, 1));
            });
  add_value(app, "--nms-rule", "RULE",
            "greedy (exact); fast (falls to any better box, kept or not); soft (scores\nfall "
            "instead); matrix (Oro et al. 2020)",
            std::string(name_of(nms.rule)), [&](const OptionText& given) {
              nms.rule = parse_named(
                  given, {NmsRule::greedy, NmsRule::fast, NmsRule::soft, NmsRule::matrix});
            });
  add_value(app, "--nms-overlap", "MEASURE",
            "iou; diou (spares neighbours whose centres are apart); winner-area\n(common area by "
            "the better box' own)",
            std::string(name_of(nms.overlap)), [&](const OptionText& given) {
              nms.overlap =
                  parse_named(given, {NmsOverlap::iou, NmsOverlap::diou, NmsOverlap::winner_area});
            });
  app.add_flag("--nms-voting", nms.voting,
               "A kept box becomes the mean, by score, of those that fell to it (default: off)");
  add_value(app, "--nms-decay", "DECAY", "soft: gaussian or linear",
            std::string(name_of(nms.soft.decay)), [&](const OptionText& given) {
              nms.soft.decay = parse_named(given, {SoftDecay::gaussian, SoftDecay::linear});
            });
  add_value(app, "--nms-sigma", "S", "soft, gaussian: the larger the slower scores fall",
            shown(nms.soft.sigma), [&](const OptionText& given) {
              nms.soft.sigma = static_cast<float>(parse_number(given, kLeastSoft, kMostSoft));
            });
  add_value(app, "--nms-min-score", "S", "soft: faces keep a score of at least this", "as --score",
            [&](const OptionText& given) {
              to.min_score = static_cast<float>(parse_number(given, kLeastSoft, 1));
            });
}

void add_matrix(CLI::App& app, Parsed& to) {
  MatrixOptions& matrix = to.run.job.nms.matrix;
  add_value(app, "--nms-d-max", "N", "matrix: candidates that it has room for",
            std::to_string(matrix.d_max), [&](const OptionText& given) {
              matrix.d_max = static_cast<std::uint32_t>(parse_integer(given, 1, kMaxMatrixSide));
            });
  add_value(app, "--nms-k", "K", "matrix: parts of a row's reduction; d_max / k is at most 1024",
            std::to_string(matrix.k), [&](const OptionText& given) {
              matrix.k = static_cast<std::uint32_t>(parse_integer(given, 1, kMaxMatrixSide));
            });
  app.add_flag("--nms-squares", matrix.squares,
               "matrix: boxes are squares of their longer side (default: off)");
  app.add_flag("--nms-plus-one", matrix.plus_one,
               "matrix: boxes are a pixel longer, as published (default: off)");
}

void add_machine(CLI::App& app, Parsed& to) {
  RunOptions& run = to.run;
  add_value(app, "--device", "DEVICE", "auto, cpu, cuda or cuda:N", "auto",
            [&](const OptionText& given) { run.device = parse_device(given.text); });
  add_value(
      app, "--engine", "ENGINE", "auto, opencv or openvino", "auto", [&](const OptionText& given) {
        run.detector.engine =
            parse_choice<std::optional<EngineKind>>(given, {{"auto", std::nullopt},
                                                            {"opencv", EngineKind::opencv},
                                                            {"openvino", EngineKind::openvino}});
      });
  add_value(app, "--precision", "PRECISION", "auto, f32, f16 or bf16", "auto",
            [&](const OptionText& given) {
              run.detector.precision =
                  parse_choice<std::optional<Precision>>(given, {{"auto", std::nullopt},
                                                                 {"f32", Precision::f32},
                                                                 {"f16", Precision::f16},
                                                                 {"bf16", Precision::bf16}});
            });
  add_value(app, "--threads", "N", "Threads of decoder, network and encoder each; 0: all cores",
            std::to_string(run.job.threads), [&](const OptionText& given) {
              run.job.threads = run.detector.threads = parse_integer(given, 0, kMostThreads);
            });
  add_value(app, "--frames-in-flight", "N", "Frames on their way through the stages at once",
            std::to_string(run.job.frames_in_flight), [&](const OptionText& given) {
              run.job.frames_in_flight = parse_integer(given, 1, kMostFramesInFlight);
              run.detector.requests = std::min(run.detector.requests, run.job.frames_in_flight);
            });
}

void add_drawing(CLI::App& app, Parsed& to) {
  app.add_option_function<std::vector<std::string>>(
         "--draw",
         [&](const std::vector<std::string>& words) {
           to.run.job.overlay = parse_draw("--draw", words);
         },
         "Any of boxes, scores, landmarks, count, joined by commas; or none\n(default: boxes)")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_encoding(CLI::App& app, Parsed& to) {
  EncoderOptions& encoder = to.run.job.encoder;
  add_value(app, "--codec", "NAME", "FFmpeg's name of the video encoder",
            "libx264; a still image\nkeeps its own", [&](const OptionText& given) {
              if (given.text.empty()) refuse(given, "the name of an encoder");
              encoder.codec = given.text;
            });
  add_value(app, "--preset", "NAME", "The encoder's preset: speed against size",
            "the encoder's own", [&](const OptionText& given) { encoder.preset = given.text; });
  add_value(app, "--crf", "0..63", "Quality, where the encoder has it; lower is better",
            "the encoder's own",
            [&](const OptionText& given) { encoder.crf = parse_number(given, 0, kLargestCrf); });
  app.add_option_function<std::vector<std::string>>(
         "--encoder-option",
         [&](const std::vector<std::string>& given) {
           for (const std::string& text : given)
             encoder.options.push_back(parse_assignment({"--encoder-option", text}));
         },
         "Any option of the encoder; may be given again (default: none)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_value(app, "--on-size-change", "WHAT", "scale or error, where pictures change size midway",
            "scale", [&](const OptionText& given) {
              to.run.job.scale_on_size_change =
                  parse_choice<bool>(given, {{"scale", true}, {"error", false}});
            });
  app.add_flag("--strict", to.run.job.strict,
               "A stream that can't be kept is an error (default: a warning)");
  app.add_flag("--tolerate-damage", to.run.tolerate_damage,
               "Lost or damaged frames don't change the exit code (default: exit 6)");
}

/// A file beside the video whose extension says what is in it.
void add_file(CLI::App& app, const std::string& name, std::filesystem::path& to,
              const std::vector<std::string>& extensions, const std::string& help) {
  add_value(app, name, "FILE", help, "none", [&to, extensions](const OptionText& given) {
    const std::filesystem::path path = given.text;
    if (std::find(extensions.begin(), extensions.end(), path.extension()) == extensions.end())
      refuse(given, "a file that ends in " + extensions.front() +
                        (extensions.size() > 1 ? " or " + extensions.back() : std::string()));
    to = path;
  });
}

void add_reports(CLI::App& app, Parsed& to) {
  RunOptions& run = to.run;
  add_file(app, "--detections", run.files.detections, {".jsonl", ".csv"},
           "Faces to F.jsonl (a line a frame) or F.csv (a line a face)");
  add_file(app, "--latency", run.files.latency, {".csv"},
           "Times of each frame in each stage to F.csv");
  add_file(app, "--report", run.files.report, {".json"}, "What was done to each input, to F.json");
  add_value(app, "--progress", "STYLE",
            "auto (a bar on a terminal), json (a line a second on stdout), none", "auto",
            [&](const OptionText& given) {
              run.progress = parse_choice<ProgressStyle>(given, {{"auto", ProgressStyle::automatic},
                                                                 {"json", ProgressStyle::json},
                                                                 {"none", ProgressStyle::none}});
            });
  add_value(app, "--log-level", "LEVEL", "debug, info, warning or error", "info",
            [&](const OptionText& given) {
              run.log_level = parse_choice<LogLevel>(given, {{"debug", LogLevel::debug},
                                                             {"info", LogLevel::info},
                                                             {"warning", LogLevel::warning},
                                                             {"error", LogLevel::error}});
            });
  app.add_flag("-q,--quiet", run.quiet, "Only errors on stderr (default: off)");
}

CLI::App* add_run(CLI::App& app, Parsed& to) {
  CLI::App* const run = app.add_subcommand("run", "Finds faces in inputs and draws them");
  run->fallthrough();  // so that --config may stand after "run" as well
  // CLI11 leaves the root's options out of a subcommand's help.
  run->footer(std::string("--config F: ") + kConfigHelp + "\n\n" + kExitCodes);
  const auto group = [&](const char* name, void (*add)(CLI::App&, Parsed&)) {
    run->option_defaults()->group(name);
    add(*run, to);
  };
  group("Input and output", add_inputs);
  group("Detection", add_detection);
  group("Suppression", add_suppression);
  group("The matrix of Oro et al.", add_matrix);
  group("Machine", add_machine);
  group("Drawing", add_drawing);
  group("Encoding", add_encoding);
  group("Reports", add_reports);
  return run;
}

CLI::App* add_doctor(CLI::App& app, Parsed& to) {
  CLI::App* const doctor =
      app.add_subcommand("doctor", "Tells what this machine can do, and tries each engine");
  doctor->fallthrough();
  doctor->footer(kExitCodes);
  add_value(*doctor, "--model", "FILE", "Face model to try", "as in run",
            [&](const OptionText& given) { to.doctor.model = given.text; });
  return doctor;
}

enum class ConfigFile { ignored, read };

void add_config(CLI::App& app, Parsed& to, ConfigFile use) {
  if (use == ConfigFile::ignored) {
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
  app.allow_config_extras(CLI::config_extras_mode::error);
}

/// The library's own check, with its words behind the option that is meant.
void settle_suppression(Parsed& parsed) {
  RunOptions& run = parsed.run;
  // A score of 0 selects everything: the least that soft takes.
  run.job.nms.soft.min_score =
      parsed.min_score.value_or(std::max(run.detector.score_threshold, kLeastMinScore));
  try {
    check_nms_options(run.job.nms, nms_capacity(run.job.nms));
  } catch (const std::invalid_argument& refused) {
    throw Error(ErrorKind::usage, std::string("--nms-rule ") +
                                      std::string(name_of(run.job.nms.rule)) + ": " +
                                      refused.what());
  }
}

/// Refuses what contradicts itself and fills in what follows from two options.
void settle(Parsed& parsed) {
  RunOptions& run = parsed.run;
  run.inputs.insert(run.inputs.end(), parsed.plain_inputs.begin(), parsed.plain_inputs.end());
  run.video = !parsed.no_video;
  if (parsed.overwrite) run.existing = ExistingOutput::overwrite;
  if (parsed.skip_existing) run.existing = ExistingOutput::skip;
  const auto clash = [](const char* text) { throw Error(ErrorKind::usage, text); };
  if (parsed.overwrite && parsed.skip_existing)
    clash("--overwrite and --skip-existing exclude each other");
  if (!run.video && !run.output.empty()) clash("--no-video and --output exclude each other");
  if (!run.video && parsed.skip_existing)
    clash("--skip-existing goes by the video, so it excludes --no-video");
  if (run.job.end_s && *run.job.end_s <= run.job.start_s.value_or(0))
    clash("--end must be later than --start");
  if (run.job.max_face > 0 && run.job.max_face < run.job.min_face)
    clash("--max-face must not be less than --min-face");
  settle_suppression(parsed);
}

/// What the library throws, in our terms; help and version come that way too.
[[noreturn]] void rethrow_usage(const CLI::ParseError& error) {
  std::string reason = error.what();
  if (dynamic_cast<const CLI::FileError*>(&error) != nullptr) reason = "can't be read";
  if (dynamic_cast<const CLI::ConfigError*>(&error) != nullptr)
    reason += " (keys are options' names, one a line, under [run])";
  throw Error(ErrorKind::usage, reason);
}

struct Outcome {
  Parsed parsed;
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

Outcome parse(std::vector<std::string> arguments, ConfigFile use, const Parsed& before) {
  Parsed parsed;
  parsed.plain_inputs = take_plain_inputs(arguments);
  CLI::App app("facepipe finds faces in video and writes annotated video", "facepipe");
  app.set_version_flag("--version", "facepipe " FACEPIPE_VERSION, "Print the version and exit");
  app.footer(std::string("facepipe run --help lists the options and their defaults.\n\n") +
             kExitCodes);
  app.require_subcommand(1);
  add_config(app, parsed, use);
  CLI::App* const run = add_run(app, parsed);
  add_doctor(app, parsed);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return {parsed, ShowText{app.help()}};
  } catch (const CLI::CallForVersion& version) {
    return {parsed, ShowText{std::string(version.what()) + "\n"}};
  } catch (const CLI::ParseError& error) {
    rethrow_usage(error);
  }
  if (before.overwrite || before.skip_existing) {  // the command line's word beats the file's
    parsed.overwrite = before.overwrite;
    parsed.skip_existing = before.skip_existing;
  }
  if (!run->parsed() && !parsed.plain_inputs.empty())
    throw Error(ErrorKind::usage, "doctor takes no INPUT");
  if (!run->parsed()) return {parsed, parsed.doctor};
  settle(parsed);
  return {parsed, parsed.run};
}

}  // namespace

Command parse_command(const std::vector<std::string>& arguments) {
  // Twice where there is a file: what fails only with the file is the file's fault.
  const Outcome alone = parse(arguments, ConfigFile::ignored, {});
  if (alone.parsed.config.empty()) return alone.command;
  try {
    return parse(arguments, ConfigFile::read, alone.parsed).command;
  } catch (const Error& error) {
    throw Error(error.kind(), alone.parsed.config + ": " + error.what());
  }
}

}  // namespace facepipe
