// These tests check which jobs the named inputs become: files in folders, output names, refusals.
#include "app/run/plan_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Replaces the pipeline's function. The inputs are empty files, so this function decides by their
/// names.
std::string extension_by_name(const std::string& input) {
  if (input.find("broken") != std::string::npos)
    throw Error(ErrorKind::input, input + ": no media");
  const std::string extension = fs::path(input).extension().string();
  const bool writable = extension == ".mp4" || extension == ".png" || extension == ".mov";
  return writable ? extension : ".mkv";
}

std::vector<PlannedInput> plan(const std::vector<std::string>& inputs,
                               const std::string& output = "") {
  return plan_inputs(inputs, {output, true}, extension_by_name);
}

std::vector<std::string> names(const std::vector<PlannedInput>& planned) {
  std::vector<std::string> names;
  for (const PlannedInput& job : planned) names.push_back(job.name);
  return names;
}

std::vector<std::string> outputs(const std::vector<PlannedInput>& planned) {
  std::vector<std::string> outputs;
  for (const PlannedInput& job : planned) outputs.push_back(job.output.string());
  return outputs;
}

TEST(MediaFiles, TellsOutputsFromInputs) {
  for (const char* name : {"a_faces.mp4", "a_faces.partial.mp4", "a_faces.mp4.tmp-1.mp4",
                           "b.partial.mkv", "_faces.png"})
    EXPECT_TRUE(is_earlier_output(name)) << name;
  for (const char* name : {"a.mp4", "faces.mp4", "a_faces_b.mp4", "partial.mp4", "my_faces2.mp4"})
    EXPECT_FALSE(is_earlier_output(name)) << name;
}

TEST(MediaFiles, KnowsExtensionsInAnyCase) {
  for (const char* name : {"a.mp4", "a.MP4", "a.b.MkV", "a.jpeg", "a.m2ts"})
    EXPECT_TRUE(has_media_extension(name)) << name;
  for (const char* name : {"a", "mp4", ".mp4", "a.txt", "a.mp4.part", "a.jsonl"})
    EXPECT_FALSE(has_media_extension(name)) << name;
}

TEST(Inputs, OutputStandsBesideTheFile) {
  const TemporaryFolder dir;
  const std::string clip = dir.write("clip.mp4");
  const auto planned = plan({clip});
  EXPECT_THAT(names(planned), ElementsAre(clip));
  EXPECT_EQ(planned[0].input, clip);
  EXPECT_THAT(outputs(planned), ElementsAre(dir / "clip_faces.mp4"));
  EXPECT_FALSE(planned[0].failure);
}

TEST(Inputs, OutputsExtensionIsThatOfItsContainer) {
  const TemporaryFolder dir;
  EXPECT_THAT(outputs(plan({dir.write("a.b.rm")})), ElementsAre(dir / "a.b_faces.mkv"));
  EXPECT_THAT(outputs(plan({dir.write("noextension")})),
              ElementsAre(dir / "noextension_faces.mkv"));
}

TEST(Inputs, WithoutVideoNothingIsAskedAndNothingWritten) {
  const TemporaryFolder dir;
  const auto planned = plan_inputs({dir.write("clip.mp4")}, {"", false}, nullptr);
  EXPECT_THAT(outputs(planned), ElementsAre(""));
}

TEST(Inputs, DirectoryIsWalkedAndSortedWithoutOutputsAndHiddenFiles) {
  const TemporaryFolder dir;
  for (const char* name : {"b.mp4", "a/z.mov", "a.png", "a/c/x.MP4", "a_faces.png", "notes.txt",
                           "b_faces.partial.mp4", ".hidden.mp4", ".trash/old.mp4", "._b.mp4"})
    dir.write(name);
  const auto planned = plan({dir.path()});
  EXPECT_THAT(names(planned), ElementsAre("a/c/x.MP4", "a/z.mov", "a.png", "b.mp4"));
  EXPECT_EQ(planned[0].input, dir / "a/c/x.MP4");
  EXPECT_THAT(outputs(planned), ElementsAre(dir / "a/c/x_faces.mkv", dir / "a/z_faces.mov",
                                            dir / "a_faces.png", dir / "b_faces.mp4"));
}

