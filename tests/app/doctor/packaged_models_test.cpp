#include "app/doctor/packaged_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "detector/families.h"

namespace facepipe::app {
namespace {

std::string printed(std::string_view kind, const detector::PackagedModels& found) {
  std::string all;
  print_packaged_models(kind, found, [&](std::string_view text) { all += text; });
  return all;
}

TEST(DoctorPackagedModels, SaysThatThereAreNone) {
  EXPECT_EQ(printed("cascades", {"/folder", "Debian: opencv-data", {}}),
            "cascades: none found (Debian: opencv-data)\n");
}

TEST(DoctorPackagedModels, HaveALineEach) {
  EXPECT_EQ(printed("cascades", {"/folder", "Debian: x", {"a.xml: small", "b\x1b.xml: large"}}),
            "cascades in /folder\n  a.xml: small\n  b\\x1b.xml: large\n");
}

TEST(DoctorPackagedModels, OfTheSystemAreFound) {
  std::string all;
  for (const detector::Family* family : detector::families())
    if (family->packaged != nullptr) all += printed(family->traits.plural, family->packaged());
  EXPECT_THAT(all, testing::HasSubstr("cascades in /usr/share/opencv4/haarcascades\n"));
  EXPECT_THAT(all, testing::HasSubstr("  haarcascade_frontalface_default.xml: 25 stages, 2913 "
                                      "trees, window 24x24\n"));
}

}  // namespace
}  // namespace facepipe::app
