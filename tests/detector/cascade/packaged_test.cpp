#include "detector/cascade/packaged.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/detector/cascade/files.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector::cascade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PackagedCascades, AreNoneInAFolderWithoutThem) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(describe_cascades_in(folder.path()), IsEmpty());
  EXPECT_THAT(describe_cascades_in(folder / "missing"), IsEmpty());
  EXPECT_THAT(describe_cascades_in(folder.write("file")), IsEmpty());
}

TEST(PackagedCascades, AreThoseOfFacesThatCanBeUsed) {
  const test::TemporaryFolder folder;
  const auto copy = [&](const std::string& from, const std::string& to) {
    std::filesystem::copy_file(test::installed_cascade(from), folder / to);
  };
  folder.write("haarcascade_frontalface_a.xml", "<cut");
  copy("frontalface_alt2", "haarcascade_frontalface_b.xml");
  copy("smile", "haarcascade_frontalface_c.xml");  // this cascade has tilted features
  copy("eye", "haarcascade_eye.xml");
  copy("profileface", "haarcascade_profileface.xml");
  copy("profileface", "haarcascade_profileface.xml.old");
  copy("frontalface_alt", "haarcascade_frontalface_a1.xml");
  EXPECT_THAT(describe_cascades_in(folder.path()),
              ElementsAre("haarcascade_frontalface_a1.xml: 22 stages, 2135 trees, window 20x20",
                          "haarcascade_frontalface_b.xml: 20 stages, 1047 trees, window 20x20",
                          "haarcascade_profileface.xml: 26 stages, 2609 trees, window 20x20"));
}

TEST(PackagedCascades, LieInTheFolderOfThePackage) {
  EXPECT_EQ(test::installed_cascade("frontalface_default").parent_path(), kPackagedFolder);
}

}  // namespace
}  // namespace facepipe::detector::cascade
