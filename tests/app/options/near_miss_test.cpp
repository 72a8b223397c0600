// These tests check which words the program suggests for a word that it doesn't know.
#include "app/options/values.h"

#include <gtest/gtest.h>

namespace facepipe::app {
namespace {

const std::vector<std::string> kKnown{"score", "start", "strict", "output", "iou", "no-video"};

TEST(NearMiss, FindsTheWordThatOneOrTwoLettersMake) {
  EXPECT_EQ(near_miss("score", kKnown), "score");
  EXPECT_EQ(near_miss("scor", kKnown), "score");
  EXPECT_EQ(near_miss("scoree", kKnown), "score");
  EXPECT_EQ(near_miss("xcore", kKnown), "score");
  EXPECT_EQ(near_miss("socre", kKnown), "score");
  EXPECT_EQ(near_miss("outptu", kKnown), "output");
  EXPECT_EQ(near_miss("novideo", kKnown), "no-video");
}

TEST(NearMiss, TakesTheNearestAndOfEqualsTheFirst) {
  EXPECT_EQ(near_miss("star", kKnown), "start");
  EXPECT_EQ(near_miss("outpt", {"outer", "output"}), "output");
  EXPECT_EQ(near_miss("bat", {"cat", "hat"}), "cat");
}

TEST(NearMiss, FindsTheOnlyWordThatBeginsSo) {
  EXPECT_EQ(near_miss("box", {"scores", "boxes"}), "boxes");
  EXPECT_EQ(near_miss("n", kKnown), "no-video");
  EXPECT_EQ(near_miss("s", kKnown), "") << "three words begin so";
  EXPECT_EQ(near_miss("opencv-", {"opencv", "opencv-groups"}), "opencv") << "it is nearer";
}

TEST(NearMiss, FindsNothingForWordsThatAreTooFar) {
  EXPECT_EQ(near_miss("bogus", kKnown), "");
  EXPECT_EQ(near_miss("cru", kKnown), "") << "two of three letters";
  EXPECT_EQ(near_miss("scxyz", kKnown), "") << "three of five letters";
  EXPECT_EQ(near_miss("", kKnown), "");
  EXPECT_EQ(near_miss("score", {}), "");
}

}  // namespace
}  // namespace facepipe::app
