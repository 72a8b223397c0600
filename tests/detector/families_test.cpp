// These tests check the registry of detector families: to which family a file or a library belongs,
// and what is refused.
#include "detector/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector {
namespace {

TEST(Families, OwnEachLibraryOnce) {
  for (const NamedEngine& engine : named_engines()) {
    const auto owners = std::ranges::count_if(
        families(), [&](const Family* family) { return family->has(engine.library); });
    EXPECT_EQ(owners, 1) << engine.name;
    EXPECT_TRUE(family_of(engine.library).has(engine.library)) << engine.name;
  }
}

TEST(Families, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Family* family : families()) names.insert(family->name);
  EXPECT_EQ(names, (std::set<std::string_view>{"cnn", "cascade", "acf"}));
}

TEST(Families, AreKnownByContent) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(family_of(folder.write("a.onnx", " <x/>")).name, "cascade");
  EXPECT_EQ(family_of(folder.write("b.xml", " {}")).name, "acf");
  EXPECT_EQ(family_of(folder.write("c.json", "\x08")).name, "cnn");
  EXPECT_EQ(family_of(folder / "none").name, "cnn");
}

TEST(Families, NameTheirFiles) {
  EXPECT_EQ(model_files(),
            "ONNX (CenterFace, YuNet, SCRFD, or YOLO), a cascade in OpenCV's XML, or channel "
            "features in JSON");
  EXPECT_EQ(files_with(Precision::i8), "ONNX (CenterFace, YuNet, SCRFD, or YOLO)");
}

TEST(Families, NameThoseThatTakeAnOption) {
  EXPECT_EQ(takers_of(&TakenOptions::scale_factor), "cascades");
  EXPECT_EQ(takers_of(&TakenOptions::detect_size), "networks");
}

TEST(Families, RefuseEnginesOfOthers) {
  const auto refused = [](Library family, Library engine, const char* reason) {
    DetectorOptions options;
    options.model = "m";
    options.library = engine;
    test::expect_error(ErrorKind::usage, reason,
                       [&] { (void)choose_engine(family_of(family), Device{}, options); });
  };
  refused(Library::opencv, Library::cascade, "model m: engine cascade computes only cascades");
  refused(Library::opencv, Library::acf, "model m: engine acf computes only channel features");
  refused(Library::cascade, Library::acf, "model m: engine acf can't compute a cascade");
  refused(Library::acf, Library::opencv, "model m: engine opencv can't compute channel features");
}

TEST(Families, RefuseOptionsOfOthers) {
  const auto refused = [](Library family, const DetectorOptions& options, const char* reason) {
    test::expect_error(ErrorKind::usage, reason,
                       [&] { (void)choose_engine(family_of(family), Device{}, options); });
  };
  DetectorOptions scaled;
  scaled.model = "m";
  scaled.scale_factor = 1.2;
  refused(Library::opencv, scaled, "model m: --scale-factor works only with cascades");
  refused(Library::acf, scaled, "model m: --scale-factor works only with cascades");
  EXPECT_EQ(choose_engine(family_of(Library::cascade), Device{}, scaled).library, Library::cascade);
  DetectorOptions sized;
  sized.detect_size = Size{320, 240};
  refused(Library::cascade, sized,
          "--detect-size doesn't work with a cascade; a larger --min-face makes detection faster");
  refused(Library::acf, sized, "--detect-size doesn't work with channel features; a larger");
}

}  // namespace
}  // namespace facepipe::detector
