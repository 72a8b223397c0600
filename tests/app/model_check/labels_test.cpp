// These tests read labels of pictures: good ones, wrong ones, and hostile ones.
#include "app/model_check/labels.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <string>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LabelsTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<app::LabelledPicture> read(const std::string& text) const {
    static_cast<void>(dir_.write("labels.txt", text));
    return app::read_labels(dir_.path());
  }
  void expect_refusal(const std::string& text, const std::string& reason) const {
    expect_error(ErrorKind::input, (dir_ / "labels.txt").string() + ": " + reason,
                 [&] { static_cast<void>(read(text)); });
  }

  TemporaryFolder dir_;
};

TEST_F(LabelsTest, TellWhichFacesPicturesShow) {
  const auto pictures = read(
      "# event/a.jpg 640 480\n"
      "1 2 30 40\n"
      "-5 0.5 700\t481.25\r\n"
      "\n"
      "#\tname with blanks.png   32  16  \n"
      "# event/b.jpg 8 9");
  ASSERT_EQ(pictures.size(), 3U);
  EXPECT_EQ(pictures[0].file, dir_ / "images/event/a.jpg");
  EXPECT_EQ(pictures[0].size, (Size{640, 480}));
  EXPECT_THAT(pictures[0].faces, ElementsAre(Box{1, 2, 30, 40}, Box{-5, 0.5F, 700, 481.25F}));
  EXPECT_EQ(pictures[1].file, dir_ / "images/name with blanks.png");
  EXPECT_EQ(pictures[1].size, (Size{32, 16}));
  EXPECT_THAT(pictures[1].faces, IsEmpty());
  EXPECT_EQ(pictures[2].size, (Size{8, 9}));
}

TEST_F(LabelsTest, WrongLinesAreRefusedByTheirNumber) {
  const std::string picture = "# a.jpg 640 480\n";
  for (const char* line :
       {"#", "# a.jpg", "# a.jpg 640", "# 640 480", "# a.jpg 0 480", "# a.jpg 640 -1",
        "# a.jpg 640 16385", "# a.jpg 640 4.5", "# a.jpg 640 99999999999999999999"})
    expect_refusal(std::string("\n") + line, "line 2: not '# NAME WIDTH HEIGHT' of a picture");
  for (const char* line :
       {"1 2 3", "1 2 3 4 5", "a 2 3 4", "1 2 3 4x", "nan 2 3 4", "1 2 inf 4", "1 2 3 1e99"})
    expect_refusal(picture + line, "line 2: not the four numbers X1 Y1 X2 Y2 of a face");
  for (const char* line : {"1 2 1 4", "1 2 3 2", "3 2 1 4"})
    expect_refusal(picture + line, "line 2: a face without area");
  expect_refusal("1 2 3 4\n" + picture, "line 1: a face before the first picture");
  for (const char* name : {"/etc/a.jpg", "../a.jpg", "a/../../b.jpg", "a/.."})
    expect_refusal(std::string("# ") + name + " 4 4",
                   "line 1: its name leaves the folder of the pictures");
  expect_refusal(picture + "# b.jpg 4 4\n# ./a.jpg 640 480", "line 3: this picture was named");
  expect_refusal("\n\n", "names no picture");
  expect_refusal("", "names no picture");
}

TEST_F(LabelsTest, WhatIsNoFileIsRefused) {
  const auto refuse = [&](const std::string& reason) {
    expect_error(ErrorKind::input, (dir_ / "labels.txt").string() + ": " + reason,
                 [&] { static_cast<void>(app::read_labels(dir_.path())); });
  };
  refuse("no such file");
  ASSERT_EQ(mkfifo((dir_ / "labels.txt").c_str(), 0600), 0);
  refuse("not a regular file");
}

TEST_F(LabelsTest, ALargeFileIsRefused) {
  expect_refusal(std::string((std::size_t{16} << 20) + 1, '\n'), "larger than 16 MiB");
}

}  // namespace
}  // namespace facepipe::test
