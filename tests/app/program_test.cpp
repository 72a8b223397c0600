// These tests check what the program does without decoding: help, refusals, exit codes, doctor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using test::Arguments;
using test::CommandResult;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

CommandResult facepipe(const Arguments& arguments) { return test::run_program(arguments); }

/// Expects that the program ends with `code` and one line on stderr that contains `reason`.
void expect_refusal(int code, const std::string& reason, const Arguments& arguments) {
  const CommandResult result = facepipe(arguments);
  test::expect_refused(result, code, reason);
  EXPECT_THAT(result.err, StartsWith("facepipe: error: "));
  EXPECT_EQ(result.out, "");
}

TEST(Program, HelpAndVersionGoToStdout) {
  for (const Arguments& arguments : {Arguments{"--help"},
                                     {"run", "--help"},
                                     {"hide", "--help"},
                                     {"detect", "--help"},
                                     {"review", "--help"},
                                     {"verify", "--help"},
                                     {"calibrate", "--help"},
                                     {"model", "--help"},
                                     {"model", "check", "--help"},
                                     {"doctor", "--help"},
                                     {"help"},
                                     {"help", "hide"},
                                     {"help", "completion"}}) {
    const CommandResult result = facepipe(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, HasSubstr("Exit codes:"));
  }
  EXPECT_THAT(facepipe({"--version"}).out, StartsWith("facepipe "));
}

TEST(Program, WithoutACommandPrintsAShortHelpAndIsTwo) {
  const CommandResult result = facepipe({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("\n  facepipe COMMAND [OPTIONS] [ARGUMENTS]\n"));
  EXPECT_EQ(result.err.find('\033'), std::string::npos);
}

TEST(Program, UsageErrorsAreTwo) {
  const TemporaryFolder dir;
  const std::string a = dir.write("a.mp4");
  const std::string b = dir.write("b.mp4");
  expect_refusal(2, "hidee: unknown command; did you mean hide?", {"hidee", a});
  expect_refusal(
      2, "--draw: 'box' is not one of boxes, scores, landmarks, count, ids; did you mean boxes?",
      {"run", a, "--draw", "box"});
  expect_refusal(2, "INPUT", {"run"});
  expect_refusal(2, "--score: '2'", {"run", a, "--score", "2"});
  expect_refusal(2, "--bogus: unknown option; facepipe run --help", {"run", a, "--bogus"});
  expect_refusal(2, "--scor: unknown option; did you mean --score?", {"run", "--scor", "0.5", a});
  expect_refusal(2,
                 "frobnicate: unknown command; the commands are run, hide, detect, plan run, "
                 "plan hide, split run, split hide, part, join, review, verify, calibrate, model "
                 "check, doctor, "
                 "help and completion",
                 {"frobnicate"});
  expect_refusal(2, "several inputs", {"run", a, b, "-o", dir / "out.mp4"});
  expect_refusal(2, "is an input, but would also be the output", {"run", a, "-o", a});
  expect_refusal(2, "no.toml: can't be read", {"run", a, "--config", dir / "no.toml"});
}

TEST(Program, InputErrorsAreThree) {
  const TemporaryFolder dir;
  std::filesystem::create_directory(dir / "empty");
  const std::string text = dir.write("text.mp4", "this is not a video");
  const std::string nothing = dir.write("nothing.mp4", "");
  expect_refusal(3, "missing.mp4: no such file", {"run", dir / "missing.mp4"});
  expect_refusal(3, "empty: there is no video or image", {"run", dir / "empty"});
  expect_refusal(3, text, {"run", text});
  expect_refusal(3, nothing, {"run", nothing});
  EXPECT_THAT(dir.names(), ElementsAre("empty", "nothing.mp4", "text.mp4"));
}

TEST(Program, PicturesOverTheLimitAreThree) {
  const TemporaryFolder dir;
  const std::string picture = dir / "a.png";
  test::ffmpeg("-f lavfi -i color=s=160x120 -frames:v 1", picture);
  expect_refusal(3, picture + ": pictures of 160x120 have more than 19199 pixels (--max-pixels)",
                 {"run", picture, "--no-video", "--device", "cpu", "--max-pixels", "19199"});
  expect_refusal(2, "--max-pixels: '0'", {"run", picture, "--max-pixels", "0"});
  EXPECT_THAT(dir.names(), ElementsAre("a.png"));
}

// 24 megapixels in one run of the network would need 3.5 GB.
TEST(Program, LargePicturesPassInLittleMemoryAndTellOfTiles) {
  const TemporaryFolder dir;
  const std::string picture = dir / "large.png";
  const std::string report = dir / "report.json";
  test::ffmpeg("-f lavfi -i testsrc2=s=6000x4000 -frames:v 1", picture);
  constexpr const char* kLimit = "ulimit -v 2500000 && exec \"$0\" \"$@\"";  // KiB of address space
  const std::string model = FACEPIPE_SOURCE_DIR "/data/fetched/models/centerface.onnx";
  const CommandResult result = test::run_command(
      {"bash", "-c", kLimit, FACEPIPE_PROGRAM, "run", picture, "--no-video", "--report", report,
       "--device", "cpu", "--threads", "2", "--model", model});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("in 4 x 3 tiles of 1680x1504"));
  const nlohmann::json told = nlohmann::json::parse(test::read_file(report)).at(0);
  EXPECT_EQ(told["detection_tiles"], nlohmann::json({{"columns", 4},
                                                     {"rows", 3},
                                                     {"size", {1680, 1504}},
                                                     {"overlap", 224},
                                                     {"whole_at", {2508, 1672}}}));
}