TEST(Inputs, TrailingSlashOfADirectoryChangesNothing) {
  const TemporaryFolder dir;
  dir.write("in/a.mp4");
  EXPECT_THAT(names(plan({dir / "in/"})), ElementsAre("a.mp4"));
  EXPECT_THAT(names(plan({dir / "in"})), ElementsAre("a.mp4"));
}

TEST(Inputs, OutputDirectoryKeepsTheInputsFolders) {
  const TemporaryFolder dir;
  dir.write("in/a/x.mp4");
  dir.write("in/y.mp4");
  const std::string single = dir.write("other/z.mp4");
  EXPECT_THAT(
      outputs(plan({dir / "in", single}, dir / "out/")),
      ElementsAre(dir / "out/a/x_faces.mp4", dir / "out/y_faces.mp4", dir / "out/z_faces.mp4"));
  fs::create_directory(dir / "made");
  EXPECT_THAT(outputs(plan({single}, dir / "made")), ElementsAre(dir / "made/z_faces.mp4"));
  EXPECT_FALSE(fs::exists(dir / "out")) << "planning makes nothing";
}

TEST(Inputs, OutputFileIsTakenAsItIs) {
  const TemporaryFolder dir;
  EXPECT_THAT(outputs(plan({dir.write("a.mp4")}, dir / "b.mkv")), ElementsAre(dir / "b.mkv"));
}

TEST(Inputs, OutputOfAUrlLiesInTheCurrentDirectory) {
  struct Case {
    const char* url;
    const char* output;
  };
  for (const Case& c :
       {Case{"http://host/a/clip.mp4", "clip_faces.mp4"},
        Case{"https://host/a/clip.mp4?token=a/b.png#t=3", "clip_faces.mkv"},
        Case{"rtsp://host:554/stream1", "stream1_faces.mkv"},
        Case{"http://host", "stream_faces.mkv"}, Case{"http://host/", "stream_faces.mkv"},
        Case{"http://host/..", "stream_faces.mkv"}})
    EXPECT_THAT(outputs(plan({c.url})), ElementsAre(c.output));
}

TEST(Inputs, BadInputFailsAlone) {
  const TemporaryFolder dir;
  fs::create_directory(dir / "empty");
  dir.write("outputs/a_faces.mp4");
  dir.write("mixed/broken.mp4");
  dir.write("mixed/good.mp4");
  const auto planned = plan({dir / "no.mp4", dir / "empty", dir / "outputs", dir / "mixed"});
  ASSERT_EQ(planned.size(), 5U);
  const std::vector<std::string> reasons{"no.mp4: no such file or directory",
                                         "empty: there is no video or image in it",
                                         "except 1 earlier outputs", "broken.mp4: no media"};
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    ASSERT_TRUE(planned[i].failure) << i;
    EXPECT_EQ(planned[i].failure->code, 3);
    EXPECT_THAT(planned[i].failure->message, HasSubstr(reasons[i]));
  }
  EXPECT_FALSE(planned[4].failure);
  EXPECT_EQ(planned[4].name, "good.mp4");
}

