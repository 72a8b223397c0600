// These tests run the real program with --sandbox process: other processes read and decode its
// inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/sandbox/sandbox.h"
#include "tests/app/program.h"
#include "tests/app/started.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/picture_files.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Damages a file in its middle.
void damage(const fs::path& file) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  for (const int place : {40, 55, 70}) {
    bytes.seekp(size * place / 100);
    bytes << std::string(60, '\x5a');
  }
}

/// Writes all inputs of these tests into a folder.
void make_clips(const fs::path& dir) {
  const std::string picture = "-f lavfi -i testsrc2=s=96x64:r=25:d=1 ";
  const std::string h264 = "-c:v libx264 -preset ultrafast -g 10 -bf 2 ";
  ffmpeg(picture + h264, dir / "plain.mp4");
  ffmpeg(picture + "-f lavfi -i sine=d=1 -c:a aac -shortest -metadata title=T " + h264,
         dir / "sound.mkv");
  ffmpeg(picture + h264, dir / "turned.mp4");
  mark_turned(dir / "turned.mp4");
  ffmpeg(picture + "-vf select='not(eq(mod(n,5),3))' -vsync vfr " + h264, dir / "uneven.mp4");
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=4 " + h264, dir / "damaged.mp4");
  damage(dir / "damaged.mp4");
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=4 " + h264, dir / "torn.ts");
  fs::resize_file(dir / "torn.ts", fs::file_size(dir / "torn.ts") * 2 / 3);
  ffmpeg(
      picture + "-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -x265-params log-level=error",
      dir / "deep.mp4");
  ffmpeg(picture + "-vf fps=5 ", dir / "palette.gif");
  ffmpeg(picture + "-frames:v 1", dir / "photo.png");
  ffmpeg(picture + "-frames:v 1", dir / "photo.jpg");
  ffmpeg(picture + h264 + "-f h264", dir / "raw.264");
  ffmpeg(picture + "-c:v mpeg2video -flags +ildct+ilme -top 1", dir / "fields.mpg");
  ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=24 " + h264, dir / "long.mp4");
}

std::set<pid_t> children_of(pid_t process) {
  const fs::path tasks = "/proc/" + std::to_string(process) + "/task";
  std::set<pid_t> children;
  std::error_code error;
  for (const auto& task : fs::directory_iterator(tasks, error)) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) children.insert(child);
  }
  return children;
}

/// Returns the processes that a program has started, and those that these have started.
std::set<pid_t> descendants_of(pid_t process) {
  std::set<pid_t> all = children_of(process);
  for (const pid_t child : std::set<pid_t>(all)) all.merge(children_of(child));
  return all;
}

/// Returns the processes that decode for a program.
std::set<pid_t> workers_of(pid_t process) {
  std::set<pid_t> workers;
  for (const pid_t child : children_of(process)) workers.merge(children_of(child));
  return workers;
}

/// Returns whether none of these processes exists, not even as a zombie.
bool are_gone(const std::set<pid_t>& processes) {
  return std::ranges::all_of(processes,
                             [](pid_t process) { return kill(process, 0) != 0 && errno == ESRCH; });
}

class WorkerProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "a sanitizer needs what the sandbox refuses";
    if (const std::string reason = app::machine_against_sandbox(); !reason.empty())
      GTEST_SKIP() << reason;
    fs::create_directory(out());
  }
  static void SetUpTestSuite() {
    clips_.emplace();
    if (!kSanitized) make_clips(clips_->path());
  }
  static void TearDownTestSuite() { clips_.reset(); }

  [[nodiscard]] static std::string clip(const std::string& name) {
    return (*clips_ / name).string();
  }
  [[nodiscard]] fs::path out(const std::string& name = {}) const { return dir_ / "out" / name; }

  static Arguments in_workers(const Arguments& words) {
    return joined(words, {"--device", "cpu", "--sandbox", "process"});
  }

  static inline std::optional<TemporaryFolder> clips_;
  const TemporaryFolder dir_;
};

/// A run with workers, and the same run without a sandbox.
struct SameRun {
  std::string name;
  Arguments words;  ///< "@" stands for the folder of the clips, "%" for the folder of outputs
  int exit_code = 0;
};

void PrintTo(const SameRun& run, std::ostream* to) { *to << run.name; }

class WorkerRuns : public WorkerProgram, public testing::WithParamInterface<SameRun> {
 protected:
  [[nodiscard]] Arguments words_of(const SameRun& run) const {
    Arguments words;
    for (const std::string& word : run.words)
      words.push_back(word.starts_with('@')   ? clip(word.substr(1))
                      : word.starts_with('%') ? out(word.substr(1)).string()
                                              : word);
    // x264 doesn't always make the same packets of the same pictures.
    const bool chosen = std::ranges::count(words, "--codec") > 0 || run.name == "Photos";
    if (words.front() != "detect" && !chosen) words = joined(words, {"--codec", "mjpeg"});
    return joined(words, {"-q", "--device", "cpu"});
  }
};

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
  return files;
}

