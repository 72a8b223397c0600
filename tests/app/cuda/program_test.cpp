// These tests run the real program on a CUDA device. They compare its detections and outputs with
// the CPU's, and check its messages and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry.h"
#include "tests/detector/cascade/files.h"
#include "tests/support/clips.h"
#include "tests/support/overlap.h"
#include "tests/support/small_exports.h"
#include "tests/support/small_yolo.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using test::overlap;

using nlohmann::json;
using test::CommandResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

constexpr int kFrames = 30;
const fs::path kPhoto = fs::path(FACEPIPE_SOURCE_DIR) / "data/fetched/demo/city.jpg";
const fs::path kModel = fs::path(FACEPIPE_SOURCE_DIR) / "data/fetched/models/centerface.onnx";

/// Makes a clip of `kFrames` pictures with a tone. It shows a moving part of the demo photo.
void make_clip(const fs::path& file, const std::string& encoder = "libx264",
               const std::string& pixels = "yuv420p", const std::string& size = "640x448") {
  test::ffmpeg("-i " + kPhoto.string() +
                   " -f lavfi -i sine=duration=1.2 -vf zoompan=z=1.25:x=2*on:y=0:d=" +
                   std::to_string(kFrames) + ":s=" + size + ":fps=25,format=" + pixels + " -c:v " +
                   encoder + " -c:a aac",
               file);
}

struct Face {
  Box box;
  double score = 0;
};
using Frames = std::vector<std::vector<Face>>;

Frames faces_of(const fs::path& file) {
  Frames frames;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const json frame = json::parse(line);
    std::vector<Face>& faces = frames.emplace_back();
    for (const json& face : frame["faces"]) {
      const std::vector<float> box = face["box"];
      faces.push_back({{box.at(0), box.at(1), box.at(2), box.at(3)}, face["score"]});
    }
  }
  return frames;
}

/// Holds how many faces of a run have scores above 0.5, and how many of these faces the other run
/// misses.
struct Comparison {
  int faces = 0;
  int missing = 0;
};

Comparison compare(const Frames& frames, const Frames& others, float iou = 0.9F) {
  Comparison result;
  for (std::size_t i = 0; i < frames.size(); ++i)
    for (const Face& face : frames[i]) {
      if (face.score <= 0.5) continue;
      ++result.faces;
      const bool found = std::any_of(others[i].begin(), others[i].end(), [&](const Face& other) {
        return overlap(face.box, other.box) >= iou;
      });
      if (!found) ++result.missing;
    }
  return result;
}

class ProgramOnCuda : public testing::Test {
 protected:
  ProgramOnCuda() { make_clip(clip_); }

  CommandResult run(Arguments arguments, const std::string& command = "run") {
    const Arguments head{FACEPIPE_PROGRAM, command};
    arguments.insert(arguments.begin(), head.begin(), head.end());
    const auto has = [&](const char* word) { return std::ranges::count(arguments, word) > 0; };
    if (!has("--tracks") && !has("--model")) arguments.insert(arguments.end(), {"--model", kModel});
    arguments.insert(arguments.end(), {"--report", report_, "--overwrite"});
    return test::run_command(arguments);
  }

  /// Runs the program and expects success. Returns the report's object for the only input.
  json run_well(const Arguments& arguments, const std::string& command = "run") {
    const CommandResult result = run(arguments, command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    json all = result.exit_code == 0 ? json::parse(std::ifstream(report_)) : json();
    return all.is_array() && all.size() == 1 ? all[0] : json::object();
  }

  void expect_refusal(int code, const std::string& reason, const Arguments& arguments) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_FALSE(fs::exists(out_));
  }

