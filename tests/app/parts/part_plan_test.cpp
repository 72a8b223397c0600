// Tests the text of plans of parts: which texts are plans, and that a plan is read as it was
// written.
#include "app/parts/part_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/support/expect_error.h"

namespace facepipe::test {
namespace {

using app::parse_part_plan;
using app::PartPlan;
using nlohmann::json;

PartPlan some_plan() {
  PartPlan plan;
  plan.program = "0.1.0";
  plan.arguments = {"split", "run", "clip.mp4", "--parts", "2", "--codec", "mjpeg"};
  plan.input = "/videos/clip.mp4";
  plan.folder = "/videos";
  plan.output = "clip_faces.mp4";
  plan.encoder_threads = 4;
  plan.parts = {{100, 0x0123456789abcdef}, {50, 0}, {1, ~std::uint64_t{0}}};
  return plan;
}

TEST(PartPlans, AreReadAsTheyWereWritten) {
  const PartPlan plan = some_plan();
  EXPECT_EQ(parse_part_plan(part_plan_text(plan), "p.json"), plan);
  PartPlan without_video = plan;
  without_video.output.clear();
  EXPECT_EQ(parse_part_plan(part_plan_text(without_video), "p.json"), without_video);
}

/// Returns a plan whose second part begins with a scene.
PartPlan plan_of_hide() {
  PartPlan plan = some_plan();
  plan.arguments[1] = "hide";
  plan.follows_faces = true;
  plan.parts[0].next = pipeline::SceneAfterCut{50, 77, 12};
  return plan;
}

TEST(PartPlans, SayWhichFrameBeginsAPart) {
  EXPECT_EQ(parse_part_plan(part_plan_text(plan_of_hide()), "p.json"), plan_of_hide());
}

TEST(PartPlans, SayWhereReadingCanBegin) {
  PartPlan plan = plan_of_hide();
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  plan.parts[1].before = video::PacketPlace{60, -kFar, kFar, 40, 0xabc};
  plan.parts[2].before = video::PacketPlace{120, 0, 0, 30, 0};
  EXPECT_EQ(parse_part_plan(part_plan_text(plan), "p.json"), plan);
}

TEST(PartPlans, SayWhichPartsAreOfALongScene) {
  PartPlan plan = plan_of_hide();
  using Scenes = std::vector<app::LongScene>;
  EXPECT_EQ(long_scenes_of(plan), (Scenes{{1, 2}}));
  plan.parts[0].next.reset();
  EXPECT_EQ(long_scenes_of(plan), (Scenes{{0, 2}}));
  plan.parts[1].next = pipeline::SceneAfterCut{1, 77, 1};
  EXPECT_EQ(long_scenes_of(plan), (Scenes{{0, 1}}));
  plan.parts[0].next = pipeline::SceneAfterCut{50, 77, 12};
  EXPECT_EQ(long_scenes_of(plan), Scenes{});
  EXPECT_EQ(long_scenes_of(some_plan()), Scenes{}) << "no faces are followed";
  const app::NamedPlan named = app::named(plan);
  EXPECT_NE(scene_key(named, {0, 1}), part_key(named, 0));
  EXPECT_THAT(scene_file_name(named, {0, 1}), testing::StartsWith("scene-00001-"));
}

TEST(PartPlans, SayWhereTheInputIsCut) {
  EXPECT_THAT(cuts_of(some_plan()), testing::ElementsAre(100, 150));
  PartPlan one = some_plan();
  one.parts.resize(1);
  EXPECT_THAT(cuts_of(one), testing::IsEmpty());
}

TEST(PartPlans, HaveAKeyForEachPart) {
  const app::NamedPlan plan = app::named(some_plan());
  EXPECT_NE(part_key(plan, 0), part_key(plan, 1));
  EXPECT_THAT(part_file_name(plan, 11), testing::StartsWith("part-00012-"));
  PartPlan other = some_plan();
  other.encoder_threads = 5;
  EXPECT_NE(part_key(app::named(other), 0), part_key(plan, 0));
}

TEST(PartPlans, HoldOnlyUtf8) {
  PartPlan plan = some_plan();
  plan.input = "/videos/\xFF.mp4";
  expect_error(ErrorKind::usage, "UTF-8", [&] { static_cast<void>(part_plan_text(plan)); });
}

struct BadPlan {
  const char* name;
  std::function<void(json& plan)> change;
};

void PrintTo(const BadPlan& bad, std::ostream* out) { *out << bad.name; }

class BadPlans : public testing::TestWithParam<BadPlan> {};

TEST_P(BadPlans, AreRefusedInOneLine) {
  PartPlan good = plan_of_hide();
  good.parts[1].before = video::PacketPlace{60, 7, 9, 40, 0};
  json plan = json::parse(part_plan_text(good));
  GetParam().change(plan);
  try {
    static_cast<void>(parse_part_plan(plan.dump(), "p.json"));
    FAIL() << "it is accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), testing::StartsWith("p.json: is no plan of parts: "));
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
  }
}

const std::vector<BadPlan> kBadPlans{
    {"NoObject", [](json& plan) { plan = json::array(); }},
    {"AnotherForm", [](json& plan) { plan["facepipe_parts"] = 1; }},
    {"WithoutForm", [](json& plan) { plan.erase("facepipe_parts"); }},
    {"UnknownMember", [](json& plan) { plan["more"] = 1; }},
    {"MissingMember", [](json& plan) { plan.erase("input"); }},
    {"OtherCommand", [](json& plan) { plan["arguments"][1] = "detect"; }},
    {"NoCommand",
     [](json& plan) {
       plan["arguments"] = {"run", "clip.mp4"};
     }},
    {"NumberAsArgument", [](json& plan) { plan["arguments"][2] = 1; }},
    {"RelativeInput", [](json& plan) { plan["input"] = "clip.mp4"; }},
    {"RelativeFolder", [](json& plan) { plan["folder"] = ""; }},
    {"OutputInAFolder", [](json& plan) { plan["output"] = "../clip.mp4"; }},
    {"OutputIsAFolder", [](json& plan) { plan["output"] = ".."; }},
    {"LineBreak", [](json& plan) { plan["output"] = "a\nb.mp4"; }},
    {"NoThreads", [](json& plan) { plan["encoder_threads"] = 0; }},
    {"ManyThreads", [](json& plan) { plan["encoder_threads"] = 5000; }},
    {"FractionOfThreads", [](json& plan) { plan["encoder_threads"] = 1.5; }},
    {"NoParts", [](json& plan) { plan["parts"] = json::array(); }},
    {"EmptyPart", [](json& plan) { plan["parts"][0]["packets"] = 0; }},
    {"NegativePart", [](json& plan) { plan["parts"][0]["packets"] = -1; }},
    {"HugePart", [](json& plan) { plan["parts"][0]["packets"] = 1e18; }},
    {"ShortHash", [](json& plan) { plan["parts"][0]["hash"] = "12"; }},
    {"LongHash", [](json& plan) { plan["parts"][0]["hash"] = "00112233445566778"; }},
    {"CapitalHash", [](json& plan) { plan["parts"][0]["hash"] = "0123456789ABCDEF"; }},
    {"NoHash", [](json& plan) { plan["parts"][0]["hash"] = "0123456789abcdeg"; }},
    {"SceneBehindTheNextPart", [](json& plan) { plan["parts"][0]["next"]["packets"] = 51; }},
    {"SceneAtTheCut", [](json& plan) { plan["parts"][0]["next"]["frames"] = 0; }},
    {"SceneWithoutPackets", [](json& plan) { plan["parts"][0]["next"]["packets"] = 0; }},
    {"SceneWithoutHash", [](json& plan) { plan["parts"][0]["next"].erase("hash"); }},
    {"SceneThoughNothingIsFollowed", [](json& plan) { plan["follows_faces"] = false; }},
    {"NumberInsteadOfAFlag", [](json& plan) { plan["follows_faces"] = 1; }},
    {"MoreOfAScene", [](json& plan) { plan["parts"][0]["next"]["file"] = "x"; }},
    {"SceneBehindTheEnd", [](json& plan) { plan["parts"][2]["next"] = plan["parts"][0]["next"]; }},
    {"PlaceBeforeTheVideo", [](json& plan) { plan["parts"][1]["before"]["packets"] = 100; }},
    {"PlaceBeforeTheFirstPart",
     [](json& plan) { plan["parts"][0]["before"] = plan["parts"][1]["before"]; }},
    {"PlaceWithoutPackets", [](json& plan) { plan["parts"][1]["before"]["packets"] = 0; }},
    {"PlaceWithoutHash", [](json& plan) { plan["parts"][1]["before"].erase("hash"); }},
    {"PlaceWithoutAStamp", [](json& plan) { plan["parts"][1]["before"]["dts"] = nullptr; }},
    {"PlaceBeforeTheFile", [](json& plan) { plan["parts"][1]["before"]["pos"] = -1; }},
    {"PlaceWithAHugeStamp", [](json& plan) { plan["parts"][1]["before"]["dts"] = 1e19; }},
    {"MoreOfAPlace", [](json& plan) { plan["parts"][1]["before"]["file"] = "x"; }},
    {"MoreOfAPart", [](json& plan) { plan["parts"][0]["file"] = "x"; }},
};

INSTANTIATE_TEST_SUITE_P(All, BadPlans, testing::ValuesIn(kBadPlans),
                         [](const auto& shown) { return shown.param.name; });

TEST(PartPlans, AreNoOtherText) {
  for (const char* const text : {"", "{", "[[[[[[[[", R"({"facepipe_parts":3,"facepipe_parts":3})"})
    expect_error(ErrorKind::input, "p.json",
                 [&] { static_cast<void>(parse_part_plan(text, "p.json")); });
}

// The system opens this file, and gives an error for its first byte.
TEST(PartPlans, ThatCannotBeReadAreNoShortPlans) {
  expect_error(ErrorKind::input, "/proc/self/mem: can't be read",
               [] { static_cast<void>(app::read_part_plan("/proc/self/mem")); });
}

}  // namespace
}  // namespace facepipe::test