/// Drops root's rights while the object exists, because root can read all files.
class Unprivileged {
 public:
  Unprivileged() {
    if (user_ == 0 && seteuid(kNobody) != 0) throw std::runtime_error("seteuid");
  }
  ~Unprivileged() {
    if (user_ == 0 && seteuid(0) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  const uid_t user_ = geteuid();
};

std::vector<PlannedInput> plan_with_locked(const TemporaryFolder& dir, const std::string& locked,
                                           fs::perms left = fs::perms::none) {
  fs::permissions(dir.path(), fs::perms{0755});
  fs::permissions(dir / locked, left);
  std::vector<PlannedInput> planned;
  {
    const Unprivileged user;
    planned = plan({dir / "in"});
  }
  fs::permissions(dir / locked, fs::perms::owner_all);
  return planned;
}

TEST(Inputs, UnreadableSubfolderIsToldByItsNameAndTheRestIsDone) {
  const TemporaryFolder dir;
  dir.write("in/a.mp4");
  dir.write("in/b/locked/c.mp4");
  dir.write("in/b/d.mp4");
  dir.write("in/z/e.mp4");
  const auto planned = plan_with_locked(dir, "in/b/locked");
  EXPECT_THAT(names(planned), ElementsAre("a.mp4", "b/d.mp4", "z/e.mp4", "b/locked"));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(planned.at(i).failure) << i;
  ASSERT_TRUE(planned.at(3).failure);
  EXPECT_EQ(planned[3].failure->code, 3);
  EXPECT_THAT(planned[3].failure->message,
              HasSubstr("in/b/locked: can't be read: Permission denied"));
}

TEST(Inputs, SubfolderOfAFolderThatCannotBeSearchedIsTold) {
  const TemporaryFolder dir;
  dir.write("in/a.mp4");
  dir.write("in/listed/sub/b.mp4");
  const auto planned = plan_with_locked(dir, "in/listed", fs::perms{0444});
  EXPECT_THAT(names(planned), ElementsAre("a.mp4", "listed/sub"));
  ASSERT_TRUE(planned.at(1).failure);
  EXPECT_THAT(planned[1].failure->message, HasSubstr("in/listed/sub: can't be read"));
}

TEST(Inputs, UnreadableFolderIsToldAloneAndNotAsEmpty) {
  const TemporaryFolder dir;
  dir.write("in/a.mp4");
  const auto planned = plan_with_locked(dir, "in");
  ASSERT_EQ(planned.size(), 1U);
  ASSERT_TRUE(planned[0].failure);
  EXPECT_THAT(planned[0].failure->message, HasSubstr("in: can't be read: Permission denied"));
}

TEST(Inputs, FolderWithNothingButAnUnreadableOneIsToldOnce) {
  const TemporaryFolder dir;
  dir.write("in/locked/a.mp4");
  const auto planned = plan_with_locked(dir, "in/locked");
  ASSERT_EQ(planned.size(), 1U);
  ASSERT_TRUE(planned[0].failure);
  EXPECT_THAT(planned[0].failure->message, HasSubstr("in/locked: can't be read"));
}

TEST(Inputs, OneOutputFileForSeveralInputsIsRefused) {
  const TemporaryFolder dir;
  const std::string a = dir.write("in/a.mp4");
  const std::string b = dir.write("b.mp4");
  expect_error(ErrorKind::usage, "several inputs need a directory", [&] {
    (void)plan({a, b}, dir / "out.mp4");
  });
  expect_error(ErrorKind::usage, "several inputs need a directory",
               [&] { (void)plan({dir / "in"}, dir / "out.mp4"); });
}

TEST(Inputs, OutputThatIsAnInputIsRefusedByWhateverName) {
  const TemporaryFolder dir;
  const std::string a = dir.write("a.mp4");
  fs::create_directory(dir / "sub");
  fs::create_symlink(a, dir / "link.mp4");
  fs::create_hard_link(a, dir / "hard.mp4");
  for (const std::string& output : std::vector<std::string>{
           a, dir / "./a.mp4", dir / "sub/../a.mp4", dir / "link.mp4", dir / "hard.mp4"})
    expect_error(ErrorKind::usage, "a.mp4: is an input, but would also be the output",
                 [&] { (void)plan({a}, output); });
  expect_error(ErrorKind::usage, "is an input, but would also be the output",
               [&] { (void)plan({"file://" + a}, a); });
  const std::string earlier = dir.write("a_faces.mp4");
  expect_error(ErrorKind::usage, "a_faces.mp4: is an input, but would also be the output of", [&] {
    (void)plan({a, earlier});
  });
}

TEST(Inputs, TwoInputsWithOneOutputAreRefused) {
  const TemporaryFolder dir;
  const std::string a = dir.write("x/clip.mp4");
  const std::string b = dir.write("y/clip.mp4");
  const std::string c = dir.write("x/clip.rm");
  const std::string d = dir.write("x/clip.dv");
  expect_error(ErrorKind::usage, "would be the output of", [&] {
    (void)plan({a, b}, dir / "out/");
  });
  expect_error(ErrorKind::usage, "would be the output of", [&] { (void)plan({a, a}); });
  expect_error(ErrorKind::usage, "would be the output of", [&] { (void)plan({c, d}); });
  EXPECT_EQ(plan({a, b}).size(), 2U);
}

}  // namespace
}  // namespace facepipe::app