TEST(Program, ModelErrorsAreFour) {
  const TemporaryFolder dir;
  const std::string clip = dir.write("clip.mp4");
  const std::string text = dir.write("model.onnx", "this is not a model");
  const Arguments base{"run", clip, "--no-video", "--model"};
  for (const std::string& model :
       std::vector<std::string>{dir / "missing.onnx", text, dir.path().string()})
    expect_refusal(4, model, test::joined(base, {model}));
  expect_refusal(4, "cuda:7", {"run", clip, "--no-video", "--device", "cuda:7"});
}

TEST(Program, OutputErrorsAreFive) {
  const TemporaryFolder dir;
  const std::string clip = dir.write("clip.mp4");
  const std::string out = dir.write("out.mp4", "before");
  expect_refusal(5, "out.mp4: exists already", {"run", clip, "-o", out});
  dir.write("00007.png");
  expect_refusal(5, "00007.png: exists already", {"run", clip, "-o", dir / "%05d.png"});
  expect_refusal(5, "no/d.jsonl: can't be written",
                 {"run", clip, "--no-video", "--detections", dir / "no/d.jsonl"});
  EXPECT_EQ(test::read_file(out), "before");
}

/// Runs the script in a shell: "$0" is the program, "$1" a folder.
CommandResult in_shell(const std::string& script, const TemporaryFolder& dir) {
  return test::run_command({"sh", "-c", script, FACEPIPE_PROGRAM, dir.path().string()});
}

TEST(Program, StandardOutputThatCannotBeWrittenIsFive) {
  const TemporaryFolder dir;
  for (const std::string arguments : {"--help", "run --help", "--version", "doctor"}) {
    const CommandResult result = in_shell("exec \"$0\" " + arguments + " > /dev/full", dir);
    EXPECT_EQ(result.exit_code, 5) << arguments;
    EXPECT_EQ(result.err,
              "facepipe: error: standard output: can't be written: No space left on device\n")
        << arguments;
  }
}

TEST(Program, AReaderThatWentAwayIsNoError) {
  const TemporaryFolder dir;
  const CommandResult result =
      in_shell("mkfifo \"$1/f\"; exec 3<>\"$1/f\" 4>\"$1/f\" 3<&-; exec \"$0\" --help >&4", dir);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
}