TEST_P(WorkerRuns, MakeTheSameFilesAsWithoutASandbox) {
  const Arguments words = words_of(GetParam());
  std::map<std::string, std::map<std::string, std::string>> files;
  std::map<std::string, CommandResult> results;
  for (const std::string mode : {"off", "process"}) {
    results[mode] = run_program(joined(words, {"--sandbox", mode}));
    EXPECT_EQ(results[mode].exit_code, GetParam().exit_code) << mode << results[mode].err;
    files[mode] = files_in(out());
    fs::remove_all(out());
    fs::create_directory(out());
  }
  EXPECT_EQ(results["off"].err, results["process"].err);
  EXPECT_FALSE(files["off"].empty());
  ASSERT_EQ(files["off"].size(), files["process"].size());
  for (const auto& [name, bytes] : files["off"])
    EXPECT_TRUE(bytes == files["process"][name]) << name << " differs";
}

INSTANTIATE_TEST_SUITE_P(
    Sandbox, WorkerRuns,
    testing::Values(
        SameRun{"Plain", {"run", "@plain.mp4", "-o", "%o.mp4"}},
        SameRun{"Sound", {"run", "@sound.mkv", "-o", "%o.mov"}},
        SameRun{"Turned", {"hide", "@turned.mp4", "-o", "%o.mp4"}},
        SameRun{"TurnedPixels", {"run", "@turned.mp4", "-o", "%o.avi"}},
        SameRun{"VariableRate", {"run", "@uneven.mp4", "-o", "%o.mp4"}},
        SameRun{"Damaged", {"run", "@damaged.mp4", "-o", "%o.mp4"}, 6},
        SameRun{"HideDamaged", {"hide", "@damaged.mp4", "-o", "%o.mp4"}, 6},
        SameRun{"Torn", {"run", "@torn.ts", "-o", "%o.mov"}, 6},
        SameRun{"TenBits", {"run", "@deep.mp4", "-o", "%o.avi", "--codec", "ffv1"}},
        SameRun{"Palette", {"run", "@palette.gif", "-o", "%o.mp4"}},
        SameRun{"Photos", {"run", "@photo.png", "@photo.jpg", "-o", "%"}},
        SameRun{"RawStream", {"run", "@raw.264", "-o", "%o.mp4"}},
        SameRun{"Fields", {"run", "@fields.mpg", "-o", "%o.avi", "--codec", "ffv1"}},
        SameRun{"Several",
                {"run", "@plain.mp4", "@turned.mp4", "@uneven.mp4", "-o", "%", "--detections",
                 "%d.jsonl"}},
        SameRun{"Range", {"run", "@long.mp4", "-o", "%o.mp4", "--start", "3.3", "--end", "5"}},
        SameRun{"TwoPasses", {"hide", "@sound.mkv", "-o", "%o.mov", "--two-pass"}},
        SameRun{"Tracks",
                {"detect", "@plain.mp4", "--write-tracks", "%t.json", "--detections", "%d.csv"}},
        SameRun{"Lanes",
                {"detect", "@long.mp4", "--detections", "%d.csv", "--lanes", "2", "--detect-size",
                 "64x64"}}),
    [](const auto& run) { return run.param.name; });

