#include "app/options/option_groups.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "app/output/text.h"
#include "core/limits.h"

namespace facepipe::app {
namespace {

constexpr int kSmallestDetectSide = 16;
constexpr int kLargestDetectSide = 8192;
constexpr double kLargestFace = 1e5;
constexpr double kLeastSoft = 1e-6;  // of numbers that must be above 0
constexpr double kMostSoft = 1e6;
constexpr int kMostNeighbours = 1000;
constexpr double kLargestCrf = 63;
constexpr double kLeastScaleFactor = 1.01;
constexpr double kMostScaleFactor = 10;
constexpr int kMostThreads = 1024;
constexpr int kMostFramesInFlight = 64;
constexpr int kMostLanes = 64;

/// A number that starts with its default.
template <typename T>
void add_number(CLI::App& app, const std::string& name, const std::string& kind,
                const std::string& help, T& to, double low, double high) {
  add_value(app, name, kind, help, shown(to), [=, &to](const OptionText& given) {
    to = static_cast<T>(parse_number(given, low, high));
  });
}

/// Likewise an integer.
template <typename T>
void add_integer(CLI::App& app, const std::string& name, const std::string& kind,
                 const std::string& help, T& to, int low, int high) {
  add_value(app, name, kind, help, std::to_string(to), [=, &to](const OptionText& given) {
    to = static_cast<T>(parse_integer(given, low, high));
  });
}

template <typename T>
using Choices = std::vector<std::pair<std::string_view, T>>;

template <typename T>
void add_choice(CLI::App& app, const std::string& name, const std::string& kind,
                const std::string& help, const std::string& fallback, T& to,
                const Choices<T>& choices) {
  add_value(app, name, kind, help, fallback,
            [&to, choices](const OptionText& given) { to = parse_choice<T>(given, choices); });
}

/// A choice that starts with its default, of values that have names.
template <typename T>
void add_named(CLI::App& app, const std::string& name, const std::string& kind,
               const std::string& help, T& to, std::initializer_list<T> values) {
  Choices<T> choices;
  for (const T value : values) choices.emplace_back(name_of(value), value);
  add_choice(app, name, kind, help, std::string(name_of(to)), to, choices);
}

void add_sources(CLI::App& app, ParsedOptions& to) {
  app.add_option("INPUT", to.run.inputs,
                 "Video, still image, directory (walked; earlier outputs *_faces.* and hidden\n"
                 "files are left out), URL, or - for standard input. After --, names that look\n"
                 "like options.")
      ->required(to.plain_inputs.empty())
      ->configurable(false)
      ->type_name("");
  app.add_flag("--allow-references", to.run.job.allow_references,
               "Inputs may be playlists (HLS, DASH, ffconcat), which name other files\n"
               "(default: exit 3)");
}

void add_outputs(CLI::App& app, ParsedOptions& to) {
  add_value(app, "-o,--output", "PATH",
            "Output file; or a directory, if it exists or ends in '/', which\n"
            "is made if need be; or an image's name with %05d or the like: one a frame;\n"
            "or - for standard output",
            "beside the input, NAME_faces.EXT", [&](const OptionText& given) {
              if (given.text.empty()) refuse(given, "a path");
              to.run.output = given.text;
            });
  add_value(app, "--format", "NAME", "FFmpeg's name of the output's container format",
            "by the name; on standard\noutput matroska", [&](const OptionText& given) {
              if (given.text.empty()) refuse(given, "the name of a container format");
              to.run.job.format = given.text;
            });
}

void add_existing(CLI::App& app, ParsedOptions& to) {
  app.add_flag("--overwrite", to.overwrite, "Replace outputs that exist (default: exit 5)");
  app.add_flag("--skip-existing", to.skip_existing,
               "Leave inputs out that an earlier run has done, and go on with the lines of\n"
               "--detections, --latency and --report (default: exit 5)");
}

void add_max_pixels(CLI::App& app, std::int64_t& most) {
  add_integer(app, "--max-pixels", "N", "Refuse pictures of more pixels before they are decoded",
              most, 1, int{kMostPixels});
}

void add_limits(CLI::App& app, ParsedOptions& to) {
  add_max_pixels(app, to.run.job.max_pixels);
  add_value(app, "--start", "TIME", "Begin at: seconds, or [HH:]MM:SS[.frac]", "the beginning",
            [&](const OptionText& given) { to.run.job.start_s = parse_time(given); });
  add_value(app, "--end", "TIME", "End before: seconds, or [HH:]MM:SS[.frac]", "the end",
            [&](const OptionText& given) { to.run.job.end_s = parse_time(given); });
}

void add_inputs(CLI::App& app, ParsedOptions& to) {
  add_sources(app, to);
  add_outputs(app, to);
  add_existing(app, to);
  app.add_flag("--no-video", to.no_video, "Write no video (default: write it)");
  add_limits(app, to);
}

void add_inputs_alone(CLI::App& app, ParsedOptions& to) {
  add_sources(app, to);
  add_existing(app, to);
  add_limits(app, to);
}

constexpr const char* kModelPlaces =
    "$FACEPIPE_MODEL, else\nmodels/centerface.onnx beside the program or in its share/";

void add_model_file(CLI::App& app, detector::DetectorOptions& detector) {
  add_value(app, "--model", "FILE",
            "Face model: ONNX (CenterFace or YuNet), a cascade in OpenCV's XML, or channel\n"
            "features in JSON",
            kModelPlaces, [&](const OptionText& given) { detector.model = given.text; });
}

void add_detect_size(CLI::App& app, detector::DetectorOptions& detector) {
  add_value(app, "--detect-size", "WxH", "Size at which faces are looked for; aspect ratio kept",
            "the frame's own", [&](const OptionText& given) {
              detector.detect_size = parse_size(given, kSmallestDetectSide, kLargestDetectSide);
            });
}

void add_model(CLI::App& app, ParsedOptions& to) {
  RunOptions& run = to.run;
  add_model_file(app, run.detector);
  add_number(app, "--min-face", "PIXELS", "Smallest face, by the shorter side of its box",
             run.job.min_face, 0, kLargestFace);
  add_number(app, "--max-face", "PIXELS", "Largest face, by the longer side; 0: no limit",
             run.job.max_face, 0, kLargestFace);
  add_value(app, "--scale-factor", "F", "Cascades: from one size of faces to the next", "1.1",
            [&](const OptionText& given) {
              run.detector.scale_factor = parse_number(given, kLeastScaleFactor, kMostScaleFactor);
            });
  add_detect_size(app, run.detector);
}

void add_every(CLI::App& app, ParsedOptions& to) {
  add_integer(app, "--every", "N",
              "Look for faces in every Nth frame and at cuts alone, on the CPU, and follow them\n"
              "through the frames between: faster, and some are missed",
              to.run.job.every, 1, pipeline::kMostEvery);
}

void add_detection(CLI::App& app, ParsedOptions& to) {
  add_number(app, "--score", "0..1", "Faces score more than this", to.run.detector.score_threshold,
             0, 1);
  add_model(app, to);
  add_every(app, to);
}

void add_suppression(CLI::App& app, ParsedOptions& to) {
  nms::NmsOptions& nms = to.run.job.nms;
  add_number(app, "--iou", "0..1", "Of boxes that overlap more than this the best stays",
             nms.threshold, 0, 1);
  add_named(app, "--nms-rule", "RULE",
            "greedy (exact); fast (falls to any better box, kept or not); soft (scores\nfall "
            "instead); matrix (Oro et al. 2020); opencv-groups (similar boxes become\n"
            "their mean, on the CPU)",
            nms.rule,
            {nms::NmsRule::greedy, nms::NmsRule::fast, nms::NmsRule::soft, nms::NmsRule::matrix,
             nms::NmsRule::groups});
  add_named(app, "--nms-overlap", "MEASURE",
            "iou; diou (spares neighbours whose centres are apart); winner-area\n(common area by "
            "the better box' own); smaller-area (by the smaller one)",
            nms.overlap,
            {nms::NmsOverlap::iou, nms::NmsOverlap::diou, nms::NmsOverlap::winner_area,
             nms::NmsOverlap::smaller_area});
  app.add_flag("--nms-voting", nms.voting,
               "A kept box becomes the mean, by score, of those that fell to it (default: off)");
}

void add_suppression_experiments(CLI::App& app, ParsedOptions& to) {
  nms::NmsOptions& nms = to.run.job.nms;
  nms::MatrixOptions& matrix = nms.matrix;
  add_named(app, "--nms-decay", "DECAY", "soft: gaussian or linear", nms.soft.decay,
            {nms::SoftDecay::gaussian, nms::SoftDecay::linear});
  add_number(app, "--nms-sigma", "S", "soft, gaussian: the larger the slower scores fall",
             nms.soft.sigma, kLeastSoft, kMostSoft);
  add_value(app, "--nms-min-score", "S", "soft: faces keep a score of at least this", "as --score",
            [&](const OptionText& given) {
              to.min_score = static_cast<float>(parse_number(given, kLeastSoft, 1));
            });
  add_integer(app, "--nms-d-max", "N", "matrix: candidates that it has room for", matrix.d_max, 1,
              nms::kMaxMatrixSide);
  add_integer(app, "--nms-k", "K", "matrix: parts of a row's reduction; d_max / k is at most 1024",
              matrix.k, 1, nms::kMaxMatrixSide);
  add_integer(app, "--nms-neighbours", "N",
              "opencv-groups: a face is what more than this many boxes agree on",
              nms.groups.min_neighbours, 1, kMostNeighbours);
  app.add_flag("--nms-squares", matrix.squares,
               "matrix: boxes are squares of their longer side (default: off)");
  app.add_flag("--nms-plus-one", matrix.plus_one,
               "matrix: boxes are a pixel longer, as published (default: off)");
}

/// "auto, opencv, openvino, cuda or cuda-plain".
std::string engine_words() {
  const std::vector<detector::NamedEngine> engines = detector::named_engines();
  std::vector<std::string_view> words{"auto"};
  for (const detector::NamedEngine& engine : engines) words.push_back(engine.name);
  const std::string last(words.back());
  words.pop_back();
  return joined(words) + " or " + last;
}

void set_engine(const OptionText& given, detector::DetectorOptions& detector) {
  using Engine = std::optional<detector::NamedEngine>;
  std::vector<std::pair<std::string_view, Engine>> engines{{"auto", std::nullopt}};
  for (const detector::NamedEngine& engine : detector::named_engines())
    engines.emplace_back(engine.name, engine);
  const auto engine = parse_choice<Engine>(given, engines);
  detector.library = engine ? std::optional(engine->library) : std::nullopt;
  detector.fused = !engine || engine->fused;
}

void add_engine(CLI::App& app, detector::DetectorOptions& detector) {
  add_value(app, "--engine", "ENGINE", engine_words(), "auto",
            [&](const OptionText& given) { set_engine(given, detector); });
  add_choice<std::optional<detector::Precision>>(
      app, "--precision", "PRECISION",
      "auto, f32, f16, bf16, or i8, which is\n"
      "faster and finds a few other faces; by name alone",
      "auto", detector.precision,
      {{"auto", std::nullopt},
       {"f32", detector::Precision::f32},
       {"f16", detector::Precision::f16},
       {"bf16", detector::Precision::bf16},
       {"i8", detector::Precision::i8}});
}

void add_machine(CLI::App& app, ParsedOptions& to) {
  RunOptions& run = to.run;
  add_value(app, "--device", "DEVICE", "auto, cpu, cuda or cuda:N", "auto",
            [&](const OptionText& given) { run.device = parse_device(given.text); });
  add_value(app, "--devices", "all|LIST",
            "Several CUDA devices at once, like 0,2, where the output can be put together",
            "one, of --device",
            [&](const OptionText& given) { run.devices = parse_devices(given.text); });
  add_engine(app, run.detector);
  add_choice<video::DecoderChoice>(
      app, "--decoder", "DECODER",
      "Of a CUDA device: auto (NVDEC, or the CPU where NVDEC can't), cuda or cpu", "auto",
      run.job.decoder,
      {{"auto", video::DecoderChoice::automatic},
       {"cuda", video::DecoderChoice::nvdec},
       {"cpu", video::DecoderChoice::cpu}});
  add_value(app, "--threads", "N", "Threads of decoder, network and encoder each; 0: all cores",
            std::to_string(run.job.threads), [&](const OptionText& given) {
              run.job.threads = run.detector.threads = parse_integer(given, 0, kMostThreads);
            });
  add_value(app, "--lanes", "auto|N",
            "Decoders that work on one input at once, where the output can be put together\n"
            "(no video, or Motion JPEG)",
            "auto: all of the device", [&](const OptionText& given) {
              run.job.lanes = given.text == "auto" ? 0 : parse_integer(given, 1, kMostLanes);
            });
  add_value(app, "--frames-in-flight", "auto|N",
            "Frames on their way through the stages of each lane at once",
            "auto: 4; of several lanes 2, without video 1", [&](const OptionText& given) {
              if (given.text == "auto") return;
              run.job.frames_in_flight = parse_integer(given, 1, kMostFramesInFlight);
              run.detector.requests = std::min(run.detector.requests, run.job.frames_in_flight);
            });
}

void add_drawing(CLI::App& app, ParsedOptions& to) {
  app.add_option_function<std::vector<std::string>>(
         "--draw",
         [&](const std::vector<std::string>& words) {
           to.run.job.overlay = parse_draw("--draw", words);
         },
         "Any of " + draw_words() +
             ", joined by commas; or none. ids are those of\n"
             "detect's tracks (default: boxes)")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_hiding(CLI::App& app, ParsedOptions& to) {
  add_value(app, "--style", "STYLE",
            "solid, or solid:COLOUR, a name or #RRGGBB; image:FILE, a picture on black; blur or\n"
            "mosaic, behind which software can still tell people",
            "solid, black",
            [&](const OptionText& given) { to.hide_style = parse_hide_style(given); });
  add_value(app, "--shape", "box|ellipse", "What hides a face", "box",
            [&](const OptionText& given) { to.shape = parse_mask_shape(given); });
  add_value(app, "--grow", "0..4", "Hide more than the face: on each side this share of its size",
            "0.25; of an ellipse 0.35",
            [&](const OptionText& given) { to.grow = parse_grow(given); });
  add_value(app, "--lookahead-memory", "MB",
            "For frames that wait until it is known what of them to hide, of all lanes, on the\n"
            "device; with less than needed there are fewer lanes, or they wait shorter, which\n"
            "is told",
            "3072", [&](const OptionText& given) {
              constexpr int kLargest = 1 << 20;
              to.lookahead_bytes = std::int64_t{parse_integer(given, 1, kLargest)} << 20;
            });
  app.add_option_function<std::vector<std::string>>(
         "--keep-metadata", [&](const std::vector<std::string>& names) { to.kept_tags = names; },
         "Tags of the input that stay, by name, joined by commas: others than languages,\n"
         "time codes and rotation may tell of people and places (default: none)")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_irregular(CLI::App& app, ParsedOptions& to) {
  add_choice<bool>(app, "--on-size-change", "WHAT",
                   "scale or error, where pictures change size midway", "scale",
                   to.run.job.scale_on_size_change, {{"scale", true}, {"error", false}});
  app.add_flag("--tolerate-damage", to.run.tolerate_damage,
               "Lost or damaged frames don't change the exit code (default: exit 6)");
}

/// Regions or spans: an option that may be given again.
template <typename T>
void add_several(CLI::App& app, const char* name, const char* kind, const char* help,
                 std::vector<T>& to, T (*parse)(const OptionText&)) {
  app.add_option_function<std::vector<std::string>>(
         name,
         [name, &to, parse](const std::vector<std::string>& given) {
           for (const std::string& text : given) to.push_back(parse({name, text}));
         },
         help)
      ->type_name(kind)
      ->allow_extra_args(false);
}

void add_regions(CLI::App& app, ParsedOptions& to) {
  constexpr const char* kRegion = "NAME=x,y,w,h[@FROM-TO]";
  add_several(app, "--region", kRegion,
              "Hide a part of the upright picture, in pixels, at times as --start takes them (or\n"
              "FROM- or -TO); may be given again (default: none)",
              to.regions.hidden, parse_region);
  add_several(
      app, "--keep-region", kRegion,
      "Show what a detector finds wholly in this part: a poster; what else is hidden stays\n"
      "hidden; may be given again (default: none)",
      to.regions.kept, parse_region);
  add_several(app, "--hide-all", "FROM-TO",
              "Hide whole frames at these times; may be given again (default: none)",
              to.regions.all_hidden, parse_span);
}

void add_careful(CLI::App& app, ParsedOptions& to) {
  app.add_flag("--careful", to.careful,
               "Look at the mirrored picture, too, which takes twice as long, follow faces for\n"
               "longer, and hide more around them (default: off)");
}

void add_tracking(CLI::App& app, ParsedOptions& to) {
  add_model(app, to);
  add_every(app, to);
  add_careful(app, to);
}

void add_hidden_tracking(CLI::App& app, ParsedOptions& to) {
  add_tracking(app, to);
  app.add_flag("--two-pass", to.run.two_pass,
               "Look at a whole file before anything of it is written, and read it twice\n"
               "(default: half a second ahead)");
}

void add_motion(CLI::App& app, ParsedOptions& to) {
  add_choice<MotionPlace>(
      app, "--motion", "WHERE",
      "On CUDA, motion is looked for on the device, or on the host, in a small luma of\n"
      "each frame: both find the same (default: where the frames are)",
      "auto", to.motion,
      {{"auto", MotionPlace::with_frames},
       {"host", MotionPlace::host},
       {"device", MotionPlace::device}});
}

void add_encoding(CLI::App& app, ParsedOptions& to) {
  video::EncoderOptions& encoder = to.run.job.encoder;
  add_value(app, "--codec", "NAME",
            "FFmpeg's name of the video encoder; or auto, h264 or hevc: the CUDA device's own\n"
            "(NVENC) where it can, else libx264 or libx265",
            "auto, which is h264; a still image\nkeeps its own", [&](const OptionText& given) {
              if (given.text.empty()) refuse(given, "the name of an encoder");
              encoder.codec = given.text == "auto" ? std::string() : given.text;
            });
  add_value(app, "--preset", "NAME",
            "The encoder's preset, speed against size: of NVENC p1 (fastest) to p7",
            "the encoder's\nown", [&](const OptionText& given) { encoder.preset = given.text; });
  add_value(app, "--crf", "0..63",
            "Quality, where the encoder has it; lower is better; of NVENC, up to 51, its cq",
            "the\nencoder's own; of NVENC 23",
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
  app.add_flag("--allow-8bit", to.run.job.allow_8bit,
               "mjpeg and h264_nvenc may take deeper pictures, as 8 bits (default: exit 5)");
  app.add_flag("--strict", to.run.job.strict,
               "A stream that can't be kept is an error (default: a warning)");
  add_irregular(app, to);
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

void add_track_file(CLI::App& app, ParsedOptions& to) {
  add_file(app, "--write-tracks", to.run.files.tracks, {".json"},
           "What is found, to F.json: an edit file, whose tracks a person may change; of one\n"
           "input");
}

void add_known_tracks(CLI::App& app, ParsedOptions& to) {
  add_track_file(app, to);
  add_value(app, "--tracks", "FILE",
            "Hide what an edit file of this input says, and look for nothing", "none",
            [&](const OptionText& given) {
              if (given.text.empty()) refuse(given, "a file");
              to.run.files.known_tracks = given.text;
            });
  CLI::Option* const tracks = app.get_option("--tracks");
  for (const char* other :
       {"--write-tracks", "--detections", "--model", "--min-face", "--max-face", "--detect-size",
        "--engine", "--precision", "--careful", "--two-pass", "--every"})
    tracks->excludes(app.get_option(other));
}

void add_log(CLI::App& app, spdlog::level::level_enum& level, bool& quiet) {
  add_choice<spdlog::level::level_enum>(app, "--log-level", "LEVEL",
                                        "debug, info, warning or error", "info", level,
                                        {{"debug", spdlog::level::debug},
                                         {"info", spdlog::level::info},
                                         {"warning", spdlog::level::warn},
                                         {"error", spdlog::level::err}});
  app.add_flag("-q,--quiet", quiet, "Only errors on stderr (default: off)");
}

void add_reports(CLI::App& app, ParsedOptions& to) {
  RunOptions& run = to.run;
  add_file(app, "--detections", run.files.detections, {".jsonl", ".csv"},
           "Faces to F.jsonl (a line a frame) or F.csv (a line a face)");
  add_file(app, "--latency", run.files.latency, {".csv"},
           "Times of each frame in each stage to F.csv");
  add_file(app, "--report", run.files.report, {".json"}, "What was done to each input, to F.json");
  add_choice<ProgressStyle>(app, "--progress", "STYLE",
                            "auto (a bar on a terminal), json (a line a second on stdout), none",
                            "auto", run.progress,
                            {{"auto", ProgressStyle::automatic},
                             {"json", ProgressStyle::json},
                             {"none", ProgressStyle::none}});
  add_log(app, run.log_level, run.quiet);
  app.add_flag("--verbose", run.verbose,
               "The closing table also says how long frames wait in each stage (default: off)")
      ->excludes(app.get_option("--quiet"));
}

void add_two_videos(CLI::App& app, ParsedOptions& to) {
  VerifyOptions& verify = to.verify;
  const bool required = to.plain_inputs.empty();
  app.add_option("ORIGINAL", verify.original, "Video as it was, or - for standard input")
      ->required(required)
      ->configurable(false)
      ->type_name("");
  app.add_option("HIDDEN", verify.hidden, "The same video with its faces hidden, or -")
      ->required(required)
      ->configurable(false)
      ->type_name("");
  app.add_flag_callback(
      "--allow-references", [&verify] { verify.references = video::References::open; },
      "Inputs may be playlists, which name other files (default: exit 3)");
  add_max_pixels(app, verify.max_pixels);
}

void add_second_look(CLI::App& app, ParsedOptions& to) {
  VerifyOptions& verify = to.verify;
  add_file(app, "--tracks", verify.tracks, {".json"},
           "Edit file by which faces were hidden: all that it hides must be hidden, and what it\n"
           "keeps is told apart");
  add_number(app, "--score", "0.05..1",
             "A face must score more than this once; the less, the more is found that is none",
             verify.score, verify::kLeastVerifyScore, 1);
  app.add_flag("--quick", verify.quick,
               "Look at pictures as they are and reduced alone, which takes a quarter of the time\n"
               "(default: look at them mirrored and enlarged, too)");
  app.add_flag("--tolerate-cosmetic", verify.tolerate_cosmetic,
               "Faces behind blur or mosaic, whose detail is weakened, don't change the exit code\n"
               "(default: exit 7)");
}

void add_verify_detection(CLI::App& app, ParsedOptions& to) {
  detector::DetectorOptions& detector = to.verify.detector;
  add_model_file(app, detector);
  add_detect_size(app, detector);
  add_engine(app, detector);
  add_value(app, "--threads", "N", "Threads of decoders and network each; 0: all cores",
            std::to_string(detector.threads), [&](const OptionText& given) {
              detector.threads = parse_integer(given, 0, kMostThreads);
            });
}

void add_findings(CLI::App& app, ParsedOptions& to) {
  VerifyOptions& verify = to.verify;
  add_file(app, "--report", verify.report, {".json"}, "All that was found, to F.json");
  app.add_flag("--overwrite", verify.overwrite, "Replace a report that exists (default: exit 5)");
  add_value(app, "--thumbnails", "DIR",
            "A picture of each finding into a new folder that only its owner can read: they may\n"
            "show faces",
            "none", [&](const OptionText& given) {
              if (given.text.empty()) refuse(given, "a folder");
              verify.thumbnails = given.text;
            });
  add_log(app, verify.log_level, verify.quiet);
}

void add_calibration(CLI::App& app, ParsedOptions& to) {
  CalibrateOptions& calibrate = to.calibrate;
  app.add_option("PICTURE", calibrate.pictures,
                 "Photo, or the first picture of a video, with faces as those that are looked for")
      ->required(to.plain_inputs.empty())
      ->configurable(false)
      ->type_name("");
  add_value(app, "--model", "FILE", "Face model: ONNX (CenterFace or YuNet)", kModelPlaces,
            [&](const OptionText& given) { calibrate.model = given.text; });
  add_value(app, "-o,--output", "FILE", "The ranges", "beside the model, MODEL.i8.json",
            [&](const OptionText& given) {
              if (given.text.empty()) refuse(given, "a file");
              calibrate.output = given.text;
            });
  app.add_flag("--overwrite", calibrate.overwrite, "Replace ranges that exist (default: exit 5)");
  add_value(
      app, "--threads", "N", "Threads; 0: all cores", std::to_string(calibrate.threads),
      [&](const OptionText& given) { calibrate.threads = parse_integer(given, 0, kMostThreads); });
  app.add_flag("-q,--quiet", calibrate.quiet, "Tell of errors alone (default: off)");
}

struct Group {
  const char* name;
  void (*add)(CLI::App& app, ParsedOptions& to);
};

void add_groups(CLI::App& app, ParsedOptions& to, std::initializer_list<Group> groups) {
  for (const Group& group : groups) {
    app.option_defaults()->group(group.name);
    group.add(app, to);
  }
}

}  // namespace

void add_value(CLI::App& app, const std::string& names, const std::string& kind,
               const std::string& help, const std::string& fallback, const OptionSetter& set) {
  const std::string name = names.substr(names.find("--"));
  app.add_option_function<std::string>(
         names,
         [name, set](const std::string& text) {
           set({name, text});
         },
         help + " (default: " + fallback + ")")
      ->type_name(kind);
}

void add_run_options(CLI::App& run, ParsedOptions& to) {
  add_groups(run, to,
             {{"Input and output", add_inputs},
              {"Detection", add_detection},
              {"Suppression", add_suppression},
              {kExperiments, add_suppression_experiments},
              {"Machine", add_machine},
              {"Drawing", add_drawing},
              {"Encoding", add_encoding},
              {"Reports", add_reports}});
}

void add_hide_options(CLI::App& hide, ParsedOptions& to) {
  add_groups(hide, to,
             {{"Input and output", add_inputs},
              {"Hiding", add_hiding},
              {"Regions", add_regions},
              {"Detection", add_hidden_tracking},
              {kExperiments, add_motion},
              {"Machine", add_machine},
              {"Encoding", add_encoding},
              {"Reports", add_reports},
              {"Tracks", add_known_tracks}});
}

void add_detect_options(CLI::App& detect, ParsedOptions& to) {
  add_groups(detect, to,
             {{"Input and output", add_inputs_alone},
              {"Detection", add_tracking},
              {kExperiments, add_motion},
              {"Machine", add_machine},
              {"Damage", add_irregular},
              {"Reports", add_reports},
              {"Tracks", add_track_file}});
}

void add_verify_options(CLI::App& verify, ParsedOptions& to) {
  add_groups(verify, to,
             {{"Input", add_two_videos},
              {"Looking", add_second_look},
              {"Detection", add_verify_detection},
              {"What is found", add_findings}});
}

void add_calibrate_options(CLI::App& calibrate, ParsedOptions& to) {
  add_groups(calibrate, to, {{"Ranges", add_calibration}});
}

}  // namespace facepipe::app
