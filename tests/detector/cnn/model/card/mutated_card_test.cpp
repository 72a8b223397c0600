// These tests change cards at random. The parser must refuse a changed card with an error of one
// line, or accept it. An accepted card must be the same after it is written and parsed again.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/error.h"
#include "detector/cnn/model/card/card.h"
#include "detector/cnn/model/card/model_data.h"

namespace facepipe::detector {
namespace {

constexpr const char* kOrigin = "changed.json";

const char* const kCards[] = {
    R"({"facepipe_model": 1, "name": "scrfd", "licence": {"code": "MIT", "commercial": false},
        "input": {"channels": "bgr", "mean": [127.5, 100, 0], "std": [128, 64, 0.5], "pad": 114,
                  "multiple": 64, "size": "own", "looks": [1, 0.5]},
        "head": {"family": "scrfd", "strides": [8, 16], "anchors": 3, "points": {"count": 5}},
        "classes": [{"name": "face", "as": "head", "score": 0.25, "grow": 0.5}],
        "score": 0.3, "nms": 0.4, "reference_score": 0.24})",
    R"({"facepipe_model": 1,
        "head": {"family": "yolo-dfl", "bins": 32, "points": {"count": 17, "values": 3}},
        "classes": [{"name": "face"}, {"name": "dog", "as": "ignore"}]})",
    R"({"facepipe_model": 1,
        "head": {"family": "yolo-anchors", "strides": [8, 16],
                 "anchors": [[[4, 5], [8, 10.5]], [[23, 29], [30, 30]]]}})",
    R"({"facepipe_model": 1,
        "head": {"family": "retinaface", "anchors": [[16, 32], [64, 128], [256, 512]],
                 "variances": [0.25, 0.5], "scores": "probability"}})"};

const char* const kOdd[] = {
    "-1",      "0",    "1e999", "-1e-9", "65536", "null",  "true",
    "[]",      "{}",   "\"\"",  "[[",    "}}",    ",",     ":",
    "\\u0000", "\xff", "8",     "[8,8]", "\n",    "\"a\"", "99999999999999999999"};

/// Erases or repeats a part of the text, inserts an odd value, or replaces a part by an odd value.
std::string changed(std::string text, std::mt19937& random) {
  const auto some = [&](std::size_t below) { return random() % below; };
  const std::size_t at = some(text.size());
  const std::size_t length = std::min(1 + some(12), text.size() - at);
  switch (some(4)) {
    case 0:
      return text.erase(at, length);
    case 1:
      return text.insert(at, text.substr(some(text.size()), length));
    case 2:
      return text.insert(at, kOdd[some(std::size(kOdd))]);
    default:
      return text.replace(at, length, kOdd[some(std::size(kOdd))]);
  }
}

/// Replaces a number of the text by an odd value. The result is JSON more often than the result of
/// changed().
std::string with_odd_number(const std::string& text, std::mt19937& random) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t at = random() % text.size();
  while (at < text.size() && !digit(text[at])) ++at;
  std::size_t end = at;
  while (end < text.size() && (digit(text[end]) || text[end] == '.')) ++end;
  std::string result = text;
  return at == text.size() ? result
                           : result.replace(at, end - at, kOdd[random() % std::size(kOdd)]);
}

class MutatedCard : public testing::TestWithParam<const char*> {};

TEST_P(MutatedCard, IsRefusedOrHolds) {
  int refused = 0;
  constexpr unsigned kSeeds = 3000;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::string text =
        seed % 2 == 0 ? changed(GetParam(), random) : with_odd_number(GetParam(), random);
    if (seed % 5 == 0) text = changed(text, random);
    try {
      const Card card = parse_card(text, kOrigin, "");
      EXPECT_EQ(parse_card(to_json(card), kOrigin, ""), card);
      const ModelData data = model_data(card, kOrigin);
      EXPECT_GE(data.head.numbers.classes, 1);
      EXPECT_FALSE(data.head.outputs.empty());
    } catch (const Error& error) {
      ++refused;
      const std::string what = error.what();
      EXPECT_EQ(error.kind(), ErrorKind::device) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      EXPECT_EQ(what.rfind("card changed.json: ", 0), 0U) << what;
    }
  }
  EXPECT_GT(refused, static_cast<int>(kSeeds / 4));
  EXPECT_LT(refused, static_cast<int>(kSeeds));
}

INSTANTIATE_TEST_SUITE_P(Cards, MutatedCard, testing::ValuesIn(kCards));

}  // namespace
}  // namespace facepipe::detector
