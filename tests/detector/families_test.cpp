// These tests check the registry: which family a file or a library belongs to, and what is refused.
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
            "ONNX (CenterFace or YuNet), a cascade in OpenCV's XML, or channel features in JSON");
  EXPECT_EQ(files_with(Precision::i8), "ONNX (CenterFace or YuNet)");
}

TEST(Families, RefuseEnginesOfOthers) {
  const auto refused = [](Library family, Library engine, const char* reason) {
    DetectorOptions options;
    options.model = "m";
    options.library = engine;
    test::expect_error(ErrorKind::usage, reason,
                       [&] { (void)choose_engine(family_of(family), Device{}, options); });
  };
  refused(Library::opencv, Library::cascade,
          "model m: no cascade, and engine cascade computes nothing else");
  refused(Library::opencv, Library::acf,
          "model m: no channel features, and engine acf computes nothing else");
  refused(Library::cascade, Library::acf, "model m: a cascade, which engine acf doesn't compute");
  refused(Library::acf, Library::opencv,
          "model m: channel features, which engine opencv doesn't compute");
}

TEST(Families, RefuseOptionsOfOthers) {
  const auto refused = [](Library family, const DetectorOptions& options, const char* reason) {
    test::expect_error(ErrorKind::usage, reason,
                       [&] { (void)choose_engine(family_of(family), Device{}, options); });
  };
  DetectorOptions scaled;
  scaled.scale_factor = 1.2;
  refused(Library::opencv, scaled, "no cascade, and nothing else has a scale factor");
  refused(Library::acf, scaled, "channel features, and nothing but a cascade has a scale factor");
  EXPECT_EQ(choose_engine(family_of(Library::cascade), Device{}, scaled).library, Library::cascade);
  DetectorOptions sized;
  sized.detect_size = Size{320, 240};
  refused(Library::cascade, sized, "a cascade, which --min-face makes faster, not --detect-size");
  refused(Library::acf, sized,
          "channel features, which --min-face makes faster, not --detect-size");
}

}  // namespace
}  // namespace facepipe::detector