TEST_F(WorkerProgram, AFolderIsReadByAWorkerAFile) {
  const fs::path folder = dir_ / "in";
  fs::create_directory(folder);
  for (const char* const name : {"plain.mp4", "sound.mkv", "photo.png"})
    fs::copy_file(clip(name), folder / name);
  fs::create_symlink(clip("turned.mp4"), folder / "linked.mp4");
  const CommandResult result =
      run_program(in_workers({"run", folder.string(), "-o", out().string(), "-q"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(files_in(out()).size(), 4U);
}

TEST_F(WorkerProgram, HostileCodeInAWorkerReachesNoOutput) {
  fs::create_directory(dir_ / "in");
  const fs::path input = dir_ / "in/clip.mp4";
  fs::copy_file(clip("plain.mp4"), input);
  const fs::path other = dir_.write("other/other.mp4", "another input");
  for (const char* const victim : {"in/remove-me", "in/rename-me", "in/take-me"})
    static_cast<void>(dir_.write(victim));
  const fs::path report = dir_.write("report", std::string(65536, '\0'));
  fs::create_symlink(other, out("link"));
  for (const Arguments& words :
       {Arguments{"run", input.string(), "-o", out("o.mkv").string()},
        Arguments{"hide", input.string(), "-o", out("h.mkv").string()},
        Arguments{"detect", input.string(), "--detections", out("d.jsonl").string()},
        Arguments{"run", input.string(), other.string(), "-o", out().string()}}) {
    SCOPED_TRACE(words.front());
    std::ofstream(report) << std::string(65536, '\0');
    const CommandResult result = run_command(joined(
        {"env", std::string("LD_PRELOAD=") + FACEPIPE_HOSTILE_CODEC,
         "FACEPIPE_HOSTILE_INPUT=" + input.string(), "FACEPIPE_HOSTILE_OUTPUT=" + out().string(),
         "FACEPIPE_HOSTILE_SECRET=" + other.string(), "FACEPIPE_HOSTILE_REPORT=" + report.string(),
         FACEPIPE_PROGRAM},
        in_workers(joined(words, {"-q"}))));
    EXPECT_THAT(result.err, testing::Not(HasSubstr("hostile"))) << "a worker has no terminal";
    std::istringstream lines(read_file(report));
    std::map<std::string, int> answers;
    for (std::string line; std::getline(lines, line) && line.starts_with("hostile ");)
      answers[line.substr(8, line.rfind(' ') - 8)] = std::stoi(line.substr(line.rfind(' ')));
    EXPECT_EQ(answers.size(), 47U);
    for (const auto& [name, code] : answers) {
      const bool allowed = name == "read input" || name == "thread";
      EXPECT_EQ(code == 0, allowed) << name << ": " << code;
    }
    EXPECT_FALSE(fs::exists(out("made")));
    EXPECT_EQ(read_file(input), read_file(clip("plain.mp4")));
  }
}

/// Expects one line of error that says which file's worker has ended, and how.
void expect_lost_worker(const CommandResult& result, const std::string& input,
                        const std::string& how) {
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr(input + ": the process that decodes it " + how));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
}

TEST_F(WorkerProgram, ACrashOfACodecIsAnErrorOfItsFile) {
  const Arguments crashing{"env", std::string("LD_PRELOAD=") + FACEPIPE_HOSTILE_CODEC,
                           "FACEPIPE_HOSTILE_CRASH=40", FACEPIPE_PROGRAM};
  const CommandResult result = run_command(
      joined(crashing,
             in_workers({"run", clip("long.mp4"), clip("plain.mp4"), "-o", out().string(), "-q"})));
  expect_lost_worker(result, clip("long.mp4"), "was ended by signal 11");
  std::set<std::string> made;
  for (const auto& [name, bytes] : files_in(out())) made.insert(name);
  EXPECT_EQ(made, std::set<std::string>{"plain_faces.mp4"}) << "the other input has 25 packets";
}

TEST_F(WorkerProgram, ACrashOfACodecKeepsWhatHideHasHidden) {
  const Arguments crashing{"env", std::string("LD_PRELOAD=") + FACEPIPE_HOSTILE_CODEC,
                           "FACEPIPE_HOSTILE_CRASH=200", FACEPIPE_PROGRAM};
  const Arguments words{"hide",        clip("long.mp4"), "-q",  "--region",
                        "a=0,0,48,32", "--codec",        "ffv1"};
  const CommandResult result =
      run_command(joined(crashing, in_workers(joined(words, {"-o", out("o.mkv").string()}))));
  expect_lost_worker(result, clip("long.mp4"), "was ended by signal 11");
  EXPECT_FALSE(fs::exists(out("o.mkv")));
  EXPECT_EQ(
      run_program(joined(words, {"-o", out("whole.mkv").string(), "--device", "cpu"})).exit_code,
      0);
  const std::string kept = decoded_pictures(out("o.partial.mkv"));
  const std::string whole = decoded_pictures(out("whole.mkv"));
  constexpr std::size_t kSamples = 96 * 64;
  constexpr std::size_t kPicture = kSamples * 3 / 2;
  EXPECT_GT(kept.size(), 100 * kPicture);
  ASSERT_LE(kept.size(), whole.size());
  // The last pictures, behind which no other was searched, are hidden as a whole.
  for (std::size_t at = 0; at < kept.size(); at += kPicture) {
    const std::string picture = kept.substr(at, kPicture);
    const std::string_view luma = std::string_view(picture).substr(0, kSamples);
    EXPECT_TRUE(picture == whole.substr(at, kPicture) ||
                luma.find_first_not_of(luma.front()) == std::string_view::npos)
        << "picture " << at / kPicture << " shows something that is hidden";
  }
}

class WorkerEnds : public WorkerProgram {
 protected:
  /// Starts a long run, and waits until it has begun to write.
  void start(const std::string& command) {
    run_.emplace(
        joined({"bash", "-c", "exec \"$@\" 2>\"$0\"", err().string(), FACEPIPE_PROGRAM},
               in_workers({command, clip("long.mp4"), "-o", out("o.mkv").string(), "-q"})));
    ASSERT_TRUE(comes_true([&] { return !workers_of(run_->pid()).empty() && has_written(); }));
    processes_ = descendants_of(run_->pid());
  }

  [[nodiscard]] bool has_written() const {
    for (const auto& entry : fs::directory_iterator(out())) {
      std::error_code error;
      if (entry.is_regular_file() && fs::file_size(entry.path(), error) > 4096) return true;
    }
    return false;
  }

  [[nodiscard]] fs::path err() const { return dir_ / "err"; }

  std::optional<Started> run_;
  std::set<pid_t> processes_;
};

TEST_F(WorkerEnds, AKilledWorkerIsAnErrorOfItsFile) {
  start("run");
  for (const pid_t worker : workers_of(run_->pid())) kill(worker, SIGKILL);
  const int code = run_->exit_code();
  expect_lost_worker({code, {}, read_file(err())}, clip("long.mp4"), "was ended by signal 9");
  EXPECT_TRUE(are_gone(processes_));
  EXPECT_TRUE(files_in(out()).empty());
}

TEST_F(WorkerEnds, AKilledWorkerKeepsWhatHideHasHidden) {
  start("hide");
  for (const pid_t worker : workers_of(run_->pid())) kill(worker, SIGKILL);
  const int code = run_->exit_code();
  expect_lost_worker({code, {}, read_file(err())}, clip("long.mp4"), "was ended by signal 9");
  EXPECT_TRUE(are_gone(processes_));
  EXPECT_TRUE(fs::exists(out("o.partial.mkv")));
}

TEST_F(WorkerEnds, AfterCtrlCNoProcessIsLeft) {
  start("run");
  for (const pid_t process : processes_) kill(process, SIGINT);  // as a terminal does
  run_->send(SIGINT);
  EXPECT_EQ(run_->exit_code(), 130) << read_file(err());
  EXPECT_TRUE(are_gone(processes_));
  EXPECT_TRUE(fs::exists(out("o.partial.mkv")));
}

TEST_F(WorkerEnds, AKilledProgramLeavesNoProcess) {
  start("run");
  run_->send(SIGKILL);
  EXPECT_EQ(run_->exit_code(), 128 + SIGKILL);
  EXPECT_TRUE(comes_true([&] { return are_gone(processes_); }));
}

TEST_F(WorkerProgram, WhatWorkersCannotDoIsRefused) {
  const std::string in = clip("plain.mp4");
  const std::string of_files = "reads files only, no URLs and pipes";
  const std::string of_commands = "is for run, hide and detect so far";
  const std::vector<std::pair<Arguments, std::string>> refused{
      {{"verify", in, in}, of_commands},
      {{"review", in}, of_commands},
      {{"part", "plan.json", "1"}, of_commands},
      {{"run", "-", "-o", out("o.mkv").string()}, of_files},
      {{"run", "http://127.0.0.1:9/x.mp4", "-o", out("o.mkv").string()}, of_files},
      {{"run", in, "--allow-references"}, "and --allow-references exclude each other"},
      {{"run", in, "--parts", "2"}, "and --parts exclude each other"},
      {{"run", in, "--device", "cuda"}, "works on the CPU only so far"},
  };
  for (const auto& [words, reason] : refused)
    expect_refused(run_program(joined(words, {"--sandbox", "process"})), 2,
                   "--sandbox process " + reason);
}

TEST_F(WorkerProgram, APipeIsRefused) {
  ASSERT_EQ(mkfifo((dir_ / "pipe.mp4").c_str(), 0600), 0);
  expect_refused(run_program(in_workers(
                     {"run", (dir_ / "pipe.mp4").string(), "-o", out("o.mkv").string(), "-q"})),
                 3, "pipe.mp4: --sandbox process reads files only, no URLs and pipes");
}

TEST_F(WorkerProgram, WhereTheKernelCannotItIsAnError) {
  for (const std::string lacks : {"landlock", "seccomp"})
    expect_refused(
        run_command(joined({FACEPIPE_OLD_KERNEL, lacks, FACEPIPE_PROGRAM},
                           in_workers({"run", clip("plain.mp4"), "-o", out("o.mkv").string()}))),
        4, "--sandbox process: the kernel has no ");
}

TEST_F(WorkerProgram, AnInputThatCannotBeOpenedHasItsUsualError) {
  const std::string text = dir_.write("text.mp4", "this is no video").string();
  std::vector<CommandResult> results;
  for (const std::string mode : {"off", "process"})
    results.push_back(run_program(
        {"run", text, "-o", out("o.mkv").string(), "-q", "--device", "cpu", "--sandbox", mode}));
  EXPECT_EQ(results[0].exit_code, 3);
  EXPECT_EQ(results[1].exit_code, 3);
  EXPECT_EQ(results[0].err, results[1].err);
}

}  // namespace
}  // namespace facepipe::test
