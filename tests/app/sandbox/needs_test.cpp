// Checks what command lines need from outside of the sandbox.
#include "app/sandbox/needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace facepipe::app {

bool operator==(const AllowedPath& a, const AllowedPath& b) {
  return a.path == b.path && a.access == b.access;
}
void PrintTo(const AllowedPath& each, std::ostream* to) {
  *to << (each.access == FileAccess::write ? "write " : "read ") << each.path.string();
}

namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

template <typename Options>
SandboxNeeds needs(const std::vector<std::string>& words) {
  return needs_of(std::get<Options>(parse_command(words)));
}

AllowedPath reads(const fs::path& path) { return {path, FileAccess::read}; }

std::vector<fs::path> written(const SandboxNeeds& needs) {
  std::vector<fs::path> paths;
  for (const AllowedPath& each : needs.paths)
    if (each.access == FileAccess::write) paths.push_back(each.path);
  return paths;
}

TEST(SandboxNeeds, ARunReadsItsInputsAndModelsAndWritesBesideThem) {
  const test::TemporaryFolder dir;
  const std::string clip = dir.write("in/clip.mp4");
  const SandboxNeeds found =
      needs<RunOptions>({"run", clip, "--model", "m.onnx", "--card", "c.json", "--device", "cpu"});
  EXPECT_THAT(found.paths, IsSupersetOf({reads(clip), reads("m.onnx"), reads("m.onnx.json"),
                                         reads("m.onnx.i8.json"), reads("c.json")}));
  EXPECT_THAT(written(found), ElementsAre(dir / "in"));
  EXPECT_EQ(found.network, Network::none);
  EXPECT_FALSE(found.cuda);
  EXPECT_FALSE(found.spool);
}

TEST(SandboxNeeds, TheFoldersOfNamedOutputsAreWrittenAlone) {
  const test::TemporaryFolder dir;
  const std::string clip = dir.write("in/clip.mp4");
  fs::create_directory(dir / "out");
  const SandboxNeeds file =
      needs<RunOptions>({"run", clip, "-o", dir / "out/o.mkv", "--report", "r.json"});
  EXPECT_THAT(written(file), ElementsAre(dir / "out", "."));
  EXPECT_TRUE(file.made.empty());
  const SandboxNeeds folder = needs<RunOptions>({"run", clip, "-o", (dir / "new/").string()});
  EXPECT_THAT(written(folder), ElementsAre());
  EXPECT_THAT(folder.made, ElementsAre(dir / "new/"));
  const SandboxNeeds none = needs<RunOptions>({"run", clip, "--no-video"});
  EXPECT_THAT(written(none), ElementsAre());
}

TEST(SandboxNeeds, StreamsAreWrittenWithoutTheirFolder) {
  const SandboxNeeds found =
      needs<RunOptions>({"run", "clip.mp4", "-o", "/dev/null", "--detections", "-"});
  EXPECT_THAT(written(found), ElementsAre("/dev/null", "/dev/stdout"));
}

TEST(SandboxNeeds, OnlyUrlsAndReferencesNeedTheNetwork) {
  const auto network = [](const std::vector<std::string>& words) {
    return needs<RunOptions>(words).network == Network::allowed;
  };
  EXPECT_FALSE(network({"run", "clip.mp4"}));
  EXPECT_FALSE(network({"run", "file:///clip.mp4"}));
  EXPECT_FALSE(network({"run", "http:clip.mp4"})) << "this is the name of a file";
  EXPECT_TRUE(network({"run", "http://host/clip.mp4"}));
  EXPECT_TRUE(network({"run", "cache:https://host/clip.mp4"}));
  EXPECT_TRUE(network({"run", "concat:http://host/a.ts|http://host/b.ts"}));
  EXPECT_TRUE(network({"run", "clip.mp4", "rtsp://host/camera"}));
  EXPECT_TRUE(network({"run", "list.m3u8", "--allow-references"}));
}

