// These tests check the command line: what each option sets, what the program refuses, and what the
// help says.
#include "app/options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/expect_error.h"

namespace facepipe::app {
namespace {

using detector::CardScore;
using test::expect_error;
using testing::ElementsAre;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

RunOptions run_options(Arguments arguments) {
  arguments.insert(arguments.begin(), {"run", "clip.mp4"});
  return std::get<RunOptions>(parse_command(arguments));
}

std::string shown(const Arguments& arguments) {
  return std::get<ShowText>(parse_command(arguments)).text;
}

TEST(Options, DefaultsAreThoseOfTheStructs) {
  const RunOptions options = run_options({});
  EXPECT_THAT(options.inputs, ElementsAre("clip.mp4"));
  EXPECT_EQ(options.output, "");
  EXPECT_TRUE(options.video);
  EXPECT_EQ(options.existing, ExistingOutput::refuse);
  EXPECT_TRUE(options.device.automatic);
  EXPECT_FALSE(options.detector.library);
  EXPECT_FALSE(options.detector.precision);
  EXPECT_EQ(options.detector.score_threshold, 0.5F);
  EXPECT_FALSE(options.detector.detect_size);
  EXPECT_EQ(options.job.search.nms.threshold, 0.3F);
  EXPECT_EQ(options.job.search.nms.rule, nms::NmsRule::greedy);
  EXPECT_EQ(options.job.search.nms.overlap, nms::NmsOverlap::iou);
  EXPECT_FALSE(options.job.search.nms.voting);
  EXPECT_TRUE(options.job.overlay.boxes);
  EXPECT_FALSE(options.job.overlay.scores);
  EXPECT_TRUE(options.job.input.scale_on_size_change);
  EXPECT_EQ(options.console.progress, ProgressStyle::automatic);
  EXPECT_EQ(options.console.log_level, spdlog::level::info);
  EXPECT_FALSE(options.console.quiet);
}

TEST(Options, InputAndOutput) {
  const RunOptions options =
      run_options({"b.mkv", "-o", "out/", "--skip-existing", "--start", "1:30", "--end=100.5"});
  EXPECT_THAT(options.inputs, ElementsAre("clip.mp4", "b.mkv"));
  EXPECT_EQ(options.output, "out/");
  EXPECT_EQ(options.existing, ExistingOutput::skip);
  EXPECT_EQ(options.job.input.start_s, 90);
  EXPECT_EQ(options.job.input.end_s, 100.5);
  EXPECT_EQ(options.job.input.max_pixels, 134'217'728);
  EXPECT_EQ(run_options({"--max-pixels", "268435456"}).job.input.max_pixels, 268'435'456);
  EXPECT_EQ(run_options({"--overwrite"}).existing, ExistingOutput::overwrite);
  EXPECT_FALSE(run_options({"--no-video"}).video);
}

TEST(Options, ADashIsAStandardStream) {
  const auto piped = std::get<RunOptions>(parse_command({"run", "-", "-o", "-"}));
  EXPECT_THAT(piped.inputs, ElementsAre("/dev/stdin"));
  EXPECT_EQ(piped.output, "/dev/stdout");
  EXPECT_EQ(piped.job.output.format, "matroska");
  EXPECT_EQ(run_options({"-o", "-", "--format", "mpegts"}).job.output.format, "mpegts");
  EXPECT_EQ(run_options({"-o", "out.mkv"}).job.output.format, "");
  EXPECT_EQ(run_options({"-o", "./-"}).output, "./-");
}

TEST(Options, Detection) {
  const RunOptions options =
      run_options({"--model", "m.onnx", "--score", "0.02", "--iou", "0.4", "--min-face", "12",
                   "--max-face", "300.5", "--detect-size", "640x384"});
  EXPECT_EQ(options.detector.model, "m.onnx");
  EXPECT_EQ(options.detector.score_threshold, 0.02F);
  EXPECT_EQ(options.job.search.nms.threshold, 0.4F);
  EXPECT_EQ(options.job.search.min_face, 12);
  EXPECT_EQ(options.job.search.max_face, 300.5);
  EXPECT_EQ(options.detector.detect_size, (Size{640, 384}));
}

TEST(Options, Suppression) {
  const nms::NmsOptions voting =
      run_options({"--nms-rule", "fast", "--nms-overlap", "diou", "--nms-voting"}).job.search.nms;
  EXPECT_EQ(voting.rule, nms::NmsRule::fast);
  EXPECT_EQ(voting.overlap, nms::NmsOverlap::diou);
  EXPECT_TRUE(voting.voting);
  const nms::NmsOptions soft = run_options({"--nms-rule", "soft", "--nms-decay", "linear",
                                            "--nms-sigma", "0.3", "--score", "0.1"})
                                   .job.search.nms;
  EXPECT_EQ(soft.soft.decay, nms::SoftDecay::linear);
  EXPECT_EQ(soft.soft.sigma, 0.3F);
  EXPECT_EQ(soft.soft.min_score, 0.1F) << "as --score";
  EXPECT_EQ(run_options({"--nms-min-score", "0.2"}).job.search.nms.soft.min_score, 0.2F);
  const nms::NmsOptions matrix =
      run_options({"--nms-rule", "matrix", "--nms-overlap", "winner-area", "--nms-d-max", "2048",
                   "--nms-k", "8", "--nms-squares", "--nms-plus-one"})
          .job.search.nms;
  EXPECT_EQ(matrix.rule, nms::NmsRule::matrix);
  EXPECT_EQ(matrix.overlap, nms::NmsOverlap::winner_area);
  EXPECT_EQ(matrix.matrix.d_max, 2048U);
  EXPECT_EQ(matrix.matrix.k, 8U);
  EXPECT_TRUE(matrix.matrix.squares && matrix.matrix.plus_one);
  const nms::NmsOptions groups =
      run_options({"--nms-rule", "opencv-groups", "--nms-neighbours", "5"}).job.search.nms;
  EXPECT_EQ(groups.rule, nms::NmsRule::groups);
  EXPECT_EQ(groups.groups.min_neighbours, 5U);
}

TEST(Options, EnginesByName) {
  const auto expect = [](const char* name, std::optional<detector::Library> library, bool fused) {
    const detector::DetectorOptions detector = run_options({"--engine", name}).detector;
    EXPECT_EQ(detector.library, library) << name;
    EXPECT_EQ(detector.fused, fused) << name;
  };
  expect("auto", std::nullopt, true);
  expect("opencv", detector::Library::opencv, true);
  expect("openvino", detector::Library::openvino, true);
  expect("cuda", detector::Library::native_cuda, true);
  expect("cuda-plain", detector::Library::native_cuda, false);
}

TEST(Options, Machine) {
  const RunOptions options = run_options({"--device", "cuda:1", "--engine", "opencv", "--precision",
                                          "bf16", "--threads", "3", "--frames-in-flight", "1"});
  EXPECT_FALSE(options.device.automatic);
  EXPECT_EQ(options.device.device, (Device{DeviceKind::cuda, 1}));
  EXPECT_EQ(options.detector.library, detector::Library::opencv);
  EXPECT_EQ(options.detector.precision, detector::Precision::bf16);
  EXPECT_EQ(options.detector.threads, 3);
  EXPECT_EQ(options.job.resources.threads, 3);
  EXPECT_EQ(options.job.resources.frames_in_flight, 1);
  EXPECT_EQ(options.detector.requests, 1) << "a detector can't hold more frames than there are";
  EXPECT_EQ(options.job.input.decoder, video::DecoderChoice::automatic);
  EXPECT_EQ(run_options({"--precision", "i8"}).detector.precision, detector::Precision::i8);
  EXPECT_EQ(run_options({"--decoder", "cuda"}).job.input.decoder, video::DecoderChoice::nvdec);
  EXPECT_EQ(run_options({"--decoder", "cpu"}).job.input.decoder, video::DecoderChoice::cpu);
}

TEST(Options, DrawingAndEncoding) {
  const RunOptions options = run_options(
      {"--draw", "landmarks,count", "--codec", "libx265", "--preset", "slow", "--crf", "18.5",
       "--encoder-option", "tune=grain", "--encoder-option", "x265-params=a=1:b=2",
       "--on-size-change", "error", "--strict", "--tolerate-damage"});
  EXPECT_FALSE(options.job.overlay.boxes);
  EXPECT_TRUE(options.job.overlay.landmarks);
  EXPECT_TRUE(options.job.overlay.count);
  EXPECT_EQ(options.job.output.encoder.codec, "libx265");
  EXPECT_EQ(run_options({"--codec", "hevc"}).job.output.encoder.codec, "hevc");
  EXPECT_EQ(run_options({"--codec", "auto"}).job.output.encoder.codec, "")
      << "is what is done unasked";
  EXPECT_EQ(options.job.output.encoder.preset, "slow");
  EXPECT_EQ(options.job.output.encoder.crf, 18.5);
  EXPECT_THAT(options.job.output.encoder.options,
              ElementsAre(testing::Pair("tune", "grain"), testing::Pair("x265-params", "a=1:b=2")));
  EXPECT_FALSE(options.job.input.scale_on_size_change);
  EXPECT_TRUE(options.job.output.strict);
  EXPECT_FALSE(options.job.output.allow_8bit);
  EXPECT_TRUE(run_options({"--allow-8bit"}).job.output.allow_8bit);
  EXPECT_FALSE(options.job.input.allow_references);
  EXPECT_TRUE(run_options({"--allow-references"}).job.input.allow_references);
  EXPECT_TRUE(options.tolerate_damage);
  EXPECT_FALSE(run_options({"--draw", "none"}).job.overlay.any());
}

TEST(Options, IdsAreThoseOfTheTracksThatDetectFinds) {
  const RunOptions options = run_options({"--draw", "boxes,ids", "--score", "0.4"});
  const RunOptions detect = std::get<RunOptions>(parse_command({"detect", "a.mp4"}));
  ASSERT_TRUE(options.job.follow);
  EXPECT_EQ(options.job.search.face_score, 0.4F);
  EXPECT_EQ(options.detector.score_threshold, 0.4F);
  EXPECT_EQ(options.detector.weak_score, track::TrackerOptions{}.suggest_score);
  EXPECT_EQ(options.detector.weak_score, detect.detector.weak_score);
  EXPECT_TRUE(options.files.face_fields.track);
  const RunOptions without = run_options({"--draw", "boxes", "--score", "0.4"});
  EXPECT_FALSE(without.job.follow);
  EXPECT_EQ(without.detector.score_threshold, 0.4F);
  EXPECT_EQ(without.detector.weak_score, std::nullopt);
  EXPECT_FALSE(without.files.face_fields.track);
}

TEST(Options, Reports) {
  const RunOptions options =
      run_options({"--detections", "d.jsonl", "--latency", "l.csv", "--report", "r.json",
                   "--progress", "json", "--log-level", "debug", "-q"});
  EXPECT_EQ(options.files.detections, "d.jsonl");
  EXPECT_EQ(options.files.latency, "l.csv");
  EXPECT_EQ(options.files.report, "r.json");
  EXPECT_EQ(options.console.progress, ProgressStyle::json);
  EXPECT_EQ(options.console.log_level, spdlog::level::debug);
  EXPECT_TRUE(options.console.quiet);
  EXPECT_FALSE(options.console.verbose);
  EXPECT_TRUE(run_options({"--verbose"}).console.verbose);
  EXPECT_EQ(run_options({"--detections", "d.csv"}).files.detections, "d.csv");
  EXPECT_EQ(run_options({"--detections", "-"}).files.detections, "/dev/stdout");
}

TEST(Options, RepeatableOptionsDoNotSwallowInputs) {
  const auto options = std::get<RunOptions>(
      parse_command({"run", "--encoder-option", "tune=film", "--draw", "boxes", "a.mp4", "b.mp4"}));
  EXPECT_THAT(options.inputs, ElementsAre("a.mp4", "b.mp4"));
}

TEST(Options, InputsMayBeNamedLikeCommandsAndOptions) {
  const auto options =
      std::get<RunOptions>(parse_command({"run", "doctor", "run", "--", "--strict", "-q"}));
  EXPECT_THAT(options.inputs, ElementsAre("doctor", "run", "--strict", "-q"));
  EXPECT_FALSE(options.job.output.strict);
  EXPECT_FALSE(options.console.quiet);
  const auto only = std::get<RunOptions>(parse_command({"run", "-q", "--", "--strict"}));
  EXPECT_THAT(only.inputs, ElementsAre("--strict"));
  EXPECT_TRUE(only.console.quiet);
}

RunOptions parse_run(const Arguments& arguments) {
  return std::get<RunOptions>(parse_command(arguments));
}

pipeline::HideJob hide_of(const RunOptions& run) { return run.job.hide.value(); }

TEST(Options, HidingIsSolidBlackAndOfAllScoresThatTracksNeed) {
  const RunOptions run = parse_run({"hide", "a.mp4"});
  const pipeline::HideJob& hide = hide_of(run);
  EXPECT_EQ(hide.appearance.style, overlay::HideStyle::solid);
  EXPECT_EQ(hide.appearance.shape, overlay::MaskShape::box);
  EXPECT_EQ(hide.appearance.color, overlay::Rgb{});
  EXPECT_EQ(hide.appearance.grow, 0.25);
  EXPECT_EQ(run.detector.score_threshold, detector::kOnlyWeakOnes);
  EXPECT_EQ(run.detector.weak_score, track::TrackerOptions{}.suggest_score);
  EXPECT_THAT(hide.kept_tags, testing::IsEmpty());
  EXPECT_FALSE(parse_run({"run", "a.mp4"}).job.hide);
}

TEST(Options, Hiding) {
  const RunOptions run = parse_run({"hide", "a.mp4", "--style", "solid:#102030", "--shape",
                                    "ellipse", "--keep-metadata", "title,location",
                                    "--lookahead-memory", "64", "--min-face", "12"});
  const pipeline::HideJob& hide = hide_of(run);
  EXPECT_EQ(hide.appearance.color, (overlay::Rgb{0x10 / 255.0, 0x20 / 255.0, 0x30 / 255.0}));
  EXPECT_EQ(hide.appearance.shape, overlay::MaskShape::ellipse);
  EXPECT_EQ(hide.appearance.grow, 0.35);
  EXPECT_THAT(hide.kept_tags, testing::ElementsAre("title", "location"));
  EXPECT_EQ(hide.most_bytes, std::int64_t{64} << 20);
  EXPECT_EQ(run.job.search.min_face, 12);
  EXPECT_EQ(
      hide_of(parse_run({"hide", "a.mp4", "--shape", "ellipse", "--grow", "0.1"})).appearance.grow,
      0.1);
  EXPECT_EQ(hide_of(parse_run({"hide", "a.mp4", "--style", "mosaic"})).appearance.style,
            overlay::HideStyle::mosaic);
}

TEST(Options, HidingRefusesWhatMakesNoSense) {
  struct Case {
    Arguments arguments;
    const char* reason;
  };
  const std::vector<Case> cases{
      {{"--no-video"}, "--no-video: hide always makes a video"},
      {{"--style", "pixels"}, "--style"},
      {{"--style", "image:no-such.png"}, "no-such.png"},
      {{"--grow", "5"}, "--grow"},
      {{"--grow", "-1"}, "--grow"},
      {{"--shape", "circle"}, "--shape"},
      {{"--lookahead-memory", "0"}, "--lookahead-memory"},
      {{"--draw", "boxes"}, "--draw: unknown option"},
      {{"--score", "0.5"}, "--score: unknown option"},
  };
  for (const Case& c : cases) {
    Arguments arguments{"hide", "a.mp4"};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    try {
      (void)parse_command(arguments);
      ADD_FAILURE() << c.reason;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(c.reason));
    }
  }
}

TEST(Options, DoctorTakesAModel) {
  EXPECT_EQ(std::get<DoctorOptions>(parse_command({"doctor"})).model, "");
  EXPECT_EQ(std::get<DoctorOptions>(parse_command({"doctor", "--model", "m.onnx"})).model,
            "m.onnx");
}

TEST(Options, TheCardOfAModel) {
  EXPECT_EQ(run_options({"--card", "c.json"}).detector.card, "c.json");
  EXPECT_EQ(std::get<DoctorOptions>(parse_command({"doctor", "--card", "c.json"})).card, "c.json");
  EXPECT_EQ(std::get<CalibrateOptions>(parse_command({"calibrate", "a.jpg", "--card", "c"})).card,
            "c");
  EXPECT_EQ(
      std::get<VerifyOptions>(parse_command({"verify", "a", "b", "--card", "c"})).detector.card,
      "c");
}

TEST(Options, WhatTheUserNamesIsNotLeftToTheCard) {
  const RunOptions open = run_options({});
  EXPECT_TRUE(open.left_to_card.iou);
  EXPECT_TRUE(open.left_to_card.score);
  EXPECT_TRUE(open.left_to_card.soft_min_score);
  EXPECT_EQ(open.detector.card_score, CardScore::taken);
  const RunOptions named = run_options({"--score", "0.5", "--iou", "0.3"});
  EXPECT_FALSE(named.left_to_card.iou);
  EXPECT_FALSE(named.left_to_card.score);
  EXPECT_FALSE(named.left_to_card.soft_min_score);
  EXPECT_EQ(named.detector.card_score, CardScore::ignored);
  EXPECT_FALSE(run_options({"--nms-min-score", "0.1"}).left_to_card.soft_min_score);
  // Tracks need all detections of a low score, even if the card calls only others faces.
  for (const Arguments& following : {Arguments{"--draw", "ids"}, Arguments{"--every", "2"}}) {
    const RunOptions followed = run_options(following);
    EXPECT_TRUE(followed.left_to_card.score);
    EXPECT_EQ(followed.detector.card_score, CardScore::taken);
    EXPECT_TRUE(followed.detector.weak_score);
  }
  EXPECT_EQ(run_options({"--every", "2", "--score", "0.5"}).detector.card_score,
            CardScore::ignored);
}

TEST(Options, Looks) {
  EXPECT_EQ(run_options({}).detector.looks, std::nullopt);
  EXPECT_EQ(run_options({"--looks", "1"}).detector.looks, (detector::Looks{{1}, false}));
  EXPECT_EQ(run_options({"--looks", "1,0.5,flip"}).detector.looks,
            (detector::Looks{{1, 0.5F}, true}));
  EXPECT_EQ(run_options({"--looks=flip,1.5"}).detector.looks, (detector::Looks{{1.5F}, true}));
  const auto hide = [](Arguments more) {
    more.insert(more.begin(), {"hide", "clip.mp4", "--careful"});
    return detector::looks_of(std::get<RunOptions>(parse_command(more)).detector);
  };
  EXPECT_EQ(hide({"--looks", "1,0.5"}), (detector::Looks{{1, 0.5F}, true, true}));
  EXPECT_EQ(hide({}), (detector::Looks{{1}, true, true}));
  EXPECT_EQ(hide({"--detect-size", "320x240"}), (detector::Looks{{1}, true, false}));
  struct Case {
    const char* given;
    const char* reason;
  };
  for (const Case& c :
       {Case{"flip", "--looks: 'flip' is not a list with a scale"},
        {"1,flop", "--looks: 'flop'"},
        {"0", "--looks: '0'"},
        {"4.5", "--looks: '4.5'"},
        {"nan", "--looks: 'nan'"},
        {"1,1", "--looks: '1' is not another look"},
        {"1,flip,flip", "--looks: 'flip' is not another look"},
        {"1,2,3,4,0.5", "--looks: '1,2,3,4,0.5' is not a list of 4 scales at most"}})
    expect_error(ErrorKind::usage, c.reason, [&] { (void)run_options({"--looks", c.given}); });
}

TEST(Options, ModelCheck) {
  const auto options = std::get<ModelCheckOptions>(
      parse_command({"model",     "check",       "m.onnx",       "--card",    "c.json",
                     "--picture", "p.jpg",       "-o",           "out.jpg",   "--draft",
                     "-",         "--overwrite", "--timed-size", "320x192",   "--detect-size",
                     "640x640",   "--score",     "0.25",         "--threads", "1"}));
  EXPECT_EQ(options.detector.model, "m.onnx");
  EXPECT_EQ(options.detector.card, "c.json");
  EXPECT_EQ(options.detector.detect_size, (Size{640, 640}));
  EXPECT_EQ(options.detector.score_threshold, 0.25F);
  EXPECT_EQ(options.detector.card_score, CardScore::ignored);
  EXPECT_EQ(options.detector.threads, 1);
  EXPECT_EQ(options.picture, "p.jpg");
  EXPECT_EQ(options.images, "");
  EXPECT_EQ(options.output, "out.jpg");
  EXPECT_EQ(options.draft, "-");
  EXPECT_TRUE(options.overwrite);
  EXPECT_EQ(options.timed_size, (Size{320, 192}));
  const auto plain =
      std::get<ModelCheckOptions>(parse_command({"model", "check", "--", "-m.onnx"}));
  EXPECT_EQ(plain.detector.model, "-m.onnx");
  EXPECT_EQ(plain.detector.card_score, CardScore::taken);
  EXPECT_EQ(plain.timed_size, (Size{640, 384}));
  EXPECT_FALSE(plain.overwrite);
  EXPECT_EQ(
      std::get<ModelCheckOptions>(parse_command({"model", "check", "m", "--images", "labelled"}))
          .images,
      "labelled");
}

TEST(Options, CalibrateTakesPicturesAndAModel) {
  const auto options = std::get<CalibrateOptions>(
      parse_command({"calibrate", "a.jpg", "--model", "m.onnx", "-o", "r.json", "--overwrite",
                     "--threads", "2", "-q", "--", "-b.jpg"}));
  EXPECT_THAT(options.pictures, ElementsAre("a.jpg", "-b.jpg"));
  EXPECT_EQ(options.model, "m.onnx");
  EXPECT_EQ(options.output, "r.json");
  EXPECT_EQ(options.threads, 2);
  EXPECT_TRUE(options.overwrite && options.quiet);
  const auto plain = std::get<CalibrateOptions>(parse_command({"calibrate", "a.jpg"}));
  EXPECT_TRUE(plain.model.empty() && plain.output.empty() && plain.threads == 0);
  EXPECT_FALSE(plain.overwrite || plain.quiet);
}

TEST(Options, RefusesWhatMakesNoSense) {
  struct Case {
    Arguments arguments;
    const char* reason;
  };
  const std::vector<Case> cases{
      {{"--score", "1.5"}, "--score: '1.5' is not a number from 0 to 1"},
      {{"--score", "nan"}, "--score"},
      {{"--iou", "-0.1"}, "--iou"},
      {{"--nms-rule", "best"},
       "--nms-rule: 'best' is not one of greedy, fast, soft, matrix, opencv-groups"},
      {{"--nms-overlap", "area"}, "--nms-overlap"},
      {{"--nms-sigma", "0"}, "--nms-sigma"},
      {{"--nms-k", "0"}, "--nms-k"},
      {{"--nms-d-max", "16385"}, "--nms-d-max"},
      {{"--nms-rule", "soft", "--nms-overlap", "diou"}, "--nms-rule soft: "},
      {{"--nms-rule", "soft", "--nms-voting"}, "--nms-rule soft: "},
      {{"--nms-rule", "matrix", "--nms-k", "3"}, "--nms-rule matrix: "},
      {{"--nms-neighbours", "0"}, "--nms-neighbours"},
      {{"--nms-neighbours", "1001"}, "--nms-neighbours"},
      {{"--nms-rule", "opencv-groups", "--nms-voting"}, "--nms-rule opencv-groups: "},
      {{"--nms-rule", "opencv-groups", "--nms-overlap", "diou"}, "--nms-rule opencv-groups: "},
      {{"--nms-squares"}, "--nms-rule greedy: "},
      {{"--min-face", "-1"}, "--min-face"},
      {{"--min-face", "50", "--max-face", "40"}, "--max-face must not be less"},
      {{"--detect-size", "640"}, "--detect-size"},
      {{"--start", "later"}, "--start"},
      {{"--start", "5", "--end", "5"}, "--end must be later than --start"},
      {{"--end", "0"}, "--end must be later than --start"},
      {{"--frames-in-flight", "0"}, "--frames-in-flight"},
      {{"--threads", "-1"}, "--threads"},
      {{"--every", "0"}, "--every: '0'"},
      {{"--every", "17"}, "--every: '17'"},
      {{"--every", "1.5"}, "--every: '1.5'"},
      {{"--crf", "64"}, "--crf"},
      {{"--codec", ""}, "--codec"},
      {{"--output", ""}, "--output"},
      {{"--format", ""}, "--format"},
      {{"-o", "-", "--progress", "json"}, "--output - and --progress json exclude each other"},
      {{"-o", "-", "--detections", "-"}, "--output - and --detections - exclude each other"},
      {{"--detections", "-", "--progress", "json"},
       "--detections - and --progress json exclude each other"},
      {{"--device", "gpu"}, "--device"},
      {{"--devices", "0,0"}, "--devices 0,0: expected all"},
      {{"--devices", "all", "--device", "cuda:1"}, "--device and --devices exclude each other"},
      {{"--decoder", "nvdec"}, "--decoder: 'nvdec' is not one of auto, cuda, cpu"},
      {{"--engine", "tensorrt"},
       "--engine: 'tensorrt' is not one of auto, acf, cascade, opencv, openvino, cuda, cuda-plain"},
      {{"--precision", "int8"}, "--precision"},
      {{"--draw", "boxes,hats"}, "--draw: 'hats'"},
      {{"--encoder-option", "tune"}, "--encoder-option"},
      {{"--on-size-change", "crop"}, "--on-size-change"},
      {{"--detections", "d.txt"}, "is not a file that ends in .jsonl or .csv"},
      {{"--latency", "-"}, "--latency"},
      {{"--latency", "l.json"}, "is not a file that ends in .csv"},
      {{"--report", "r"}, "is not a file that ends in .json"},
      {{"--progress", "dots"}, "--progress"},
      {{"--log-level", "loud"}, "--log-level"},
      {{"--overwrite", "--skip-existing"}, "exclude each other"},
      {{"--no-video", "-o", "out.mp4"}, "exclude each other"},
      {{"--verbose", "-q"}, "--quiet excludes --verbose"},
      {{"--no-video", "--skip-existing"}, "needs --detections or --latency"},
      {{"--score", "0.1", "--score", "0.2"}, "--score"},
      {{"--bogus"}, "--bogus"},
      {{"--config", ""}, "--config"},
      {{"--config"}, "--config"},
  };
  for (const Case& c : cases)
    expect_error(ErrorKind::usage, c.reason, [&] { (void)run_options(c.arguments); });
}

RunOptions options_of(const char* command, Arguments arguments) {
  arguments.insert(arguments.begin(), {command, "clip.mp4"});
  return std::get<RunOptions>(parse_command(arguments));
}

TEST(Options, WhereFramesAreLeftOutWeakerFacesAreAskedFor) {
  const RunOptions run = run_options({"--every", "3", "--score", "0.4"});
  EXPECT_EQ(run.job.search.every, 3);
  EXPECT_EQ(run.job.search.face_score, 0.4F);
  EXPECT_EQ(run.detector.score_threshold, 0.4F);
  EXPECT_EQ(run.detector.weak_score, pipeline::kWeakFace);
  EXPECT_FALSE(run.job.follow);
  EXPECT_TRUE(run.files.face_fields.tracked);
  EXPECT_FALSE(run.files.face_fields.track);
  const RunOptions ids = run_options({"--every", "2", "--draw", "ids"});
  EXPECT_TRUE(ids.job.follow);
  EXPECT_LT(ids.detector.weak_score, pipeline::kWeakFace);
  const RunOptions without = run_options({"--every", "1"});
  EXPECT_FALSE(without.job.search.face_score);
  EXPECT_FALSE(without.files.face_fields.tracked);
}

TEST(Options, HidingLeavesFramesOutByNameAlone) {
  EXPECT_EQ(options_of("hide", {}).job.search.every, 1);
  const RunOptions hide = options_of("hide", {"--every", "2"});
  EXPECT_EQ(hide.job.search.every, 2);
  EXPECT_FALSE(hide.job.search.face_score);
  EXPECT_EQ(hide.detector.weak_score, options_of("hide", {}).detector.weak_score);
  EXPECT_TRUE(options_of("detect", {"--every", "2"}).files.face_fields.tracked);
  expect_error(ErrorKind::usage, "excludes --every", [] {
    (void)options_of("hide", {"--every", "2", "--careful"});
  });
  expect_error(ErrorKind::usage, "--every", [] {
    (void)options_of("hide", {"--every", "2", "--tracks", "t.json"});
  });
}

TEST(Options, HideAndDetectFollowFaces) {
  const RunOptions run = run_options({});
  EXPECT_FALSE(run.job.hide);
  EXPECT_FALSE(run.files.face_fields.track);
  const RunOptions hide = options_of("hide", {"--tracks", "t.json"});
  EXPECT_TRUE(hide.video);
  EXPECT_EQ(hide.files.known_tracks, "t.json");
  EXPECT_FALSE(hide.job.hide->wants_tracks);
  EXPECT_LT(hide.detector.weak_score, 0.05F);
  const RunOptions detect = options_of("detect", {"--write-tracks", "t.json"});
  EXPECT_FALSE(detect.video);
  EXPECT_EQ(detect.files.tracks, "t.json");
  EXPECT_TRUE(detect.files.face_fields.track);
  EXPECT_TRUE(detect.job.hide->wants_tracks);
  EXPECT_EQ(detect.detector.weak_score, hide.detector.weak_score);
}

TEST(Options, CareAndRegions) {
  const pipeline::HideJob plain = *options_of("hide", {}).job.hide;
  EXPECT_EQ(plain.appearance.grow, 0.25);
  EXPECT_EQ(plain.tracks.look_ahead_s, 0.5);
  const pipeline::HideJob careful = *options_of("hide", {"--careful"}).job.hide;
  EXPECT_EQ(careful.tracks.gap_s, 1);
  EXPECT_LT(careful.tracks.sure_score, plain.tracks.sure_score);
  EXPECT_FALSE(options_of("hide", {}).detector.mirrored_too);
  EXPECT_TRUE(options_of("hide", {"--careful"}).detector.mirrored_too);
  EXPECT_EQ(options_of("hide", {"--careful", "--grow", "0.1"}).job.hide->appearance.grow, 0.1);
  EXPECT_TRUE(options_of("detect", {"--careful"}).detector.mirrored_too);
  EXPECT_TRUE(options_of("hide", {"--two-pass"}).two_pass);
  const pipeline::Regions regions =
      options_of("hide", {"--region", "a=0,0,9,9", "--region", "b=1,2,3,4@5-", "--keep-region",
                          "c=5,6,7,8", "--hide-all", "-2", "--hide-all", "1:00-1:30"})
          .job.hide->regions;
  ASSERT_EQ(regions.hidden.size(), 2U);
  EXPECT_EQ(regions.hidden[1].name, "b");
  EXPECT_EQ(regions.hidden[1].when.from_s, 5);
  ASSERT_EQ(regions.kept.size(), 1U);
  EXPECT_EQ(regions.kept[0].box, (Box{5, 6, 12, 14}));
  ASSERT_EQ(regions.all_hidden.size(), 2U);
  EXPECT_EQ(regions.all_hidden[0].to_s, 2);
  EXPECT_EQ(regions.all_hidden[1].from_s, 60);
}

TEST(Options, RefusesWhatHidesOrDetectsNothing) {
  struct Case {
    const char* command;
    Arguments arguments;
    const char* reason;
  };
  const std::vector<Case> cases{
      {"hide", {"--no-video"}, "--no-video"},
      {"hide",
       {"--tracks", "a.json", "--write-tracks", "b.json"},
       "--write-tracks excludes --tracks"},
      {"hide", {"--tracks", "a.json", "--detections", "d.csv"}, "--detections excludes --tracks"},
      {"hide", {"--tracks", "a.json", "--min-face", "20"}, "--min-face excludes --tracks"},
      {"hide", {"--tracks", "a.json", "--model", "m.onnx"}, "--model excludes --tracks"},
      {"hide", {"--tracks", "a.json", "--allow-references"}, "excludes --allow-references"},
      {"hide", {"--tracks", "a.json", "--careful"}, "--careful excludes --tracks"},
      {"hide", {"--tracks", "a.json", "--two-pass"}, "--two-pass excludes --tracks"},
      {"hide", {"--region", "door"}, "--region: 'door' is not NAME=VALUE"},
      {"hide", {"--keep-region", "tv=1,2,3"}, "--keep-region: 'tv=1,2,3' is not NAME=x,y,w,h"},
      {"hide", {"--hide-all", "5-4"}, "--hide-all: '5-4' is not FROM-TO"},
      {"detect", {"--two-pass"}, "--two-pass: unknown option"},
      {"hide", {"--tracks", ""}, "--tracks: '' is not a file"},
      {"hide", {"--write-tracks", "t.txt"}, "is not a file that ends in .json"},
      {"hide", {"--write-tracks", "t.json", "--start", "1"}, "excludes --start"},
      {"hide", {"--write-tracks", "t.json", "--skip-existing"}, "exclude each other"},
      {"detect", {"--write-tracks", "t.json", "--end", "1"}, "excludes --start and --end"},
      {"detect", {"--write-tracks", "t.json", "--allow-references"}, "playlist"},
      {"detect", {"--tracks", "t.json"}, "--tracks: unknown option"},
      {"detect", {"-o", "out.mp4"}, "-o: unknown option"},
      {"detect", {"--skip-existing"}, "needs --detections or --latency"},
      {"run", {"--write-tracks", "t.json"}, "--write-tracks: unknown option"},
  };
  for (const Case& c : cases)
    expect_error(ErrorKind::usage, c.reason, [&] { (void)options_of(c.command, c.arguments); });
}

TEST(Options, ReviewNamesItsFilesByTheInput) {
  const auto review = std::get<ReviewOptions>(parse_command({"review", "films/clip.mp4"}));
  EXPECT_EQ(review.input, "films/clip.mp4");
  EXPECT_EQ(review.tracks, "");
  EXPECT_EQ(review.edits, "films/clip.edits.json");
  EXPECT_EQ(review.detect.files.tracks, "films/clip.tracks.json");
  EXPECT_EQ(review.hide.files.known_tracks, review.edits);
  EXPECT_TRUE(review.opens_browser);
  EXPECT_FALSE(review.reviewer.empty());
  const auto other = std::get<ReviewOptions>(parse_command(
      {"review", "clip.mp4", "--edits", "out/a.json", "--reviewer", "Ada", "--no-open"}));
  EXPECT_EQ(other.edits, "out/a.json");
  EXPECT_EQ(other.detect.files.tracks, "out/a.tracks.json");
  EXPECT_EQ(other.reviewer, "Ada");
  EXPECT_FALSE(other.opens_browser);
}

TEST(Options, ReviewWritesItsPageIntoAFile) {
  const auto review = std::get<ReviewOptions>(
      parse_command({"review", "a.mp4", "--to", "page.html", "--overwrite"}));
  EXPECT_EQ(review.page, "page.html");
  EXPECT_EQ(review.hide.existing, ExistingOutput::overwrite);
  expect_error(ErrorKind::usage, ".html", [] {
    (void)parse_command({"review", "a.mp4", "--to", "page.pdf"});
  });
}

TEST(Options, ReviewSearchesHidesAndVerifiesAsItIsTold) {
  const auto review = std::get<ReviewOptions>(
      parse_command({"review", "a.mp4", "--every", "3", "--min-face", "20", "--shape", "ellipse",
                     "-o", "b.mkv", "--overwrite", "--crf", "30", "--model", "m.onnx", "--model",
                     "n.onnx", "--max-pixels", "5000"}));
  EXPECT_FALSE(review.detect.video);
  EXPECT_EQ(review.detect.output, "");
  EXPECT_EQ(review.detect.existing, ExistingOutput::refuse);
  EXPECT_EQ(review.detect.job.search.every, 3);
  EXPECT_EQ(review.detect.job.search.min_face, 20);
  EXPECT_EQ(review.detect.detector.model, "m.onnx");
  EXPECT_EQ(review.hide.output, "b.mkv");
  EXPECT_EQ(review.hide.existing, ExistingOutput::overwrite);
  EXPECT_EQ(review.hide.job.hide->appearance.shape, overlay::MaskShape::ellipse);
  EXPECT_EQ(review.hide.job.output.encoder.crf, 30);
  EXPECT_EQ(review.hide.job.search.every, 1);  // nothing is searched
  EXPECT_EQ(review.hide.job.search.min_face, 0);
  EXPECT_EQ(review.verify.detector.model, "m.onnx");
  const std::vector<std::filesystem::path> more{"n.onnx"};
  EXPECT_EQ(review.detect.detector.more_models, more);
  EXPECT_EQ(review.verify.detector.more_models, more);
  EXPECT_EQ(review.verify.max_pixels, 5000);
}

TEST(Options, RefusesCommandLinesWithoutACommandOrInput) {
  for (const Arguments& arguments : {Arguments{"run"},
                                     {"run", "--"},
                                     {"clip.mp4"},
                                     {"calibrate"},
                                     {"calibrate", "--"},
                                     {"review"},
                                     {"review", "a.mp4", "b.mp4"},
                                     {"review", "a.mp4", "--", "b.mp4"},
                                     {"review", "-"},
                                     {"review", "a.mp4", "-o", "-"},
                                     {"review", "a.mp4", "--tracks", "t.json", "--every", "2"},
                                     {"review", "a.mp4", "--tracks", "t.json", "--edits", "t.json"},
                                     {"doctor", "clip.mp4"},
                                     {"doctor", "--", "clip.mp4"},
                                     {"model"},
                                     {"model", "m.onnx"},
                                     {"model", "check"},
                                     {"model", "check", "a.onnx", "b.onnx"},
                                     {"model", "check", "a.onnx", "--", "b.onnx"},
                                     {"model", "check", "a.onnx", "-o", "out.jpg"},
                                     {"walk", "clip.mp4"}})
    expect_error(ErrorKind::usage, "", [&] { (void)parse_command(arguments); });
}

TEST(Options, UnknownOptionsAreAnsweredWithTheNearest) {
  struct Case {
    Arguments arguments;
    const char* reason;
  };
  const std::vector<Case> cases{
      {{"run", "a.mp4", "--scor", "0.5"}, "--scor: unknown option; did you mean --score?"},
      {{"run", "--scor"}, "--scor: unknown option; did you mean --score?"},
      {{"run", "a.mp4", "--scor=0.5"}, "--scor=0.5: unknown option; did you mean --score?"},
      {{"run", "a.mp4", "-score", "1"}, "-score: unknown option; did you mean --score?"},
      {{"run", "a.mp4", "--confg", "f"}, "--confg: unknown option; did you mean --config?"},
      {{"run", "a.mp4", "-z"}, "-z: unknown option; facepipe run --help lists them"},
      {{"doctor", "--modle", "m"}, "--modle: unknown option; did you mean --model?"},
      {{"doctor", "--score", "1"}, "--score: unknown option; facepipe doctor --help lists them"},
      {{"--score=1", "run", "a.mp4"}, "--score=1: must stand after run, not before it"},
      {{"-q", "run", "a.mp4"}, "-q: must stand after run, not before it"},
      {{"--score", "1", "a.mp4"},
       "--score: unknown option; the commands are run, hide, detect, plan run, plan hide, "
       "split run, split hide, part, join, review, verify, "
       "calibrate, model check, doctor, help and completion"},
      {{"clip.mp4", "-q"},
       "clip.mp4: unknown command; the commands are run, hide, detect, plan run, plan hide, "
       "split run, split hide, part, join, review, verify, "
       "calibrate, model check, doctor, help and completion"},
      {{"-v"}, "-v: unknown option; did you mean --version?"},
      {{"--halp"}, "--halp: unknown option; did you mean --help?"},
      {{"model", "check", "m.onnx", "--confg", "f"},
       "--confg: unknown option; did you mean --config?"},
      {{"model", "check", "m.onnx", "--pictur", "p.jpg"},
       "--pictur: unknown option; did you mean --picture?"},
      {{"model", "check", "m.onnx", "--iou", "1"},
       "--iou: unknown option; facepipe model check --help lists them"},
      {{"model", "--draft=a", "check", "m.onnx"},
       "--draft=a: must stand after model check, not before it"},
  };
  for (const Case& c : cases)
    expect_error(ErrorKind::usage, c.reason, [&] { (void)parse_command(c.arguments); });
}

TEST(Options, UnknownCommandsAreAnsweredWithTheNearest) {
  struct Case {
    Arguments arguments;
    const char* reason;
  };
  const std::vector<Case> cases{
      {{"hidee", "a.mp4"}, "hidee: unknown command; did you mean hide?"},
      {{"hidee"}, "hidee: unknown command; did you mean hide?"},
      {{"Run", "a.mp4"}, "Run: unknown command; did you mean run?"},
      {{"det", "a.mp4"}, "det: unknown command; did you mean detect?"},
      {{"modle", "check", "m.onnx"}, "modle: unknown command; did you mean model?"},
      {{"model", "chek", "m.onnx"}, "model chek: unknown command; did you mean model check?"},
      {{"model", "m.onnx"}, "model m.onnx: unknown command; the commands are run, "},
      {{"model"}, "model: the second word is missing; the commands are model check"},
      {{"plan"}, "plan: the second word is missing; the commands are plan run, plan hide"},
      {{"split"}, "split: the second word is missing; the commands are split run, split hide"},
      {{"split", "hide", "a.mp4", "--two-pass"}, "--two-pass"},
      {{"hide", "a.mp4", "--parts", "2", "--two-pass"},
       "--parts and --two-pass exclude each other"},
      {{"hide", "a.mp4", "--parts", "2", "--start", "1"}, "--parts and --start exclude each other"},
      {{"plan", "rnu", "a.mp4"}, "plan rnu: unknown command; did you mean plan run?"},
      {{"plan", "verify"}, "plan verify: unknown command; "},
      {{"help", "hidee"}, "hidee: unknown command; did you mean hide?"},
      {{"help", "model", "chek"}, "model chek: unknown command; did you mean model check?"},
      {{"help", "--man", "verfy"}, "verfy: unknown command; did you mean verify?"},
      {{"completion", "bsh"}, "SHELL: 'bsh' is not one of bash, zsh, fish; did you mean bash?"},
  };
  for (const Case& c : cases)
    expect_error(ErrorKind::usage, c.reason, [&] { (void)parse_command(c.arguments); });
}

TEST(Options, WrongValuesAreAnsweredWithTheNearest) {
  struct Case {
    Arguments arguments;
    const char* meant;
  };
  const std::vector<Case> cases{
      {{"run", "a.mp4", "--draw", "box"}, "ids; did you mean boxes?"},
      {{"run", "a.mp4", "--draw", "boxes,score"}, "ids; did you mean scores?"},
      {{"run", "a.mp4", "--nms-rule", "greddy"}, "opencv-groups; did you mean greedy?"},
      {{"run", "a.mp4", "--engine", "openvio"}, "cuda-plain; did you mean openvino?"},
      {{"run", "a.mp4", "--progress", "JSON"}, "is not one of auto, json, none"},
      {{"hide", "a.mp4", "--style", "mosiac"}, "image:FILE; did you mean mosaic?"},
      {{"hide", "a.mp4", "--style", "solid:blak"}, "purple; did you mean black?"},
      {{"hide", "a.mp4", "--shape", "elipse"}, "ellipse; did you mean ellipse?"},
  };
  for (const Case& c : cases)
    expect_error(ErrorKind::usage, c.meant, [&] { (void)parse_command(c.arguments); });
}

/// Counts the options in the help of `run`. Expects that the help states the default of each.
int count_of_options(const std::string& help) {
  int options = 0;
  const std::size_t first = help.find("Input and output:");
  std::istringstream lines(help.substr(first, help.find("General:") - first));
  std::string option;
  const auto check = [&] {
    if (!option.starts_with("  -")) return;
    EXPECT_THAT(option, HasSubstr("default: "));
    ++options;
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  -")) {
      check();
      option.clear();
    }
    option += line;
  }
  check();
  return options;
}

