// These tests run the real program in its sandbox. A library plays a codec that a hostile video has
// taken over, and tries to break out (sandbox/hostile_codec.cpp). Other tests check that the
// program does in the sandbox what it does without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "app/backends.h"
#include "app/sandbox/sandbox.h"
#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/loopback_server.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// What the system answers to the attempts of hostile_codec.cpp: errno by name of the attempt.
using Answers = std::map<std::string, int>;

/// In the sandbox of a run whose output has another folder than its input.
const Answers kCaged{
    {"read /etc/passwd", EACCES},
    {"read secret", EACCES},
    {"read secret through link", EACCES},
    {"list /", EACCES},
    {"read input", 0},
    {"write input", EACCES},
    {"write input through descriptor", EACCES},
    {"truncate secret", EPERM},
    {"make beside input", EACCES},
    {"remove beside input", EACCES},
    {"rename beside input", EACCES},
    {"take from beside input", EACCES},
    {"link to secret", EXDEV},
    {"symbolic link", EACCES},
    {"make fifo", EPERM},
    {"write output", 0},
    {"chmod", EPERM},
    {"set attribute", EPERM},
    {"own memory", EACCES},
    {"environment of parent", EACCES},
    {"socket of IPv4", EACCES},
    {"socket of IPv6", EACCES},
    {"local socket", EACCES},
    {"socket of routes", EACCES},
    {"socket of audit", EACCES},
    {"signal to parent", EPERM},
    {"thread signal to parent", EPERM},
    {"trace", EPERM},
    {"memory of parent", EPERM},
    {"type into terminal", EPERM},
    {"execute", EPERM},
    {"fork", EPERM},
    {"spawn", EPERM},
    {"clone3", ENOSYS},
    {"thread", 0},
    {"read /etc/passwd in a thread", EACCES},
    {"mount", EPERM},
    {"unshare", EPERM},
    {"chroot", EPERM},
    {"setns", EPERM},
    {"setuid", EPERM},
    {"bpf", EPERM},
    {"keyctl", EPERM},
    {"io_uring", EPERM},
    {"userfaultfd", EPERM},
    {"perf", EPERM},
    {"handle", EPERM},
};

/// Returns `answers` with those of `other` in place of their own.
Answers with(Answers answers, const Answers& other) {
  for (const auto& [name, code] : other) answers[name] = code;
  return answers;
}

/// A URL lets the run open sockets of IP.
const Answers kCagedWithUrl =
    with(kCaged, {{"socket of IPv4", 0}, {"socket of IPv6", 0}, {"socket of routes", 0}});

Answers answers_in(const std::string& text) {
  Answers answers;
  std::istringstream lines(text);
  constexpr std::string_view kMark = "hostile ";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kMark)) continue;
    const std::size_t last = line.rfind(' ');
    answers[line.substr(kMark.size(), last - kMark.size())] = std::stoi(line.substr(last));
  }
  return answers;
}

/// Expects these answers to the attempts in what a program has printed.
void expect_answers(const CommandResult& result, const Answers& expected) {
  const Answers answers = answers_in(result.err);
  EXPECT_EQ(answers.size(), expected.size()) << result.err;
  for (const auto& [name, code] : answers) {
    const auto wanted = expected.find(name);
    ASSERT_NE(wanted, expected.end()) << name;
    EXPECT_EQ(code, wanted->second) << name;
  }
}

class SandboxProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "a sanitizer needs what the sandbox refuses";
    if (const std::string reason = app::machine_against_sandbox(); !reason.empty())
      GTEST_SKIP() << reason;
    fs::create_directory(dir_ / "in");
    fs::create_directory(dir_ / "out");
    fs::copy_file(*clips_ / "clip.mp4", clip());
  }
  static void SetUpTestSuite() {
    clips_.emplace();
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -c:v libx264 -preset ultrafast",
           *clips_ / "clip.mp4");
  }
  static void TearDownTestSuite() { clips_.reset(); }

  [[nodiscard]] fs::path clip() const { return dir_ / "in/clip.mp4"; }
  [[nodiscard]] fs::path out(const std::string& name = {}) const { return dir_ / "out" / name; }

  /// Runs the program while the hostile codec is in it.
  [[nodiscard]] CommandResult run_hostile(const Arguments& words) const {
    const fs::path secret = dir_.write("private/secret", "secret");
    for (const char* const victim : {"in/remove-me", "in/rename-me", "in/take-me"})
      static_cast<void>(dir_.write(victim));
    std::error_code exists;
    fs::create_symlink(secret, out("link"), exists);
    return run_command(joined({"env", std::string("LD_PRELOAD=") + FACEPIPE_HOSTILE_CODEC,
                               "FACEPIPE_HOSTILE_INPUT=" + clip().string(),
                               "FACEPIPE_HOSTILE_OUTPUT=" + out().parent_path().string(),
                               "FACEPIPE_HOSTILE_SECRET=" + secret.string(), FACEPIPE_PROGRAM},
                              words));
  }

  /// Runs the program as if the kernel lacked Landlock or seccomp.
  static CommandResult run_on_old_kernel(const std::string& lacks, const Arguments& words) {
    return run_command(joined({FACEPIPE_OLD_KERNEL, lacks, FACEPIPE_PROGRAM}, words));
  }

  static inline std::optional<TemporaryFolder> clips_;
  const TemporaryFolder dir_;
};

