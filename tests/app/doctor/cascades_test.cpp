#include "app/doctor/cascades.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/detector/cascade/files.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

std::string printed(const std::filesystem::path& folder) {
  std::string all;
  print_cascades(folder, [&](std::string_view text) { all += text; });
  return all;
}

constexpr const char* kNone = "cascades: none found (Debian: opencv-data)\n";

TEST(DoctorCascades, SaysThatThereAreNone) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(printed(folder.path()), kNone);
  EXPECT_EQ(printed(folder / "missing"), kNone);
  EXPECT_EQ(printed(folder.write("file")), kNone);
}

TEST(DoctorCascades, NamesThoseOfFacesThatCanBeUsed) {
  const test::TemporaryFolder folder;
  const auto copy = [&](const std::string& from, const std::string& to) {
    std::filesystem::copy_file(test::installed_cascade(from), folder / to);
  };
  folder.write("haarcascade_frontalface_a.xml", "<cut");
  copy("frontalface_alt2", "haarcascade_frontalface_b.xml");
  copy("smile", "haarcascade_frontalface_c.xml");  // it has tilted features
  copy("eye", "haarcascade_eye.xml");
  copy("profileface", "haarcascade_profileface.xml");
  copy("profileface", "haarcascade_profileface.xml.old");
  copy("frontalface_alt", "haarcascade_frontalface_a1.xml");
  EXPECT_EQ(printed(folder.path()),
            "cascades in " + folder.path().string() +
                "\n"
                "  haarcascade_frontalface_a1.xml: 22 stages, 2135 trees, window 20x20\n"
                "  haarcascade_frontalface_b.xml: 20 stages, 1047 trees, window 20x20\n"
                "  haarcascade_profileface.xml: 26 stages, 2609 trees, window 20x20\n");
}

TEST(DoctorCascades, FindsTheSystemsOnes) {
  const std::filesystem::path file = test::installed_cascade("frontalface_default");
  EXPECT_EQ(file.parent_path(), kCascadeFolder);
  EXPECT_THAT(printed(kCascadeFolder),
              testing::HasSubstr("  haarcascade_frontalface_default.xml: 25 stages, 2913 trees, "
                                 "window 24x24\n"));
}

}  // namespace
}  // namespace facepipe::app
