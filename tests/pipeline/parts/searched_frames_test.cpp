// Tests that a job gets the faces that other jobs have found, and notices if they are of other
// frames.
#include "pipeline/parts/searched_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using pipeline::PartFacts;
using pipeline::PartMaker;
using pipeline::SearchedFrames;
using pipeline::SearchedPart;

PartMaker maker() {
  PartMaker made;
  made.engine = "openvino";
  made.precision = "f32";
  made.model_sha256 = "aa";
  return made;
}

class SearchedFramesTest : public testing::Test {
 protected:
  /// Writes a part of so many frames. Frame n has the stamp 10 * n, and n faces.
  void write(const std::string& name, std::int64_t first, std::int64_t frames,
             const PartMaker& made = maker()) {
    pipeline::PartWriter writer(dir_ / name);
    for (std::int64_t n = first; n < first + frames; ++n) {
      pipeline::FinishedFrame frame;
      frame.coded = {10 * n, 10};
      frame.encoded.record.index = n - first;
      for (std::int64_t face = 0; face < n; ++face)
        frame.encoded.record.faces.push_back({0, 0, 8, 8}, 0.5F);
      writer.write(frame);
    }
    PartFacts facts;
    facts.key = name;
    facts.maker = made;
    facts.candidates_ignored = 2;
    facts.told = {"the same in each part", "only in " + name};
    writer.finish(facts);
    parts_.push_back({dir_ / name, name});
  }

  TemporaryFolder dir_;
  std::vector<SearchedPart> parts_;
};

TEST_F(SearchedFramesTest, ComeInTheOrderOfTheParts) {
  write("a", 0, 3);
  write("none", 3, 0);
  write("b", 3, 2);
  SearchedFrames frames(parts_);
  for (std::int64_t n = 0; n < 5; ++n)
    EXPECT_EQ(frames.next({10 * n, 10}).faces.size(), static_cast<std::size_t>(n));
  expect_error(ErrorKind::input, "has searched fewer frames", [&] {
    static_cast<void>(frames.next({50, 10}));
  });
}

TEST_F(SearchedFramesTest, MustBeThoseThatAreDecoded) {
  write("a", 0, 3);
  SearchedFrames frames(parts_);
  static_cast<void>(frames.next({0, 10}));
  expect_error(ErrorKind::input, "has searched other frames", [&] {
    static_cast<void>(frames.next({20, 10}));
  });
}

TEST_F(SearchedFramesTest, AreNotTakenFromAnotherPlan) {
  write("a", 0, 3);
  parts_.front().key = "b";
  SearchedFrames frames(parts_);
  expect_error(ErrorKind::input, "belongs to another plan", [&] {
    static_cast<void>(frames.next({0, 10}));
  });
  expect_error(ErrorKind::input, "belongs to another plan",
               [&] { static_cast<void>(facts_of_search(parts_, maker())); });
}

TEST_F(SearchedFramesTest, AreCheckedBeforeTheLastOneIsGiven) {
  write("a", 0, 3);
  std::string bytes;
  {
    std::ifstream file(parts_.front().file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  bytes[60] ^= 1;  // a time of the first frame
  std::ofstream(parts_.front().file, std::ios::binary) << bytes;
  SearchedFrames frames(parts_);
  const auto read_all = [&] {
    for (std::int64_t n = 0; n < 3; ++n) static_cast<void>(frames.next({10 * n, 10}));
  };
  expect_error(ErrorKind::input, "damaged", read_all);
}

TEST_F(SearchedFramesTest, TellTheirFactsTogether) {
  write("a", 0, 3);
  write("b", 3, 2);
  const PartFacts facts = facts_of_search(parts_, maker());
  EXPECT_EQ(facts.frames, 5);
  EXPECT_EQ(facts.candidates_ignored, 4);
  EXPECT_THAT(facts.told, testing::ElementsAre("the same in each part", "only in a", "only in b"));
}

TEST_F(SearchedFramesTest, MustBeFoundAsTheyAreFollowed) {
  for (const auto& [member, expected] :
       {std::pair{&PartMaker::engine, "was searched with other f32"},
        std::pair{&PartMaker::precision, "was searched with openvino other"},
        std::pair{&PartMaker::model_sha256, "another model"}}) {
    PartMaker other = maker();
    other.*member = "other";
    parts_.clear();
    write("a", 0, 1);
    write("b", 1, 1, other);
    expect_error(ErrorKind::input, expected,
                 [&] { static_cast<void>(facts_of_search(parts_, maker())); });
  }
  PartMaker turned = maker();
  turned.turned_faces = 1;
  expect_error(ErrorKind::input, "looked for turned faces",
               [&] { static_cast<void>(facts_of_search({parts_.front()}, turned)); });
}

}  // namespace
}  // namespace facepipe::test