TEST(Program, D11APresetForVideosDoesNotCostTheStillsOfAFolder) {
  const TemporaryFolder folder;
  test::ffmpeg("-f lavfi -i testsrc2=s=64x64 -frames:v 1 -update 1", folder / "a.png");
  test::ffmpeg("-f lavfi -i testsrc2=s=64x64 -frames:v 1 -update 1", folder / "b.jpg");
  test::ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25 -frames:v 3 -c:v libx264", folder / "c.mp4");
  const CommandResult result = facepipe({"run", folder.path().string(), "--preset", "ultrafast",
                                         "--crf", "30", "--report", folder / "r.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("a.png: --preset has no effect: it is for encoders of videos"));
  EXPECT_THAT(result.err, HasSubstr("b.jpg: --crf has no effect"));
  EXPECT_THAT(folder.names(), testing::IsSupersetOf({"a_faces.png", "b_faces.jpg", "c_faces.mp4"}));
  const CommandResult named = facepipe(
      {"run", folder / "a.png", "--codec", "png", "--preset", "fast", "-o", folder / "n.png"});
  EXPECT_EQ(named.exit_code, 2) << "of an encoder that was named it is an error";
}

// The limit applies only to files, so the error message can go through a pipe.
TEST(Program, AFileSizeLimitIsAnOutputError) {
  const TemporaryFolder dir;
  const CommandResult result = in_shell(
      "{ (ulimit -f 0; exec \"$0\" --help > \"$1/help\") 2>&1; echo \"exit $?\"; } | cat", dir);
  EXPECT_EQ(result.out,
            "facepipe: error: standard output: can't be written: File too large\nexit 5\n");
}

TEST(Program, CalibratesAModelThatI8ThenTakes) {
  if (!std::regex_search(facepipe({"doctor"}).out, std::regex("openvino i8 +works")))
    GTEST_SKIP() << "no int8 on this processor";
  const TemporaryFolder dir;
  const std::string picture = dir / "wide.png";
  test::ffmpeg("-f lavfi -i testsrc2=s=640x16 -frames:v 1", picture);
  // With a doc_string (field 6 of ModelProto), the network is the same, but the program doesn't
  // know the file.
  const std::string model = dir.write(
      "m.onnx", test::read_file(FACEPIPE_SOURCE_DIR "/data/fetched/models/centerface.onnx") +
                    std::string("\x32\x01x"));
  const Arguments run{"run",      picture, "--no-video",  "--model", model,
                      "--device", "cpu",   "--precision", "i8"};
  const std::string ranges = model + ".i8.json";
  expect_refusal(4, "model " + model + ": there are no ranges for i8; 'facepipe calibrate --model",
                 run);
  EXPECT_EQ(facepipe({"calibrate", picture, "--model", model}).exit_code, 0);
  const CommandResult result = facepipe(run);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("ran on cpu, openvino i8, centerface"));
  EXPECT_THAT(result.err, HasSubstr("ranges for i8: " + ranges));
  expect_refusal(5, ranges, {"calibrate", picture, "--model", model});
  expect_refusal(2, "wide.png: is also an input",
                 {"calibrate", picture, "--model", model, "-o", picture, "--overwrite"});
  expect_refusal(2, "m.onnx: is also an input",
                 {"calibrate", picture, "--model", model, "-o", model, "--overwrite"});
  dir.write("m.onnx.i8.json", "{}");
  expect_refusal(4, "i8 ranges " + ranges + ": the file lacks \"format\"", run);
  expect_refusal(3, "none.png", {"calibrate", dir / "none.png", "--model", model, "--overwrite"});
  expect_refusal(2, "i8 works only with ONNX (CenterFace, YuNet, SCRFD, or YOLO)",
                 {"calibrate", picture, "--model", dir.write("c.xml", "<?xml version=\"1.0\"?>")});
  EXPECT_THAT(dir.names(), ElementsAre("c.xml", "m.onnx", "m.onnx.i8.json", "wide.png"));
}

TEST(Program, DoctorTellsWhatIsHere) {
  const CommandResult result = facepipe({"doctor"});
  for (const char* text : {"facepipe ", "FFmpeg ", "OpenCV ", "OpenVINO ", "cpu ", "cuda ",
                           "decoders\n", "encoders\n", "model\n", "engines on cpu"})
    EXPECT_THAT(result.out, HasSubstr(text));
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.err;
  const bool without_cuda = result.out.find("this build has no CUDA support") != std::string::npos;
  EXPECT_EQ(result.out.find("\ncuda\n  runtime ") == std::string::npos, without_cuda);
}

TEST(Program, DoctorIsFourWhereNothingWorks) {
  const CommandResult result = facepipe({"doctor", "--model", "/nonexistent/model.onnx"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.out, HasSubstr("no engine works here"));
}

}  // namespace
}  // namespace facepipe::app