TEST(SandboxNeeds, ReferencesMayBeRead) {
  EXPECT_THAT(needs<RunOptions>({"run", "list.m3u8", "--allow-references"}).paths,
              Contains(reads("/")));
  EXPECT_THAT(needs<RunOptions>({"run", "list.m3u8"}).paths, Not(Contains(reads("/"))));
}

TEST(SandboxNeeds, AFolderIsReadWithTheFilesToWhichItsLinksLead) {
  const test::TemporaryFolder dir;
  static_cast<void>(dir.write("in/clip.mp4"));
  fs::create_symlink(dir.write("elsewhere/other.mp4"), dir / "in/link.mp4");
  const SandboxNeeds found =
      needs<RunOptions>({"run", dir / "in", "-o", "/dev/null", "--detections", dir / "d.jsonl"});
  EXPECT_THAT(found.paths, IsSupersetOf({reads(dir / "in"), reads(dir / "in/link.mp4")}));
  EXPECT_THAT(found.paths, Not(Contains(reads(dir / "in/clip.mp4"))));
  EXPECT_TRUE(found.spool);
}

TEST(SandboxNeeds, AnEditFileIsReadWithTheLogOfItsReview) {
  const SandboxNeeds found =
      needs<RunOptions>({"hide", "clip.mp4", "-o", "/dev/null", "--tracks", "clip.edits.json"});
  EXPECT_THAT(found.paths, IsSupersetOf({reads("clip.edits.json"), reads("clip.edits.log.jsonl")}));
}

TEST(SandboxNeeds, ACudaDeviceIsUsedUnlessTheCpuIsNamed) {
  EXPECT_TRUE(needs<RunOptions>({"run", "clip.mp4"}).cuda);
  EXPECT_TRUE(needs<RunOptions>({"run", "clip.mp4", "--device", "cuda:1"}).cuda);
  EXPECT_TRUE(needs<RunOptions>({"run", "clip.mp4", "--devices", "all"}).cuda);
  EXPECT_FALSE(needs<RunOptions>({"run", "clip.mp4", "--device", "cpu"}).cuda);
}

TEST(SandboxNeeds, APlanOfARunWritesNothing) {
  const Command command = parse_command({"plan", "run", "clip.mp4", "--report", "r.json"});
  EXPECT_THAT(written(needs_of(std::get<PlanOptions>(command).run, Doing::plan)), ElementsAre());
}

TEST(SandboxNeeds, OtherCommands) {
  const SandboxNeeds verify = needs<VerifyOptions>(
      {"verify", "a.mp4", "b.mp4", "--report", "out/r.json", "--thumbnails", "faces/of"});
  EXPECT_THAT(verify.paths, IsSupersetOf({reads("a.mp4"), reads("b.mp4")}));
  EXPECT_THAT(written(verify), ElementsAre("out", "faces"));
  const SandboxNeeds split = needs<SplitOptions>({"split", "run", "in/clip.mp4"});
  EXPECT_THAT(split.paths, Contains(reads("in/clip.mp4")));
  EXPECT_THAT(written(split), ElementsAre("in"));
  const SandboxNeeds calibrate =
      needs<CalibrateOptions>({"calibrate", "photo.jpg", "--model", "models/m.onnx"});
  EXPECT_THAT(calibrate.paths, IsSupersetOf({reads("photo.jpg"), reads("models/m.onnx")}));
  EXPECT_THAT(written(calibrate), ElementsAre("models"));
  const SandboxNeeds check = needs<ModelCheckOptions>(
      {"model", "check", "m.onnx", "--picture", "p/photo.jpg", "--images", "wider"});
  EXPECT_THAT(check.paths, IsSupersetOf({reads("m.onnx"), reads("p/photo.jpg"), reads("wider")}));
  EXPECT_THAT(written(check), ElementsAre("p"));
}

}  // namespace
}  // namespace facepipe::app
