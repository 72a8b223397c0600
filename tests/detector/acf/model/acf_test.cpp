// These tests check what read_model() reads from files, and which files it refuses.
#include "detector/acf/model/acf.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/detector/acf/models.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector::acf {
namespace {

using Json = nlohmann::ordered_json;

TEST(AcfModel, ReadsWhatIsInAFile) {
  const test::TemporaryFolder folder;
  const Model expected = test::small_model(7, 1);
  const Model read = read_model(folder.write("m.json", test::json_of(expected).dump(1)));
  EXPECT_EQ(read.class_name, "thing");
  EXPECT_EQ(read.object, (Size{20, 26}));
  EXPECT_EQ(read.window, (Size{28, 36}));
  EXPECT_EQ(read.window_cells(), (Size{7, 9}));
  EXPECT_EQ(read.padding, (Size{4, 8}));
  EXPECT_EQ(read.lambdas, expected.lambdas);
  EXPECT_EQ(read.threshold, -65536);
  EXPECT_EQ(read.steepness, 0.5);
  EXPECT_EQ(read.middle, 1.5);
  EXPECT_EQ(read.trees, expected.trees);
  EXPECT_EQ(read.sha256.size(), 64U);
}

TEST(AcfModel, TheProjectsFaceModelCanBeRead) {
  const Model model = read_model(FACEPIPE_SOURCE_DIR "/data/acf_face.json");
  EXPECT_EQ(model.class_name, "face");
  EXPECT_EQ(model.object, (Size{40, 48}));
  EXPECT_EQ(model.trees.size(), 2048U);
  EXPECT_LT(std::filesystem::file_size(FACEPIPE_SOURCE_DIR "/data/acf_face.json"), 200'000U);
}

struct Refusal {
  const char* reason;
  std::function<void(Json&)> change;
};

const std::vector<Refusal> kRefusals{
    {"not a model of facepipe", [](Json& m) { m["format"] = "other"; }},
    {"not a model of facepipe", [](Json& m) { m.erase("format"); }},
    {"\"version\" is not 1", [](Json& m) { m["version"] = 2; }},
    {"\"version\" is not 1", [](Json& m) { m.erase("version"); }},
    {"\"trees\" is missing", [](Json& m) { m.erase("trees"); }},
    {"\"score\" is missing", [](Json& m) { m.erase("score"); }},
    {"unknown member \"extra\"", [](Json& m) { m["extra"] = 1; }},
    {"window: unknown member \"depth\"", [](Json& m) { m["window"]["depth"] = 1; }},
    {"class: must be a word", [](Json& m) { m["class"] = 7; }},
    {"class: must be a word", [](Json& m) { m["class"] = "two words"; }},
    {"class: must be a word", [](Json& m) { m["class"] = ""; }},
    {"class: must be a word", [](Json& m) { m["class"] = std::string(65, 'a'); }},
    {"channels: must be an object", [](Json& m) { m["channels"] = 7; }},
    {"colors must be luv", [](Json& m) { m["channels"]["colors"] = "rgb"; }},
    {"shrink must be 4", [](Json& m) { m["channels"]["shrink"] = 2; }},
    {"orientations must be 6", [](Json& m) { m["channels"]["orientations"] = 9; }},
    {"normalization_radius must be 5", [](Json& m) { m["channels"]["normalization_radius"] = 4; }},
    {"normalization_constant must be 0.005",
     [](Json& m) { m["channels"]["normalization_constant"] = .01; }},
    {"per_octave must be 8", [](Json& m) { m["pyramid"]["per_octave"] = 4; }},
    {"approximated must be 7", [](Json& m) { m["pyramid"]["approximated"] = 0; }},
    {"lambdas: must be a list of 3",
     [](Json& m) {
       m["pyramid"]["lambdas"] = {0, .1};
     }},
    {"lambdas: must be a number", [](Json& m) { m["pyramid"]["lambdas"][1] = "0.1"; }},
    {"lambdas: out of range", [](Json& m) { m["pyramid"]["lambdas"][1] = 5; }},
    {"width: must be a whole number", [](Json& m) { m["window"]["width"] = 20.5; }},
    {"width: out of range", [](Json& m) { m["window"]["width"] = 15; }},
    {"padded_width: out of range", [](Json& m) { m["window"]["padded_width"] = 16; }},
    {"padded_width: must be a multiple of 4", [](Json& m) { m["window"]["padded_width"] = 30; }},
    {"padded_height: out of range", [](Json& m) { m["window"]["padded_height"] = 516; }},
    {"padded_height: out of range",
     [](Json& m) { m["window"]["padded_height"] = std::numeric_limits<std::int64_t>::max(); }},
    {"padded_height: out of range",
     [](Json& m) { m["window"]["padded_height"] = std::numeric_limits<std::uint64_t>::max(); }},
    {"padding: x: out of range", [](Json& m) { m["padding"]["x"] = -4; }},
    {"padding: y: must be a multiple", [](Json& m) { m["padding"]["y"] = 6; }},
    {"stride: must be 4", [](Json& m) { m["stride"] = 8; }},
    {"unit: must be 65536", [](Json& m) { m["unit"] = 1; }},
    {"threshold: out of range", [](Json& m) { m["threshold"] = -2147483648LL; }},
    {"threshold: must be a whole number", [](Json& m) { m["threshold"] = nullptr; }},
    {"score: a: out of range", [](Json& m) { m["score"]["a"] = 0; }},
    {"score: b: must be a number", [](Json& m) { m["score"]["b"] = Json::array(); }},
    {"trees: must not be empty", [](Json& m) { m["trees"]["f"] = Json::array(); }},
    {"trees: must not be empty", [](Json& m) { m["trees"]["f"] = 5; }},
    {"trees: t: must be a list of 7", [](Json& m) { m["trees"]["t"].erase(0); }},
    {"trees: h: must be a list of 7",
     [](Json& m) {
       m["trees"]["h"].push_back({0, 0, 0, 0});
     }},
    {"tree 2: f: must be a list of 3",
     [](Json& m) {
       m["trees"]["f"][2] = {1, 2};
     }},
    {"tree 2: h: must be a list of 4",
     [](Json& m) {
       m["trees"]["h"][2] = {1, 2, 3};
     }},
    {"tree 6: a feature is outside", [](Json& m) { m["trees"]["f"][6][1] = 7 * 9 * 10; }},
    {"tree 0: a feature is outside", [](Json& m) { m["trees"]["f"][0][0] = -1; }},
    {"tree 0: f: must be a whole number", [](Json& m) { m["trees"]["f"][0][0] = 1.5; }},
    {"tree 3: t: must be a number", [](Json& m) { m["trees"]["t"][3][0] = nullptr; }},
    {"tree 3: t: out of range", [](Json& m) { m["trees"]["t"][3][0] = 1e39; }},
    {"tree 3: h: must be a whole number", [](Json& m) { m["trees"]["h"][3][0] = .5; }},
    {"tree 3: h: out of range", [](Json& m) { m["trees"]["h"][3][0] = 1LL << 31; }},
    {"tree 4: the sum of leaves",
     [](Json& m) {
       for (std::size_t i = 3; i < 5; ++i) m["trees"]["h"][i][1] = -1073741824;
     }},
};

TEST(AcfModel, RefusesWhatItCannotBe) {
  const test::TemporaryFolder folder;
  for (const Refusal& refusal : kRefusals) {
    Json json = test::json_of(test::small_model(7, 1));
    refusal.change(json);
    const std::string file = folder.write("bad.json", json.dump());
    SCOPED_TRACE(refusal.reason);
    test::expect_error(ErrorKind::device, refusal.reason, [&] { (void)read_model(file); });
    test::expect_error(ErrorKind::device, "bad.json", [&] { (void)read_model(file); });
  }
}

TEST(AcfModel, RefusesTextThatIsNoModel) {
  const test::TemporaryFolder folder;
  const std::string whole = test::json_of(test::small_model(3, 1)).dump();
  const auto refused = [&](const std::string& text, const std::string& reason) {
    const std::string file = folder.write("bad.json", text);
    test::expect_error(ErrorKind::device, reason, [&] { (void)read_model(file); });
  };
  for (std::size_t length = 1; length < whole.size(); length += 37)
    refused(whole.substr(0, length), "not JSON, or cut off");
  refused(whole + "}", "not JSON, or cut off");
  refused("[1, 2]", "not JSON");
  refused("{}", "not a model of facepipe");
  refused("", "empty file");
  refused(std::string(100'000, '[').insert(0, "{\"a\":"), "more than 8 levels");
  refused("{\"format\":\"facepipe-acf\",\"version\":NaN}", "not JSON, or cut off");
  refused("{\"format\":\"facepipe-acf\",\"version\":1e999}", "not JSON, or cut off");
  refused("{" + std::string(std::size_t{17} << 20, ' '), "larger than 16 MiB");
  test::expect_error(ErrorKind::device, "no such file",
                     [&] { (void)read_model(folder / "none.json"); });
}

TEST(AcfModel, IsKnownByItsFirstByte) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(looks_like_json(" \n{"));
  EXPECT_FALSE(looks_like_json("<{"));
  EXPECT_FALSE(looks_like_json("  "));
  EXPECT_TRUE(is_json_file(folder.write("a.onnx", "\t {")));
  EXPECT_FALSE(is_json_file(folder.write("a.json", "\x08{")));
  EXPECT_FALSE(is_json_file(folder.write("b.json", "  ")));
  EXPECT_FALSE(is_json_file(folder.path()));
  EXPECT_FALSE(is_json_file(folder / "none"));
}

}  // namespace
}  // namespace facepipe::detector::acf