  Frames faces_on(const std::string& device, const Arguments& more = {}) {
    Arguments arguments{clip_,      "--no-video", "--score",      "0.3",
                        "--device", device,       "--detections", detections_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    run_well(arguments);
    return faces_of(detections_);
  }

  test::TemporaryFolder dir_;
  const fs::path clip_ = dir_ / "clip.mp4";
  const fs::path out_ = dir_ / "out.mp4";
  const fs::path report_ = dir_ / "report.json";
  const fs::path detections_ = dir_ / "faces.jsonl";
};

TEST_F(ProgramOnCuda, FindsTheFacesThatTheCpuFinds) {
  const Frames cuda = faces_on("cuda");
  const Frames cpu = faces_on("cpu", {"--precision", "f32"});
  ASSERT_EQ(cuda.size(), std::size_t{kFrames});
  ASSERT_EQ(cpu.size(), std::size_t{kFrames});
  for (const Comparison& result : {compare(cuda, cpu), compare(cpu, cuda)}) {
    EXPECT_GT(result.faces, 5 * kFrames);
    EXPECT_LE(result.missing, result.faces / 100);
  }
}

TEST_F(ProgramOnCuda, FindsTheSameFacesWithAKernelForEachOperator) {
  const Frames cuda = faces_on("cuda");
  const Frames plain = faces_on("cuda", {"--engine", "cuda-plain"});
  EXPECT_EQ(json::parse(std::ifstream(report_))[0]["engine"], "cuda-plain");
  ASSERT_EQ(cuda.size(), std::size_t{kFrames});
  ASSERT_EQ(plain.size(), std::size_t{kFrames});
  for (const Comparison& result : {compare(cuda, plain), compare(plain, cuda)}) {
    EXPECT_GT(result.faces, 5 * kFrames);
    EXPECT_LE(result.missing, result.faces / 100);
  }
}

TEST_F(ProgramOnCuda, FindsTheSameEachTimeWhoeverDecodes) {
  faces_on("cuda");
  const std::string first = test::read_file(detections_);
  for (const Arguments& more :
       {Arguments{}, Arguments{"--decoder", "cpu"}, Arguments{"--frames-in-flight", "1"},
        Arguments{"--frames-in-flight", "12"}}) {
    faces_on("cuda", more);
    EXPECT_EQ(test::read_file(detections_), first);
  }
}

TEST_F(ProgramOnCuda, WritesJpegsOfWhichOnlyBitstreamsLeaveTheDevice) {
  const json report = run_well({clip_, "--device", "cuda", "--codec", "mjpeg", "-o", out_});
  EXPECT_EQ(report["device"], "cuda:0");
  EXPECT_EQ(report["decoder"], "h264_nvdec");
  EXPECT_EQ(report["encoder"], "nvjpeg");
  EXPECT_EQ(report["copies"]["upload"]["calls"], 0);
  EXPECT_EQ(report["copies"]["download"]["calls"], 0);
  EXPECT_EQ(report["copies"]["bitstream"]["calls"], kFrames);
  EXPECT_EQ(report["copies"]["descriptor"]["calls"], kFrames);
  EXPECT_EQ(test::video_stamps(out_), test::video_stamps(clip_));
  const json probed = test::probe(out_);
  EXPECT_EQ(test::streams_of(probed, "video").at(0)["codec_name"], "mjpeg");
  EXPECT_EQ(test::streams_of(probed, "audio").size(), 1U);
}

TEST_F(ProgramOnCuda, MakesPicturesThatChangeSizeLikeTheFirst) {
  const auto stream = [this](const std::string& name, const std::string& size) {
    test::ffmpeg("-i " + clip_.string() + " -an -vf scale=" + size + " -c:v libx264 -bf 2",
                 dir_ / name);
    return (dir_ / name).string();
  };
  const std::string whole = stream("a.h264", "640:448");
  const std::string half = stream("b.h264", "322:226");
  const fs::path changing = dir_ / "changing.h264";
  test::ffmpeg("-f h264 -i concat:" + whole + "|" + half + "|" + whole + " -c copy", changing);
  const Arguments to_video{changing,  "--codec", "mjpeg",        "-o",        dir_ / "out.mkv",
                           "--score", "0.3",     "--detections", detections_, "--device"};
  const auto on = [&](const std::string& device) {
    Arguments arguments = to_video;
    arguments.push_back(device);
    const json report = run_well(arguments);
    EXPECT_EQ(report["frames"]["written"], 3 * kFrames);
    EXPECT_THAT(
        report["notices"].dump(),
        HasSubstr(
            "pictures change from 640x448 yuv420p to 322x226 yuv420p in the middle of the file; "
            "converted to be like the first"));
    return faces_of(detections_);
  };
  const Frames cpu = on("cpu");
  const Frames cuda = on("cuda");
  const json report = json::parse(std::ifstream(report_))[0];
  EXPECT_EQ(report["decoder"], "h264_nvdec");
  EXPECT_EQ(report["copies"]["upload"]["calls"], 0);
  EXPECT_EQ(report["copies"]["download"]["calls"], 0);
  ASSERT_EQ(cuda.size(), cpu.size());
  const Comparison result = compare(cuda, cpu);
  EXPECT_GT(result.faces, 10 * kFrames);
  EXPECT_LE(result.missing, result.faces / 50);
}

TEST_F(ProgramOnCuda, WritesH264AndSaysThatPicturesLeave) {
  const CommandResult result = run({clip_, "--device", "cuda", "--codec", "libx264", "-o", out_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("pictures are copied to the host for libx264"));
  EXPECT_EQ(test::video_stamps(out_), test::video_stamps(clip_));
  EXPECT_EQ(test::streams_of(test::probe(out_), "audio").size(), 1U);
  const json report = json::parse(std::ifstream(report_))[0];
  EXPECT_EQ(report["copies"]["download"]["bytes"], kFrames * 640 * 448 * 3 / 2);
}

TEST_F(ProgramOnCuda, DrawsWhatTheCpuDraws) {
  // NVDEC and the CPU's decoder must lead to the same pictures. The faces are drawn on the device
  // and encoded without loss.
  const Arguments lossless{"--codec", "libx264", "--encoder-option",
                           "qp=0",    "--draw",  "boxes,scores,landmarks,count",
                           "-o",      out_};
  const auto pictures = [&](const Arguments& more) {
    Arguments arguments{clip_, "--device", "cuda"};
    arguments.insert(arguments.end(), lossless.begin(), lossless.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    run_well(arguments);
    return test::decoded_pictures(out_);
  };
  const std::string drawn = pictures({});
  EXPECT_EQ(drawn.size(), std::size_t{kFrames} * 640 * 448 * 3 / 2);
  EXPECT_EQ(pictures({"--decoder", "cpu"}), drawn);
  EXPECT_NE(drawn, test::decoded_pictures(clip_));
}

/// Returns the mean luma in a box of a picture. Pictures have 640x448 pixels in 4:2:0.
double mean_luma(const std::string& pictures, std::size_t frame, const Box& box) {
  double sum = 0;
  int count = 0;
  for (int y = std::max(0, static_cast<int>(box.y1)); y < std::min(448, static_cast<int>(box.y2));
       ++y)
    for (int x = std::max(0, static_cast<int>(box.x1)); x < std::min(640, static_cast<int>(box.x2));
         ++x, ++count)
      sum += static_cast<unsigned char>(
          pictures[frame * 640 * 448 * 3 / 2 + static_cast<std::size_t>(y * 640 + x)]);
  return count == 0 ? 0 : sum / count;
}

/// These tests draw track numbers and other things (--draw), and encode without loss.
class DrawsIds : public ProgramOnCuda {
 protected:
  struct Drawn {
    json report;
    std::string pictures;
    std::string detections;
  };
  Drawn draw(const std::string& device, const Arguments& more) {
    Arguments arguments{
        clip_,  "--device",     device,      "--codec", "libx264", "--encoder-option",
        "qp=0", "--detections", detections_, "-o",      out_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const json report = run_well(arguments);
    EXPECT_THAT(report["device"].dump(), HasSubstr(device));
    return {report, test::decoded_pictures(out_), test::read_file(detections_)};
  }

  /// Returns the track numbers of the faces in each frame.
  [[nodiscard]] static std::vector<std::vector<int>> tracks_in(const std::string& detections) {
    std::vector<std::vector<int>> frames;
    std::istringstream lines(detections);
    for (std::string line; std::getline(lines, line);) {
      std::vector<int>& tracks = frames.emplace_back();
      const json frame = json::parse(line);
      for (const json& face : frame["faces"]) tracks.push_back(face.value("track", -1));
    }
    return frames;
  }
};

// On all devices, these models give the same results, and so does the motion estimation.
TEST_F(DrawsIds, AsTheCpuDoesBitForBitWithoutNetworks) {
  const std::string cascade = test::installed_cascade("frontalface_alt2");
  const std::string channels = std::string(FACEPIPE_SOURCE_DIR) + "/data/acf_face.json";
  for (const Arguments& wanted :
       {Arguments{"--model", cascade, "--draw", "boxes,scores,ids,count"},
        Arguments{"--model", channels, "--draw", "ids"},
        Arguments{"--model", channels, "--draw", "ids,scores", "--score", "0.02"},
        Arguments{"--model", channels, "--draw", "ids", "--nms-rule", "soft"}}) {
    SCOPED_TRACE(testing::PrintToString(wanted));
    const Drawn there = draw("cuda", wanted);
    const Drawn here = draw("cpu", wanted);
    EXPECT_GT(there.report["faces"], kFrames) << "or it tells nothing";
    EXPECT_EQ(there.detections, here.detections);
    EXPECT_TRUE(there.pictures == here.pictures);
    EXPECT_FALSE(there.pictures == test::decoded_pictures(clip_));
  }
}

TEST_F(DrawsIds, ThatDetectGivesItsTracks) {
  const Drawn drawn = draw("cuda", {"--draw", "boxes,ids"});
  const std::vector<std::vector<int>> ids = tracks_in(drawn.detections);
  run_well({clip_, "--device", "cuda", "--detections", detections_}, "detect");
  const std::vector<std::vector<int>> all = tracks_in(test::read_file(detections_));
  ASSERT_EQ(ids.size(), std::size_t{kFrames});
  ASSERT_EQ(all.size(), ids.size());
  int looked_at = 0;
  int refused = 0;
  for (std::size_t frame = 0; frame < ids.size(); ++frame)
    for (const int id : ids[frame]) {
      refused += std::ranges::find(all[frame], id) == all[frame].end() ? 1 : 0;
      ++looked_at;
    }
  EXPECT_GT(looked_at, 5 * kFrames);
  EXPECT_LT(refused, looked_at / 20) << "`detect` takes second looks, and drawing doesn't";
}

TEST_F(DrawsIds, AndChangesNothingElseThatIsFound) {
  const Frames without = faces_on("cuda");
  for (const Arguments& more :
       {Arguments{"--draw", "ids"}, {"--draw", "ids", "--decoder", "cpu"}}) {
    const Frames with = faces_on("cuda", more);
    ASSERT_EQ(with.size(), without.size());
    for (std::size_t frame = 0; frame < with.size(); ++frame) {
      ASSERT_EQ(with[frame].size(), without[frame].size()) << frame;
      for (std::size_t i = 0; i < with[frame].size(); ++i) {
        EXPECT_EQ(with[frame][i].box, without[frame][i].box) << frame;
        EXPECT_EQ(with[frame][i].score, without[frame][i].score) << frame;
      }
    }
  }
}

TEST_F(DrawsIds, AndNoPictureLeavesTheDevice) {
  const json report =
      run_well({clip_, "--device", "cuda", "--draw", "boxes,ids", "--codec", "mjpeg", "-o", out_});
  EXPECT_EQ(report["decoder"], "h264_nvdec");
  EXPECT_EQ(report["encoder"], "nvjpeg");
  EXPECT_EQ(report["copies"]["upload"]["calls"], 0);
  EXPECT_EQ(report["copies"]["download"]["calls"], 0);
  EXPECT_EQ(report["copies"]["waiting"]["calls"], 0) << "who takes a detection is known at once";
  EXPECT_EQ(report["copies"]["descriptor"]["calls"], kFrames);
  EXPECT_EQ(report["copies"]["drawing"]["calls"], kFrames);
  EXPECT_LT(report["copies"]["drawing"]["bytes"], kFrames * 640 * 448 * 3 / 2 / 100);
  EXPECT_GE(report["copies"]["motion"]["calls"], 2 * kFrames - 1);
  EXPECT_LT(report["copies"]["motion"]["bytes"], kFrames * 640 * 448 * 3 / 2 / 10);
  EXPECT_EQ(report["lanes"]["count"], 1);
}

class HidesOnCuda : public ProgramOnCuda {
 protected:
  json hide(const Arguments& more) {
    Arguments arguments{clip_, "--device", "cuda", "-o", out_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_well(arguments, "hide");
  }

  /// Hides faces and returns all pictures of the output. Expects that no frame is missing.
  std::string hidden(Arguments more) {
    more.insert(more.end(), {"--codec", "libx264", "--encoder-option", "qp=0"});
    hide(more);
    return test::decoded_pictures(out_);
  }

  /// @param passes  how often each picture is kept until it has been followed
  static void expect_no_picture_left(const json& report, int passes = 1) {
    EXPECT_EQ(report["device"], "cuda:0");
    EXPECT_EQ(report["decoder"], "h264_nvdec");
    EXPECT_EQ(report["encoder"], "nvjpeg");
    EXPECT_EQ(report["copies"]["upload"]["calls"], 0);
    EXPECT_EQ(report["copies"]["download"]["calls"], 0);
    EXPECT_EQ(report["copies"]["waiting"]["calls"], passes * kFrames);
  }

  void expect_every_face_hidden(const Frames& faces) {
    EXPECT_EQ(test::video_stamps(out_), test::video_stamps(clip_));
    const std::string pictures = test::decoded_pictures(out_);
    ASSERT_EQ(pictures.size(), std::size_t{kFrames} * 640 * 448 * 3 / 2);
    int looked_at = 0;
    for (std::size_t frame = 0; frame < faces.size(); ++frame)
      for (const Face& face : faces[frame]) {
        EXPECT_LT(mean_luma(pictures, frame, face.box), 24) << frame;
        ++looked_at;
      }
    EXPECT_GT(looked_at, 5 * kFrames);
  }

  /// Filters a clip's pictures with FFmpeg. Returns the new clip.
  fs::path changed(const fs::path& clip, const std::string& filter) {
    fs::path file = dir_ / "changed.mp4";
    test::ffmpeg("-i " + clip.string() + " -vf " + filter + " -c:v libx264 -qp 10 -c:a copy", file);
    return file;
  }

  /// Expects that `detect` finds the faces of a clip on CUDA as on the CPU.
  /// @param least  more faces than this
  /// @param part   one face of so many may be missing on the other device
  void expect_as_on_the_cpu(const fs::path& clip, const Arguments& more, int least, int part) {
    const auto found_on = [&](const std::string& device, const Arguments& its) {
      Arguments arguments{clip, "--device", device, "--detections", detections_};
      arguments.insert(arguments.end(), more.begin(), more.end());
      arguments.insert(arguments.end(), its.begin(), its.end());
      run_well(arguments, "detect");
      return faces_of(detections_);
    };
    const Frames cuda = found_on("cuda", {});
    const Frames cpu = found_on("cpu", {"--precision", "f32"});
    ASSERT_EQ(cuda.size(), std::size_t{kFrames});
    ASSERT_EQ(cpu.size(), std::size_t{kFrames});
    for (const Comparison& result : {compare(cuda, cpu, 0.8F), compare(cpu, cuda, 0.8F)}) {
      EXPECT_GT(result.faces, least);
      EXPECT_LE(result.missing, result.faces / part);
    }
  }

  const fs::path tracks_ = dir_ / "t.json";
};

TEST_F(HidesOnCuda, EveryFaceAndNoPictureLeavesTheDevice) {
  const Frames faces = faces_on("cpu");
  const json report = hide({"--codec", "mjpeg"});
  expect_no_picture_left(report);
  EXPECT_EQ(report["copies"]["luma"]["calls"], 0);
  EXPECT_GE(report["copies"]["motion"]["calls"], 2 * kFrames - 1);
  EXPECT_LT(report["copies"]["motion"]["bytes"], kFrames * 640 * 448 * 3 / 2 / 10);
  expect_every_face_hidden(faces);
}

TEST_F(HidesOnCuda, TheSameWithMotionOfTheHost) {
  const std::string expected = hidden({});
  EXPECT_TRUE(hidden({"--motion", "host"}) == expected);
  const json report = hide({"--codec", "mjpeg", "--motion", "host"});
  expect_no_picture_left(report);
  EXPECT_EQ(report["copies"]["luma"]["bytes"], kFrames * 640 * 448 / 4);
  EXPECT_EQ(report["copies"]["motion"]["calls"], 0);
}

TEST_F(HidesOnCuda, CarefullyWithASecondLook) {
  const Frames faces = faces_on("cpu");
  const json once = hide({"--codec", "mjpeg"});
  const json careful = hide({"--codec", "mjpeg", "--careful"});
  expect_no_picture_left(careful);
  EXPECT_EQ(careful["options"]["hide"]["mirrored_too"], true);
  EXPECT_EQ(careful["copies"]["descriptor"]["calls"], kFrames) << "both looks are one graph";
  EXPECT_GT(careful["candidates"].get<double>(), 1.6 * once["candidates"].get<double>());
  expect_every_face_hidden(faces);
}

// --careful looks three times at each frame. If two looks give almost equal scores for a face, CPU
// and CUDA can choose different boxes, which differ by one or two pixels.
TEST_F(HidesOnCuda, CarefullyWhatTheCpuFindsCarefully) {
  expect_as_on_the_cpu(clip_, {"--careful"}, 5 * kFrames, 50);
}

// An upside-down face is found in the look at every third frame, and followed in between. A box
// that is found in one look only differs more between devices, and so do the boxes that follow it.
TEST_F(HidesOnCuda, CarefullyUpsideDownFacesThatTheCpuFinds) {
  const fs::path both = changed(clip_, "split[a][b];[b]hflip,vflip[c];[a][c]vstack");
  expect_as_on_the_cpu(both, {"--careful"}, 18 * kFrames, 12);
}

TEST_F(HidesOnCuda, FacesThatAreTurnedInThePixelsAsTheCpuDoes) {
  const fs::path turned = changed(clip_, "transpose=cclock");
  expect_as_on_the_cpu(turned, {}, 5 * kFrames, 50);
  const CommandResult result =
      run({turned, "--device", "cuda", "--codec", "mjpeg", "-o", out_}, "hide");
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_THAT(result.err, HasSubstr("turned 90 degrees clockwise"));
  const json report = json::parse(std::ifstream(report_))[0];
  expect_no_picture_left(report);
  EXPECT_EQ(report["copies"]["descriptor"]["calls"], kFrames) << "both searches are one graph";
}

TEST_F(HidesOnCuda, KnownTracksAsTheCpuDoes) {
  const Frames faces = faces_on("cpu");
  run_well({clip_, "--device", "cuda", "--write-tracks", tracks_}, "detect");
  const std::string there = hidden({"--tracks", tracks_});
  EXPECT_TRUE(there == hidden({"--tracks", tracks_, "--decoder", "cpu"}));
  run_well({clip_, "--device", "cpu", "-o", out_, "--tracks", tracks_, "--codec", "libx264",
            "--encoder-option", "qp=0"},
           "hide");
  EXPECT_TRUE(there == test::decoded_pictures(out_));
  const json report = hide({"--tracks", tracks_, "--codec", "mjpeg"});
  expect_no_picture_left(report);
  EXPECT_EQ(report["copies"]["luma"]["calls"], 0);
  EXPECT_EQ(report["copies"]["descriptor"]["calls"], 0) << "nothing is looked for";
  EXPECT_TRUE(report["model"].is_null());
  expect_every_face_hidden(faces);
}

TEST_F(HidesOnCuda, InTwoPassesWhatTheFirstHasFound) {
  const Frames faces = faces_on("cpu");
  const std::string twice = hidden({"--two-pass", "--write-tracks", tracks_});
  EXPECT_TRUE(twice == hidden({"--tracks", tracks_}));
  const json report = hide({"--two-pass", "--codec", "mjpeg"});
  expect_no_picture_left(report, 2);
  EXPECT_GE(report["copies"]["motion"]["calls"], 2 * kFrames - 1) << "of the first pass";
  EXPECT_EQ(report["copies"]["descriptor"]["calls"], kFrames);
  EXPECT_EQ(report["options"]["hide"]["two_pass"], true);
  expect_every_face_hidden(faces);
}

TEST_F(ProgramOnCuda, AutoTakesTheDeviceAndSaysSo) {
  const json report = run_well({clip_, "--no-video"});
  EXPECT_EQ(report["device"], "cuda:0");
  EXPECT_EQ(report["engine"], "cuda");
  EXPECT_THAT(report["why"].dump(), HasSubstr("cuda:0: "));
}

TEST_F(ProgramOnCuda, AutoTakesTheCpuForAnEngineThatOnlyItHas) {
  const json report = run_well({clip_, "--no-video", "--end", "0.1", "--engine", "opencv"});
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_THAT(report["why"].dump(), HasSubstr("cpu: cuda:0 can't be used"));
}

// These models give the same results on all devices.
TEST_F(ProgramOnCuda, FindsByteByByteWhatTheCpuFindsWithoutNetworks) {
  const std::string cascade = test::installed_cascade("frontalface_alt2");
  const std::string channels = std::string(FACEPIPE_SOURCE_DIR) + "/data/acf_face.json";
  for (const std::vector<std::string>& wanted :
       {std::vector<std::string>{"--model", cascade},
        {"--model", cascade, "--nms-rule", "opencv-groups"},
        {"--model", channels}}) {
    std::vector<std::string> found;
    for (const std::string device : {"cpu", "cuda"}) {
      const fs::path file = dir_ / (device + ".jsonl");
      std::vector<std::string> words = {clip_,  "--no-video",   "--device",
                                        device, "--detections", file};
      words.insert(words.end(), wanted.begin(), wanted.end());
      const json report = run_well(words);
      EXPECT_THAT(report["device"].dump(), HasSubstr(device));
      EXPECT_GT(report["faces"], kFrames) << "or it tells nothing";
      found.push_back(test::read_file(file));
    }
    EXPECT_EQ(found[0], found[1]) << testing::PrintToString(wanted);
  }
}

TEST_F(ProgramOnCuda, WorksOnSeveralFilesOfSeveralSizes) {
  const fs::path other = dir_ / "other.mp4";
  make_clip(other, "libx264", "yuv420p", "320x226");
  const CommandResult result = run(
      {clip_, other, "--device", "cuda", "--codec", "mjpeg", "-o", (dir_ / "out").string() + "/"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* name : {"out/clip_faces.mp4", "out/other_faces.mp4"})
    EXPECT_EQ(test::video_stamps(dir_ / name).size(), std::size_t{kFrames}) << name;
}

TEST_F(ProgramOnCuda, WhatNvdecCantDecodeIsDecodedOnTheCpuAndTold) {
  const fs::path deep = dir_ / "deep.mp4";
  make_clip(deep, "libx264", "yuv420p10le");
  const json report = run_well({deep, "--device", "cuda", "--no-video"});
  EXPECT_EQ(report["decoder"], "h264");
  EXPECT_EQ(report["copies"]["upload"]["calls"], kFrames);
  EXPECT_THAT(report["notices"].dump(), HasSubstr("decoded on the CPU and uploaded"));
  expect_refusal(4, "deep.mp4", {deep, "--device", "cuda", "--decoder", "cuda", "-o", out_});
  expect_refusal(5, "--allow-8bit", {deep, "--device", "cuda", "--codec", "mjpeg", "-o", out_});
  const json shallow =
      run_well({deep, "--device", "cuda", "--codec", "mjpeg", "--allow-8bit", "-o", out_});
  EXPECT_EQ(shallow["encoder"], "nvjpeg");
}

TEST_F(ProgramOnCuda, WhatOnlyTheCpuHasIsRefused) {
  expect_refusal(2, "can't be combined",
                 {clip_, "--device", "cuda", "--engine", "openvino", "-o", out_});
  expect_refusal(2, "can't be combined",
                 {clip_, "--device", "cuda", "--precision", "f32", "-o", out_});
  expect_refusal(4, "cuda:99", {clip_, "--device", "cuda:99", "-o", out_});
}

// These models give the same results on all devices.
TEST_F(ProgramOnCuda, SeveralModelsFindByteByByteWhatTheCpuFindsWithoutNetworks) {
  const std::string cascade = test::installed_cascade("frontalface_alt2");
  const std::string channels = std::string(FACEPIPE_SOURCE_DIR) + "/data/acf_face.json";
  for (const Arguments& more : {Arguments{},
                                {"--draw", "ids"},
                                {"--nms-rule", "soft"},
                                {"--nms-rule", "fast", "--nms-voting"},
                                {"--looks", "1,flip"}}) {
    std::vector<std::string> found;
    json models;
    for (const std::string device : {"cpu", "cuda"}) {
      const fs::path file = dir_ / (device + ".jsonl");
      Arguments words{clip_,    "--no-video", "--model", cascade,        "--model",
                      channels, "--device",   device,    "--detections", file};
      words.insert(words.end(), more.begin(), more.end());
      const json report = run_well(words);
      EXPECT_THAT(report["device"].dump(), HasSubstr(device));
      models = report["models"];
      EXPECT_GT(report["faces"], kFrames) << "or it tells nothing";
      found.push_back(test::read_file(file));
    }
    EXPECT_EQ(found[0], found[1]) << testing::PrintToString(more);
    ASSERT_EQ(models.size(), 2U);
    for (const json& model : models)
      EXPECT_THAT(found[1], HasSubstr("\"model\":" + model["kind"].dump()))
          << "each model has found something";
  }
}

/// These tests search with a network that finds faces with landmarks, and with one that finds faces
/// and plates.
class SeveralNetworksOnCuda : public ProgramOnCuda {
 protected:
  SeveralNetworksOnCuda()
      : faces_(test::write_small_scrfd(dir_)),
        things_(
            dir_.write("things.onnx", test::small_yolo_anchors(0, 3).model().SerializeAsString())) {
    (void)dir_.write("things.onnx.json", test::things_card());
  }

  /// Returns the frames' lines of the detections file.
  std::vector<json> frames_on(const std::string& device, const Arguments& more) {
    Arguments words{clip_, "--no-video", "--device", device, "--detections", detections_};
    words.insert(words.end(), more.begin(), more.end());
    if (device == "cpu") words.insert(words.end(), {"--precision", "f32"});
    const json report = run_well(words);
    EXPECT_THAT(report["device"].dump(), HasSubstr(device));
    std::vector<json> frames;
    std::ifstream lines(detections_);
    for (std::string line; std::getline(lines, line);) frames.push_back(json::parse(line));
    return frames;
  }

  [[nodiscard]] Arguments both() const { return {"--model", faces_, "--model", things_}; }

  const std::string faces_;
  const std::string things_;
};

Box box_of(const json& face) {
  const std::vector<float> box = face["box"];
  return {box.at(0), box.at(1), box.at(2), box.at(3)};
}

/// Returns the share of the clear objects of one run that another run finds, too, as the same class
/// of the same model. The score of a clear object isn't near the threshold of its class.
double share_found(const std::vector<json>& frames, const std::vector<json>& others) {
  int all = 0;
  int found = 0;
  for (std::size_t i = 0; i < frames.size(); ++i)
    for (const json& face : frames[i]["faces"]) {
      const double clear = face["class"] == "plate" ? 0.23 : 0.55;
      if (face["score"].get<double>() < clear) continue;
      ++all;
      found += std::ranges::any_of(others.at(i)["faces"], [&](const json& other) {
        return other["class"] == face["class"] && other["model"] == face["model"] &&
               overlap(box_of(other), box_of(face)) >= 0.8F;
      });
    }
  return all == 0 ? 0 : static_cast<double>(found) / all;
}

std::set<std::pair<std::string, std::string>> classes_of(const std::vector<json>& frames) {
  std::set<std::pair<std::string, std::string>> all;
  for (const json& frame : frames)
    for (const json& face : frame["faces"]) all.emplace(face["model"], face["class"]);
  return all;
}

// The networks have random weights, so many scores are near each other. Then suppression keeps
// another one of two objects if scores differ by rounding.
TEST_F(SeveralNetworksOnCuda, FindWhatTheCpuFinds) {
  for (const Arguments& more : {Arguments{}, {"--looks", "1"}}) {
    Arguments words = both();
    words.insert(words.end(), more.begin(), more.end());
    const std::vector<json> cuda = frames_on("cuda", words);
    const std::vector<json> cpu = frames_on("cpu", words);
    ASSERT_EQ(cuda.size(), std::size_t{kFrames});
    ASSERT_EQ(cpu.size(), std::size_t{kFrames});
    EXPECT_EQ(classes_of(cuda).size(), 3U);
    EXPECT_EQ(classes_of(cuda), classes_of(cpu));
    EXPECT_GE(share_found(cpu, cuda), 0.8) << testing::PrintToString(more);
    EXPECT_GE(share_found(cuda, cpu), 0.8) << testing::PrintToString(more);
  }
}

TEST_F(SeveralNetworksOnCuda, FindInOneRunWhatTheyFindInTwo) {
  const std::vector<json> faces = frames_on("cuda", {"--model", faces_});
  const std::vector<json> things = frames_on("cuda", {"--model", things_});
  const std::vector<json> all = frames_on("cuda", both());
  ASSERT_EQ(all.size(), std::size_t{kFrames});
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<json> expected = faces.at(i)["faces"];
    for (json& face : expected) {
      face["class"] = "face";
      face["model"] = "scrfd";
    }
    const std::vector<json> of_things = things.at(i)["faces"];
    expected.insert(expected.end(), of_things.begin(), of_things.end());
    std::ranges::stable_sort(expected, [](const json& one, const json& other) {
      return one["score"].get<double>() > other["score"].get<double>();
    });
    EXPECT_EQ(all[i]["faces"], json(expected)) << i;
  }
}

TEST_F(SeveralNetworksOnCuda, ClassesAreChosenByName) {
  Arguments plates = both();
  plates.insert(plates.end(), {"--classes", "plate"});
  using Known = std::set<std::pair<std::string, std::string>>;
  EXPECT_EQ(classes_of(frames_on("cuda", plates)), (Known{{"things", "plate"}}));
}

TEST_F(SeveralNetworksOnCuda, EachClassIsHiddenByItsGrowth) {
  const fs::path tracks = dir_ / "tracks.json";
  Arguments words{clip_,    "--device",   "cuda", "--codec",      "mjpeg",     "--write-tracks",
                  tracks,   "-o",         out_,   "--detections", detections_, "--detect-size",
                  "128x64", "--max-face", "30"};
  for (const std::string& word : both()) words.push_back(word);
  const json report = run_well(words, "hide");
  EXPECT_THAT(report["device"].dump(), HasSubstr("cuda"));
  std::set<std::string> classes;
  const json file = json::parse(std::ifstream(tracks));
  for (const json& track : file["tracks"]) {
    const bool plate = track.contains("class");
    classes.insert(plate ? track["class"] : "face");
    EXPECT_EQ(track.contains("grow"), plate) << "only the card of plates names a growth";
  }
  EXPECT_EQ(classes, (std::set<std::string>{"face", "plate"}));
  EXPECT_EQ(test::video_stamps(out_).size(), std::size_t{kFrames});
}

TEST_F(ProgramOnCuda, LatenciesOfTheStagesAddUp) {
  const fs::path latency = dir_ / "latency.csv";
  run_well({clip_, "--device", "cuda", "--codec", "mjpeg", "-o", out_, "--latency", latency});
  std::ifstream lines(latency);
  std::string line;
  std::getline(lines, line);
  std::vector<std::string> columns;
  std::istringstream head(line);
  for (std::string column; std::getline(head, column, ',');) columns.push_back(column);
  int frames = 0;
  while (std::getline(lines, line)) {
    ++frames;
    std::istringstream row(line);
    double before = 0;
    for (const std::string& column : columns) {
      std::string value;
      std::getline(row, value, ',');
      const bool device = column.starts_with("preprocess") || column.starts_with("inference") ||
                          column.starts_with("nms") || column.starts_with("overlay");
      if (!device || column.find("cpu") != std::string::npos) continue;
      ASSERT_FALSE(value.empty()) << column << " of frame " << frames;
      EXPECT_GE(std::stod(value) + 1e-6, before) << column << " of frame " << frames;
      before = std::stod(value);
    }
    EXPECT_GT(before, 0);
  }
  EXPECT_EQ(frames, kFrames);
}

TEST_F(ProgramOnCuda, AFileThatEndsEarlyIsSix) {
  const fs::path whole = dir_ / "whole.mp4";
  make_clip(whole, "libx264 -g 6 -movflags +faststart");
  const std::string bytes = test::read_file(whole);
  const fs::path torn = dir_.write("torn.mp4", bytes.substr(0, bytes.size() * 6 / 10));
  const CommandResult result = run({torn, "--device", "cuda", "--codec", "mjpeg", "-o", out_});
  EXPECT_EQ(result.exit_code, 6) << result.err;
  EXPECT_GT(test::video_stamps(out_).size(), std::size_t{kFrames / 4});
}

TEST_F(ProgramOnCuda, AnInterruptedRunKeepsWhatItHasUnderAnotherName) {
  const fs::path longer = dir_ / "long.mp4";
  test::ffmpeg("-stream_loop 2000 -i " + clip_.string() + " -map 0:v -c copy", longer);
  const CommandResult result =
      test::run_command({"timeout", "-s", "INT", "4", FACEPIPE_PROGRAM, "run", longer, "--device",
                         "cuda", "--model", kModel, "--codec", "mjpeg", "-o", out_});
  EXPECT_EQ(result.exit_code, 124) << "it ended before it was interrupted: " << result.err;
  EXPECT_FALSE(fs::exists(out_));
  EXPECT_GT(test::video_stamps(dir_ / "out.partial.mp4").size(), std::size_t{kFrames});
}

}  // namespace
}  // namespace facepipe::app