/// Returns the words of `text`, each behind one blank.
std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += ' ' + word;
  return line;
}

TEST(Options, HelpTellsEveryDefault) {
  const std::string help = shown({"run", "--help"});
  EXPECT_EQ(count_of_options(help), 52) << help;
  EXPECT_THAT(in_one_line(help), HasSubstr("(default: the score of the model's card, else 0.5)"));
  EXPECT_THAT(in_one_line(help), HasSubstr("(0 to 1024; default: 0)"));
  EXPECT_THAT(in_one_line(help), HasSubstr("(default: off; excludes --quiet)"));
  EXPECT_THAT(help, HasSubstr("--config FILE "));
  EXPECT_THAT(help, HasSubstr("--help-all "));
}

TEST(Options, HelpAllTellsThoseForExperimentsToo) {
  const std::string help = shown({"run", "--help"});
  const std::string all = shown({"run", "--help-all"});
  EXPECT_EQ(count_of_options(all), 60) << all;
  for (const char* option :
       {"--nms-decay ", "--nms-sigma ", "--nms-min-score ", "--nms-d-max ", "--nms-k ",
        "--nms-squares ", "--nms-plus-one ", "--nms-neighbours "}) {
    EXPECT_THAT(all, HasSubstr(option));
    EXPECT_THAT(help, testing::Not(HasSubstr(option)));
  }
  for (const char* command : {"run", "doctor"})
    EXPECT_THAT(shown({"--help-all"}), HasSubstr(command));
}

TEST(Options, HelpListsExitCodes) {
  for (const Arguments& arguments : {Arguments{"--help"}, {"run", "--help"}, {"doctor", "-h"}})
    for (const char* code :
         {"\n  0 ", "\n  1 ", "\n  2 ", "\n  3 ", "\n  4 ", "\n  5 ", "\n  6 ", "\n  130 "})
      EXPECT_THAT(shown(arguments), HasSubstr(code));
}

TEST(Options, VersionIsOneLine) {
  EXPECT_THAT(shown({"--version"}), testing::MatchesRegex("facepipe [0-9.]+\n"));
}

}  // namespace
}  // namespace facepipe::app
