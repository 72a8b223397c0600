#include "detector/cnn/model/i8_ranges.h"

#include <gmock/gmock.h>

#include <string>

#include "core/error.h"
#include "tests/detector/files.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector {
namespace {

using testing::HasSubstr;

constexpr const char* kSha256 = "0123abcd";
const std::string kGood = R"({"format": "facepipe i8 ranges 1", "model_sha256": "0123abcd",
  "pictures": ["fe"], "tensors": [
  {"name": "a", "low": 0, "high": 2.5, "channels": [100, 1]},
  {"name": "b", "low": -1.5, "high": 0.25, "channels": [7]}]})";

/// Returns kGood with one part replaced.
std::string with(const std::string& part, const std::string& replacement) {
  std::string text = kGood;
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), replacement);
}

template <typename Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(I8Ranges, AreReadAsTheyStand) {
  const I8Ranges ranges = parse_i8_ranges(kGood, "f.json", kSha256);
  EXPECT_EQ(ranges.origin, "f.json");
  EXPECT_EQ(ranges.model_sha256, kSha256);
  EXPECT_THAT(ranges.pictures, testing::ElementsAre("fe"));
  EXPECT_THAT(ranges.tensors, testing::ElementsAre(TensorRange{"a", 0, 2.5F, {100, 1}},
                                                   TensorRange{"b", -1.5F, 0.25F, {7}}));
  EXPECT_EQ(ranges.find("b"), &ranges.tensors[1]);
  EXPECT_EQ(ranges.find("c"), nullptr);
}

TEST(I8Ranges, AreWrittenAsTheyAreRead) {
  const I8Ranges ranges = parse_i8_ranges(kGood, "f.json", kSha256);
  const I8Ranges again = parse_i8_ranges(to_json(ranges), "f.json", kSha256);
  EXPECT_EQ(again.pictures, ranges.pictures);
  EXPECT_EQ(again.tensors, ranges.tensors);
}

TEST(I8Ranges, AreRefusedInOneLineThatNamesTheFile) {
  struct Case {
    std::string json;
    const char* reason;
  };
  const Case cases[] = {
      {"", "not JSON at byte 1"},
      {kGood.substr(0, kGood.size() / 2), "not JSON at byte"},
      {kGood + "x", "not JSON at byte"},
      {"[]", "the file is not an object"},
      {with("ranges 1", "ranges 2"), "\"format\" is not \"facepipe i8 ranges 1\""},
      {with("\"format\"", "\"fromat\""), "the file lacks \"format\""},
      {with("\"pictures\"", "\"more\": 1, \"pictures\""),
       "the file has an unknown member \"more\""},
      {with("0123abcd", "4567"), "made for another model (SHA-256 4567..., this one's is 0123abcd"},
      {with("[\"fe\"]", "5"), "\"pictures\" is not a list"},
      {with("\"fe\"", "5"), "a picture is not a string"},
      {with("\"a\"", "null"), "a tensor's name is not a string"},
      {with("\"b\"", "\"a\""), "tensor a: appears twice"},
      {with("\"low\": 0, ", ""), "a tensor lacks \"low\""},
      {with("\"low\": 0,", "\"low\": 0, \"mean\": 1,"), "a tensor has an unknown member \"mean\""},
      {with("2.5", "\"2.5\""), "tensor a: \"high\" is not a number"},
      {with("2.5", "NaN"), "not JSON at byte"},
      {with("2.5", "1e999"), "a number in it is too large"},
      {with("2.5", "1e7"), "tensor a: \"high\" is larger than a million"},
      {with("-1.5", "0.5"), "tensor b: \"low\" is above \"high\""},
      {with("-1.5", "0.1"), "tensor b: 0 is not between"},
      {with("2.5", "-0.0, \"high\": -1"), "tensor a: \"low\" is above \"high\""},
      {with("[7]", "{}"), "tensor b: \"channels\" is not a list"},
      {with("[7]", "[0]"), "tensor b: a channel is not an integer from 1 to 100"},
      {with("[7]", "[101]"), "tensor b: a channel is not an integer from 1 to 100"},
      {with("[7]", "[7.5]"), "tensor b: a channel is not an integer from 1 to 100"},
      {with("[7]", "[-1]"), "tensor b: a channel is not an integer from 1 to 100"},
      {with("[7]", "[\"7\"]"), "tensor b: a channel is not an integer from 1 to 100"},
  };
  for (const Case& c : cases) {
    const std::string message =
        refusal([&] { (void)parse_i8_ranges(c.json, "dir/f.json", kSha256); });
    EXPECT_THAT(message, testing::StartsWith("i8 ranges dir/f.json: ")) << c.json;
    EXPECT_THAT(message, HasSubstr(c.reason)) << c.json;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(I8Ranges, OfDeepNestingAreRefusedToo) {
  const std::string message =
      refusal([] { (void)parse_i8_ranges(std::string(100'000, '['), "f.json", kSha256); });
  EXPECT_THAT(message, HasSubstr("not JSON at byte"));
}

TEST(I8Ranges, OfKnownModelsAreBuiltIn) {
  EXPECT_EQ(find_i8_ranges(Model(test::centerface_file())).origin, "built in");
  if (!std::filesystem::exists(test::yunet_file())) GTEST_SKIP() << "no YuNet file";
  EXPECT_EQ(find_i8_ranges(Model(test::yunet_file())).origin, "built in");
}

TEST(I8Ranges, BesideTheModelTakeThePlaceOfThoseBuiltIn) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("m.onnx", test::read_file(test::centerface_file()));
  const Model model(file);
  I8Ranges ranges = find_i8_ranges(model);
  ranges.pictures = {"mine"};
  const auto beside = folder.write("m.onnx.i8.json", to_json(ranges));
  EXPECT_EQ(i8_ranges_file(file), beside);
  EXPECT_EQ(find_i8_ranges(model).origin, beside.string());
  EXPECT_THAT(find_i8_ranges(model).pictures, testing::ElementsAre("mine"));
  folder.write("m.onnx.i8.json", std::string((4 << 20) + 1, ' '));
  EXPECT_THAT(refusal([&] { (void)find_i8_ranges(model); }), HasSubstr("larger than 4 MiB"));
  std::filesystem::remove(beside);
  std::filesystem::create_directory(beside);
  EXPECT_THAT(refusal([&] { (void)find_i8_ranges(model); }), HasSubstr(beside.string()));
}

TEST(I8Ranges, OfAnUnknownModelMustBeMade) {
  const test::TemporaryFolder folder;
  // The file contains the same network, but a doc_string (field 6 of ModelProto) makes it a
  // different file.
  const auto file =
      folder.write("m.onnx", test::read_file(test::centerface_file()) + std::string("\x32\x01x"));
  const std::string message = refusal([&] { (void)find_i8_ranges(Model(file)); });
  EXPECT_THAT(message, HasSubstr("model " + file.string() + ": there are no ranges for i8"));
  EXPECT_THAT(message, HasSubstr("facepipe calibrate --model " + file.string()));
}

}  // namespace
}  // namespace facepipe::detector
