#include "app/output/foreign_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace facepipe::app {
namespace {

std::string nested(int levels) {
  const auto count = static_cast<std::size_t>(levels);
  return std::string(count, '[') + std::string(count, ']');
}

TEST(ForeignJson, IsReadUpToItsDeepestLevel) {
  EXPECT_EQ(foreign_json(R"({"a": [1, {"b": null}]})"),
            nlohmann::ordered_json::parse(R"({"a": [1, {"b": null}]})"));
  EXPECT_TRUE(foreign_json(nested(kDeepestForeignJson)).is_array());
  EXPECT_TRUE(foreign_json(nested(kDeepestForeignJson + 1)).is_discarded());
  EXPECT_TRUE(foreign_json(nested(1'000'000)).is_discarded());
  EXPECT_TRUE(foreign_json("{\"a\": " + nested(kDeepestForeignJson) + "}").is_discarded());
}

TEST(ForeignJson, BracketsInStringsAreNoLevels) {
  const std::string brackets(kDeepestForeignJson + 1, '[');
  EXPECT_EQ(foreign_json("\"" + brackets + "\""), brackets);
  EXPECT_EQ(foreign_json("[\"\\\"" + brackets + "\"]")[0], "\"" + brackets);
  EXPECT_EQ(foreign_json("[\"\\\\\", [], []]").size(), 3U);
  std::string siblings = "[";
  for (int i = 0; i < 2 * kDeepestForeignJson; ++i) siblings += "[],";
  EXPECT_TRUE(foreign_json(siblings + "[]]").is_array());
}

TEST(ForeignJson, OtherTextIsDiscarded) {
  for (const char* const text : {"", "{", "]", "nonsense", "[1] 2", "\"", "\"\\"})
    EXPECT_TRUE(foreign_json(text).is_discarded()) << text;
}

}  // namespace
}  // namespace facepipe::app
