// These tests run the real program in parts: split run, part and join must make what run --parts
// makes, and what run makes if the encoder encodes each picture by itself. Parts that are missing,
// incomplete, damaged or foreign are never joined.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/app/parts_fixture.h"
#include "tests/app/program.h"
#include "tests/app/started.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int kParts = 3;
/// Makes a clip of 144 frames, which can be cut before frames 48 and 96. Its groups of pictures are
/// open: pictures that are shown before a cut are decoded after it.
void make_clip(const fs::path& clip, const std::string& more = "", int top = 40) {
  const std::string photo = FACEPIPE_SOURCE_DIR "/data/fetched/demo/city.jpg";
  ffmpeg("-loop 1 -r 25 -i " + photo + " -f lavfi -i sine -t 5.76" + more +
             " -vf scale=640:-2,crop=320:192:n:" + std::to_string(top) +
             ",format=yuv420p -c:v libx264 -preset veryfast "
             "-threads 1 -bf 3 -x264-params keyint=48:min-keyint=48:scenecut=0:open-gop=1 -c:a aac",
         clip);
}

class Parts : public PartsTest {
 protected:
  static void SetUpTestSuite() {
    clips_ = new TemporaryFolder;
    make_clip(clip());
  }
  static void TearDownTestSuite() {
    delete clips_;
    clips_ = nullptr;
  }
  static fs::path clip() { return *clips_ / "clip.mp4"; }