TEST_F(SandboxProgram, HostileCodeInEachCommandIsRefusedWhatItTries) {
  const std::string same = (*clips_ / "clip.mp4").string();
  const std::vector<Arguments> commands{
      {"run", clip(), "-o", out("o.mkv")},
      {"hide", clip(), "-o", out("h.mkv")},
      {"detect", clip(), "--detections", out("d.jsonl")},
      {"run", dir_ / "in", "-o", out().string()},
      {"verify", clip(), clip(), "--quick", "--report", out("v.json")},
  };
  for (const Arguments& words : commands) {
    SCOPED_TRACE(words.front());
    const CommandResult result = run_hostile(joined(words, {"-q", "--sandbox", "on"}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    expect_answers(result, kCaged);
    EXPECT_EQ(read_file(clip()), read_file(same));
  }
}

TEST_F(SandboxProgram, WithoutTheSandboxHostileCodeIsFree) {
  const CommandResult result =
      run_hostile({"run", clip(), "-o", out("o.mkv"), "-q", "--sandbox", "off", "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Answers answers = answers_in(result.err);
  for (const char* const allowed :
       {"read /etc/passwd", "read secret", "write input", "write input through descriptor",
        "make beside input", "remove beside input", "take from beside input", "symbolic link",
        "chmod", "own memory", "environment of parent", "socket of IPv4", "local socket",
        "signal to parent", "fork", "spawn", "read /etc/passwd in a thread"})
    EXPECT_EQ(answers.at(allowed), 0) << allowed;
  EXPECT_EQ(answers.at("execute"), ENOENT);
  EXPECT_EQ(answers.size(), kCaged.size());
}

TEST_F(SandboxProgram, AutoIsOnUnlessACudaDeviceMayBeUsed) {
  const CommandResult result = run_hostile({"run", clip(), "-o", out("o.mkv"), "-q"});
  if (app::probe_cuda().devices.empty())
    expect_answers(result, kCaged);
  else
    EXPECT_EQ(answers_in(result.err).at("read secret"), 0) << result.err;
}

TEST_F(SandboxProgram, AutoIsOnForTheCpu) {
  const CommandResult result =
      run_hostile({"run", clip(), "-o", out("o.mkv"), "-q", "--device", "cpu"});
  expect_answers(result, kCaged);
}

TEST_F(SandboxProgram, AUrlOpensSocketsOfIpAndNothingElse) {
  const std::string file = read_file(clip());
  const LoopbackServer server(
      [&](const std::string& /*name*/) { return http_answer(file, file.size()); });
  const CommandResult result = run_hostile({"run", server.url("clip.mp4"), "-o", out("o.mkv"), "-q",
                                            "--sandbox", "on", "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // Nothing in this folder belongs to the run.
  expect_answers(result, with(kCagedWithUrl,
                              {{"read input", EACCES}, {"write input through descriptor", EBADF}}));
}

TEST_F(SandboxProgram, ReferencesMayBeReadEverywhereButNotWritten) {
  dir_.write("in/list.ffconcat", "ffconcat version 1.0\nfile clip.mp4\n");
  const CommandResult result =
      run_hostile({"run", dir_ / "in/list.ffconcat", "-o", out("o.mkv"), "-q", "--sandbox", "on",
                   "--device", "cpu", "--allow-references"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Answers answers = answers_in(result.err);
  EXPECT_EQ(answers.at("read secret"), 0);
  for (const char* const refused : {"write input", "make beside input", "own memory"})
    EXPECT_EQ(answers.at(refused), EACCES) << refused;
  EXPECT_EQ(answers.at("execute"), EPERM);
}

/// A run in the sandbox, and the same run without.
struct Way {
  std::string name;
  Arguments words;
  std::vector<std::string> made;        ///< files in the folder "out", which don't differ
  std::vector<std::string> there = {};  ///< files there that tell times
};

void PrintTo(const Way& way, std::ostream* to) { *to << way.name; }

class SandboxWays : public SandboxProgram, public testing::WithParamInterface<Way> {
 protected:
  /// Replaces words that begin with "@" by paths in the test's folder.
  [[nodiscard]] Arguments words_of(const Way& way) const {
    Arguments words;
    for (const std::string& word : way.words)
      words.push_back(word.starts_with('@') ? (dir_ / word.substr(1)).string() : word);
    return joined(words, {"-q", "--device", "cpu"});
  }
};

TEST_P(SandboxWays, MakesTheSameFilesAsWithoutIt) {
  const Arguments words = words_of(GetParam());
  const fs::path both[] = {dir_ / "caged", dir_ / "free"};
  for (const fs::path& kept : both) {
    const std::string mode = kept.filename() == "caged" ? "on" : "off";
    fs::create_directories(out());
    const CommandResult result = run_program(joined(words, {"--sandbox", mode}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    fs::rename(dir_ / "out", kept);
  }
  for (const std::string& name : GetParam().made) {
    ASSERT_TRUE(fs::exists(both[0] / name)) << name;
    EXPECT_TRUE(read_file(both[0] / name) == read_file(both[1] / name)) << name << " differs";
  }
  for (const std::string& name : GetParam().there)
    for (const fs::path& folder : both) EXPECT_TRUE(fs::exists(folder / name)) << name;
}

INSTANTIATE_TEST_SUITE_P(
    Sandbox, SandboxWays,
    testing::Values(
        Way{"Run", {"run", "@in/clip.mp4", "-o", "@out/o.mp4"}, {"o.mp4"}},
        Way{"NewFolder", {"run", "@in/clip.mp4", "-o", "@out/a/b/"}, {"a/b/clip_faces.mp4"}},
        Way{"Folder",
            {"run", "@in", "-o", "@out", "--detections", "@out/d.jsonl"},
            {"clip_faces.mp4", "d.jsonl"}},
        Way{"Pictures", {"run", "@in/clip.mp4", "-o", "@out/p%03d.png"}, {"p001.png", "p010.png"}},
        Way{"Hide", {"hide", "@in/clip.mp4", "-o", "@out/o.mp4"}, {"o.mp4"}},
        Way{"TwoPasses", {"hide", "@in/clip.mp4", "-o", "@out/o.mp4", "--two-pass"}, {"o.mp4"}},
        Way{"Detect",
            {"detect", "@in/clip.mp4", "--write-tracks", "@out/t.json", "--detections",
             "@out/d.csv"},
            {"t.json", "d.csv"}},
        Way{"OpenCV", {"run", "@in/clip.mp4", "-o", "@out/o.mp4", "--engine", "opencv"}, {"o.mp4"}},
        Way{"I8", {"run", "@in/clip.mp4", "-o", "@out/o.mp4", "--precision", "i8"}, {"o.mp4"}},
        Way{"Hevc", {"run", "@in/clip.mp4", "-o", "@out/o.mp4", "--codec", "libx265"}, {"o.mp4"}},
        Way{"Parts", {"run", "@in/clip.mp4", "-o", "@out/o.mp4", "--parts", "2"}, {"o.mp4"}},
        Way{"Page",
            {"run", "@in", "-o", "@out", "--report-html", "@out/r.html"},
            {},
            {"r.html", "r/clip.mp4.html"}}),
    [](const auto& way) { return way.param.name; });

TEST_F(SandboxProgram, AReviewOpensTheBrowserAndHidesNothingFromIt) {
  // Plays the desktop: it writes the address into a file, and asks for the page, as a browser does.
  const fs::path desktop =
      dir_.write("bin/xdg-open", "#!/bin/sh\necho \"$1\" >" + (dir_ / "address").string() + "\n");
  fs::permissions(desktop, fs::perms::owner_all);
  const std::string script =
      "cd \"$1\"; PATH=$1/bin:$PATH DISPLAY=:9 \"$0\" review in/clip.mp4 --sandbox on -q "
      "--device "
      "cpu >printed & pid=$!; for i in $(seq 600); do [ -s \"$1/address\" ] && break; sleep 0.1; "
      "done; kill -TERM $pid; wait $pid";
  const CommandResult result = run_command({"bash", "-c", script, FACEPIPE_PROGRAM, dir_.path()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(read_file(dir_ / "address"), testing::MatchesRegex("http://127\\.0\\.0\\.1:.*\n"));
  EXPECT_THAT(read_file(dir_ / "printed"), HasSubstr(read_file(dir_ / "address")));
  EXPECT_TRUE(fs::exists(dir_ / "in/clip.edits.json"));
}

TEST_F(SandboxProgram, APageOfAReviewIsReadByItsOwnerAlone) {
  dir_.write("out/page.html", "<!DOCTYPE html>");
  fs::permissions(out("page.html"), fs::perms::all);
  const CommandResult result =
      run_program({"review", clip(), "--edits", out("e.json"), "--to", out("page.html"),
                   "--overwrite", "-q", "--sandbox", "on", "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(fs::status(out("page.html")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(SandboxProgram, LinksInAFolderAreFollowed) {
  fs::create_directory(dir_ / "elsewhere");
  fs::rename(clip(), dir_ / "elsewhere/clip.mp4");
  fs::create_symlink("../elsewhere/clip.mp4", dir_ / "in/linked.mp4");
  const CommandResult result = run_program(
      {"run", dir_ / "in", "-o", out().string(), "-q", "--sandbox", "on", "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fs::exists(out("linked_faces.mp4")));
}

TEST_F(SandboxProgram, AFolderThatWasMadeForNothingIsRemoved) {
  const CommandResult result =
      run_program({"run", clip(), "-o", (out("new") / "er/").string(), "-q", "--sandbox", "on",
                   "--model", dir_ / "none.onnx", "--device", "cpu"});
  expect_refused(result, 4, "none.onnx: no such file");
  EXPECT_FALSE(fs::exists(out("new")));
}

TEST_F(SandboxProgram, StandardStreamsAndFifosWork) {
  ASSERT_EQ(mkfifo(out("fifo").c_str(), 0600), 0);
  const std::string script =
      "cd \"$1\" && cat out/fifo >out/copy.mkv & cd \"$1\" && \"$0\" run - -o out/fifo --format "
      "matroska -q --sandbox on --device cpu <in/clip.mp4 && wait && \"$0\" run - -o - -q "
      "--sandbox on --device cpu <in/clip.mp4 >out/direct.mkv && cat in/clip.mp4 | \"$0\" run - "
      "-o - -q --sandbox on --device cpu | cat >out/piped.mkv";
  const CommandResult result = run_command({"bash", "-c", script, FACEPIPE_PROGRAM, dir_.path()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const std::string pictures = decoded_pictures(out("direct.mkv"));
  EXPECT_FALSE(pictures.empty());
  EXPECT_EQ(decoded_pictures(out("copy.mkv")), pictures);
  EXPECT_EQ(decoded_pictures(out("piped.mkv")), pictures);
}

TEST_F(SandboxProgram, LinesOfSeveralInputsWaitInAFileThatWasMadeBefore) {
  for (const char* const name : {"in/a.mp4", "in/b.mp4", "in/c.mp4"})
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=6 -c:v libx264 -preset ultrafast", dir_ / name);
  fs::create_directory(dir_ / "tmp");
  std::string both[2];
  for (const std::string mode : {"on", "off"}) {
    const CommandResult result = run_command(
        {"env", "TMPDIR=" + (dir_ / "tmp").string(), FACEPIPE_PROGRAM, "run", dir_ / "in",
         "--no-video", "--lanes", "3", "--detections", out(mode + ".jsonl"), "--detect-size",
         "64x64", "-q", "--sandbox", mode, "--device", "cpu"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    both[mode == "on" ? 0 : 1] = read_file(out(mode + ".jsonl"));
  }
  EXPECT_EQ(both[0], both[1]);
  EXPECT_TRUE(fs::is_empty(dir_ / "tmp"));
}

TEST_F(SandboxProgram, ARunNeedsNoHomeAndNoTemporaryFolder) {
  const CommandResult result =
      run_command({"env", "HOME=/no/such/home", "TMPDIR=/no/such/folder", FACEPIPE_PROGRAM, "hide",
                   clip(), "-o", out("o.mkv"), "-q", "--sandbox", "on", "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
}

TEST_F(SandboxProgram, AnEarlierRunIsGoneOnWith) {
  const Arguments words{"run",          clip(),     "-o",          out("o.mkv"), "--detections",
                        out("d.jsonl"), "--report", out("r.json"), "-q",         "--sandbox",
                        "on",           "--device", "cpu"};
  EXPECT_EQ(run_program(words).exit_code, 0);
  EXPECT_EQ(run_program(words).exit_code, 5) << "the files exist already";
  EXPECT_EQ(run_program(joined(words, {"--skip-existing"})).exit_code, 0);
  EXPECT_EQ(run_program(joined(words, {"--overwrite"})).exit_code, 0);
}

TEST_F(SandboxProgram, WhereTheKernelCannotOnIsAnErrorAndAutoWarns) {
  const Arguments words{"run", clip(), "-o", out("o.mkv"), "--overwrite", "--device", "cpu"};
  for (const char* const lacks : {"landlock", "seccomp"}) {
    const std::string reason = lacks == std::string("landlock") ? "the kernel has no Landlock"
                                                                : "the kernel has no seccomp";
    expect_refused(run_on_old_kernel(lacks, joined(words, {"--sandbox", "on"})), 4,
                   "--sandbox on: " + reason);
    const CommandResult warned = run_on_old_kernel(lacks, words);
    EXPECT_EQ(warned.exit_code, 0) << warned.err;
    EXPECT_THAT(warned.err,
                HasSubstr("warning: no sandbox protects from hostile inputs: " + reason));
    const CommandResult quiet = run_on_old_kernel(lacks, joined(words, {"-q"}));
    EXPECT_EQ(quiet.err, "");
    const CommandResult off = run_on_old_kernel(lacks, joined(words, {"--sandbox", "off"}));
    EXPECT_THAT(off.err, Not(HasSubstr("sandbox")));
  }
}

TEST_F(SandboxProgram, AProgramThatReadsProgressHearsOfTheError) {
  const CommandResult result =
      run_on_old_kernel("landlock", {"detect", clip(), "--detections", out("d.jsonl"), "--progress",
                                     "json", "-q", "--sandbox", "on"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.out, HasSubstr("\"status\":\"failed\""));
  EXPECT_THAT(result.out, HasSubstr("--sandbox on: the kernel has no Landlock"));
}

TEST_F(SandboxProgram, DoctorTellsWhatHolds) {
  const CommandResult here = run_program({"doctor"});
  EXPECT_THAT(here.out, HasSubstr("auto is on, unless a CUDA device may be used"));
  const CommandResult old = run_on_old_kernel("landlock", {"doctor"});
  EXPECT_THAT(old.out, HasSubstr("auto is off, and on is an error"));
}

}  // namespace
}  // namespace facepipe::test