  void split(const Arguments& more = {}, const fs::path& input = clip()) const {
    static_cast<void>(PartsTest::split("run", input, kParts, joined(kQuick, more)));
  }
  void make_all() const {
    make({3, 1, 2});  // any order
  }
  /// Splits the clip, and makes and joins all parts.
  void make_joined(const std::string& name, const Arguments& options, const Arguments& outputs) {
    split(options);
    make_all();
    const CommandResult result = join(name, outputs);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  void run_whole(const std::string& name, const Arguments& options) const {
    const CommandResult result =
        run_program(joined(joined({"run", clip(), "-o", dir_ / name}, kQuick), options));
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  static inline TemporaryFolder* clips_ = nullptr;
};

TEST_F(Parts, OfMotionJpegEqualARunAsAWhole) {
  const Arguments options{"--codec", "mjpeg"};
  make_joined("joined.mkv", joined(options, {"--format", "matroska"}),
              {"--detections", dir_ / "joined.jsonl", "--report", dir_ / "joined.json"});
  run_whole("whole.mkv", joined(options, {"--detections", dir_ / "whole.jsonl", "--report",
                                          dir_ / "whole.json"}));
  EXPECT_EQ(part_files().size(), kParts);
  EXPECT_EQ(sorted_packets(dir_ / "joined.mkv"), sorted_packets(dir_ / "whole.mkv"));
  EXPECT_EQ(read_file(dir_ / "joined.jsonl"), read_file(dir_ / "whole.jsonl"));
  const json made = entry_of(dir_ / "joined.json");
  const json whole = entry_of(dir_ / "whole.json");
  EXPECT_EQ(whole["frames"]["decoded"], 144);
  for (const char* const fact : {"status", "frames", "faces", "candidates", "size"})
    EXPECT_EQ(made[fact], whole[fact]) << fact;
}

TEST_F(Parts, EqualARunInParts) {
  make_joined("joined.mp4", {"--preset", "veryfast"},
              {"--detections", dir_ / "joined.jsonl", "--latency", dir_ / "joined.csv"});
  run_whole("parts.mp4", {"--preset", "veryfast", "--parts", std::to_string(kParts), "--detections",
                          dir_ / "parts.jsonl"});
  EXPECT_EQ(read_file(dir_ / "joined.mp4"), read_file(dir_ / "parts.mp4"));
  EXPECT_EQ(read_file(dir_ / "joined.jsonl"), read_file(dir_ / "parts.jsonl"));
  EXPECT_FALSE(fs::exists(dir_ / "parts.mp4.parts")) << "the part files are removed";
  const std::string latency = read_file(dir_ / "joined.csv");
  EXPECT_EQ(std::ranges::count(latency, '\n'), 145) << "a header and a line for each frame";
}

TEST_F(Parts, OfH264HaveThePicturesOfARunAndTheSoundOfTheInput) {
  const Arguments lossless{"--preset", "ultrafast", "--encoder-option", "qp=0"};
  make_joined("joined.mp4", lossless, {});
  run_whole("whole.mp4", lossless);
  EXPECT_EQ(decoded_pictures(dir_ / "joined.mp4"), decoded_pictures(dir_ / "whole.mp4"));
  EXPECT_EQ(video_stamps(dir_ / "joined.mp4"), video_stamps(clip()));
  const json input = probe(clip());
  const json output = probe(dir_ / "joined.mp4");
  EXPECT_EQ(stamps_of(output, streams_of(output, "audio").at(0)["index"]),
            stamps_of(input, streams_of(input, "audio").at(0)["index"]));
}

TEST_F(Parts, WithoutVideoGiveTheSameFaces) {
  split({"--no-video"});
  make_all();
  const CommandResult result = run_program(
      {"join", plan(), "--from", folder(), "-q", "--detections", dir_ / "joined.jsonl"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const CommandResult whole = run_program(
      joined({"run", clip(), "--no-video", "--detections", dir_ / "whole.jsonl"}, kQuick));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(read_file(dir_ / "joined.jsonl"), read_file(dir_ / "whole.jsonl"));
}

TEST_F(Parts, AreMadeOnlyOnce) {
  split();
  ASSERT_EQ(part(1).exit_code, 0);
  ASSERT_EQ(part_files().size(), 1U);
  const auto written = fs::last_write_time(part_files().front());
  ASSERT_EQ(part(1).exit_code, 0);
  EXPECT_EQ(part_files().size(), 1U);
  EXPECT_EQ(fs::last_write_time(part_files().front()), written);
  const CommandResult told =
      run_program({"part", plan(), "1", "--out", folder(), "-q", "--progress", "json"});
  const json line = json::parse(told.out);
  EXPECT_EQ(line["exit_code"], 0);
  EXPECT_EQ(line["status"], "skipped");
}

/// Returns whether a program has begun a file since there were only the files of `before`.
bool names_an_unfinished_file(const std::set<std::string>& now,
                              const std::set<std::string>& before) {
  return std::ranges::any_of(now, [&](const std::string& name) {
    return name.find(".tmp-") != std::string::npos && !before.contains(name);
  });
}

TEST_F(Parts, ThatAreKilledLeaveNothing) {
  const fs::path input = *clips_ / "long.mp4";
  // A part of this clip takes longer than a signal.
  ffmpeg("-f lavfi -i testsrc2=s=160x96:r=25:d=120 -c:v libx264 -preset ultrafast", input);
  fs::create_directories(folder());
  const CommandResult planned = run_program({"split", "run", input, "--parts", "2", "-o", plan(),
                                             "--detect-size", "640x384", "--device", "cpu", "-q"});
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const auto stopped_by = [&](int signal) {
    const std::set<std::string> before = names();
    Started run(program({"part", plan(), "1", "--out", folder(), "-q"}));
    EXPECT_TRUE(comes_true([&] { return names_an_unfinished_file(names(), before); }));
    run.send(signal);
    return run.exit_code();
  };
  EXPECT_EQ(stopped_by(SIGKILL), 128 + SIGKILL);
  EXPECT_FALSE(fs::is_empty(folder()));
  EXPECT_EQ(stopped_by(SIGTERM), 143);
  EXPECT_EQ(stopped_by(SIGTERM), 143);
  EXPECT_TRUE(fs::is_empty(folder())) << "the file of the killed program is removed, too";
}

TEST_F(Parts, AreNotJoinedIfOneIsMissingIncompleteOrDamaged) {
  split();
  make_all();
  const fs::path second = part_files().at(1);
  const std::string whole = read_file(second);
  fs::remove(second);
  expect_no_join(second.filename().string());
  const auto leave = [&](const std::string& bytes) {
    std::ofstream(second, std::ios::binary) << bytes;
  };
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    leave(whole.substr(0, bytes));
    expect_no_join("part file");
  }
  for (const std::size_t share : {3U, 4U, 5U}) {
    std::string damaged = whole;
    damaged[whole.size() * share / 10] ^= 0x10;
    leave(damaged);
    expect_no_join("is damaged");
  }
  EXPECT_EQ(part(2).exit_code, 0) << "it is made again";
  EXPECT_EQ(read_file(second).size(), whole.size());
  EXPECT_EQ(join("joined.mp4").exit_code, 0);
}

TEST_F(Parts, OfOtherPlansAreNotJoined) {
  split();
  make_all();
  const std::vector<fs::path> ours = part_files();
  // Another part of the same plan, under a wrong name.
  fs::copy_file(ours[0], ours[1], fs::copy_options::overwrite_existing);
  expect_no_join("belongs to another plan");
  EXPECT_EQ(part(2).exit_code, 0) << "it is made again";
  EXPECT_EQ(join("joined.mp4").exit_code, 0);
  // The parts of a plan with other options have other names.
  fs::remove(plan());
  split({"--draw", "scores"});
  expect_no_join("part-00001");
}

TEST_F(Parts, NeedTheInputThatWasSplit) {
  const fs::path input = dir_ / "input.mp4";
  fs::copy_file(clip(), input);
  split({}, input);
  make_all();
  make_clip(input, " -metadata title=other");
  EXPECT_EQ(join("joined.mp4").exit_code, 0) << "the same packets, in another file";
  make_clip(input, "", 60);
  expect_no_join("is not the input that was split");
  fs::remove(part_files().front());
  const CommandResult result = part(1);
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("is not the input that was split"));
  EXPECT_EQ(part_files().size(), kParts - 1U);
}

TEST_F(Parts, TellTheirNumberByTheArrayOfAScheduler) {
  split();
  const auto part_with = [&](const Arguments& variables) {
    Arguments words{"env"};
    words.insert(words.end(), variables.begin(), variables.end());
    return run_command(joined(words, program({"part", plan(), "auto", "--out", folder(), "-q"})));
  };
  const CommandResult none = part_with({"-u", "SLURM_ARRAY_TASK_ID"});
  EXPECT_EQ(none.exit_code, 2) << none.err;
  const CommandResult two = part_with({"JOB_COMPLETION_INDEX=1", "PMI_RANK=2"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_THAT(two.err, HasSubstr("different parts"));
  const CommandResult wrong = part_with({"PMI_RANK=-1"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(
      part_with({"SLURM_ARRAY_TASK_ID=12", "SLURM_ARRAY_TASK_MIN=10", "PMI_RANK=2"}).exit_code, 0);
  ASSERT_EQ(part_files().size(), 1U);
  EXPECT_THAT(part_files().front().filename().string(), testing::StartsWith("part-00003-"));
}

TEST_F(Parts, OfAnInputThatCantBeCutAreOne) {
  const fs::path input = dir_ / "short.mp4";
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -preset ultrafast", input);
  split({}, input);
  EXPECT_EQ(json::parse(read_file(plan()))["parts"].size(), 1U);
  EXPECT_EQ(part(1).exit_code, 0);
  EXPECT_EQ(join("joined.mp4").exit_code, 0);
  EXPECT_EQ(decoded_pictures(dir_ / "joined.mp4").size(), decoded_pictures(input).size());
}

TEST_F(Parts, OfAnInputThatEndsTooEarlySayItEachTime) {
  const fs::path input = dir_ / "cut_off.mkv";
  ffmpeg("-i " + clip().string() + " -c copy", input);
  fs::resize_file(input, fs::file_size(input) * 8 / 10);
  split({}, input);  // too little is left for a third part
  std::vector<int> codes;
  for (const int number : {1, 2}) codes.push_back(part(number).exit_code);
  EXPECT_THAT(codes, testing::ElementsAre(0, 6)) << "the last part reads to the end";
  std::vector<int> again;
  for (const int number : {1, 2}) again.push_back(part(number).exit_code);
  EXPECT_EQ(again, codes);
  EXPECT_EQ(join("joined.mkv").exit_code, 6);
}

TEST_F(Parts, RefuseWhatCantBeCut) {
  const struct {
    Arguments words;
    const char* reason;
  } rows[]{
      {{"split", "hide", clip(), "--parts", "2", "--two-pass"}, "--two-pass"},
      {{"split", "hide", clip(), "--parts", "2", "--every", "2"}, "--every"},
      {{"hide", clip(), "--parts", "2", "--two-pass", "-o", dir_ / "a.mp4"}, "--two-pass"},
      {{"split", "run", clip(), "--parts", "0"}, "--parts"},
      {{"split", "run", clip(), "--parts", "2", "--start", "1"}, "--start"},
      {{"split", "run", clip(), "--parts", "2", "--every", "2"}, "--every"},
      {{"split", "run", clip(), "--parts", "2", "--draw", "ids"}, "--draw ids"},
      {{"split", "run", *clips_ / "", "--parts", "2"}, "not a regular file"},
      {{"split", "run", clip(), "--parts", "2", "--config", "run.toml"}, "--config"},
      {{"run", clip(), "--parts", "2", "--every", "2", "-o", dir_ / "a.mp4"}, "--every"},
      {{"run", clip(), "--parts", "2", "--end", "2", "-o", dir_ / "a.mp4"}, "--end"},
      {{"run", clip(), "--parts", "2", "--lanes", "2", "-o", dir_ / "a.mp4"}, "--lanes"},
      {{"hide", clip(), "--parts", "2", "--lanes", "2", "-o", dir_ / "a.mp4"}, "--lanes"},
      {{"run", clip(), "--parts", "2", "-o", "-"}, "--output -"},
      {{"run", "-", "--parts", "2", "-o", dir_ / "a.mp4"}, "--parts"},
      {{"part", plan()}, "PART"},
      {{"join"}, "PLAN"},
  };
  for (const auto& row : rows) {
    const CommandResult result = run_program(row.words);
    EXPECT_EQ(result.exit_code, 2) << row.words.at(1) << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr(row.reason));
  }
  EXPECT_THAT(dir_.names(), IsEmpty());
}

TEST_F(Parts, SayOnceWhyAnInputCantBeRead) {
  std::ofstream(dir_ / "text.mp4") << "text";
  expect_refused(run_program({"split", "run", dir_ / "text.mp4", "--parts", "2", "-o", plan()}), 3,
                 "text.mp4: ");
  EXPECT_FALSE(fs::exists(plan()));
}

TEST_F(Parts, RefusePlansAndNumbersThatDontFit) {
  split();
  for (const char* const number : {"0", "4", "x", "-1"}) {
    const CommandResult result = run_program({"part", plan(), "--out", folder(), "--", number});
    EXPECT_EQ(result.exit_code, 2) << number << ": " << result.err;
  }
  std::ofstream(dir_ / "none") << "a file";
  const CommandResult no_folder = run_program({"part", plan(), "1", "--out", dir_ / "none"});
  EXPECT_EQ(no_folder.exit_code, 5) << no_folder.err;
  json changed = json::parse(read_file(plan()));
  changed["program"] = "0.0.0";
  std::ofstream(plan()) << changed;
  const CommandResult other = part(1);
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.err, HasSubstr("0.0.0"));
  std::ofstream(plan()) << "{}";
  EXPECT_EQ(part(1).exit_code, 3);
  EXPECT_EQ(join("joined.mp4").exit_code, 3);
  fs::remove(plan());
  EXPECT_EQ(part(1).exit_code, 3);
}

TEST_F(Parts, AreNotWrittenOverWithoutOverwrite) {
  split();
  const CommandResult again = run_program({"split", "run", clip(), "--parts", "2", "-o", plan()});
  EXPECT_EQ(again.exit_code, 5) << again.err;
  make_all();
  std::ofstream(dir_ / "there.mp4") << "mine";
  EXPECT_EQ(join("there.mp4").exit_code, 5);
  EXPECT_EQ(read_file(dir_ / "there.mp4"), "mine");
  EXPECT_EQ(join("there.mp4", {"--overwrite"}).exit_code, 0);
  const CommandResult container = join("other.avi");
  EXPECT_EQ(container.exit_code, 3) << container.err;
  EXPECT_THAT(container.err, HasSubstr("avi"));
}

}  // namespace
}  // namespace facepipe::test
