// These tests compare the cascades that read_cascade() reads from OpenCV's files with the numbers
// that a simple text search finds in these files.
#include <gtest/gtest.h>

#include <cstdlib>

#include "detector/cascade/model/cascade.h"
#include "tests/detector/cascade/files.h"
#include "tests/detector/cascade/model/comparison.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector::cascade {
namespace {

using Numbers = std::vector<double>;

// --- The oracle finds the numbers of a text in their order and knows no XML

std::string without_comments(std::string text) {
  for (std::size_t begin = 0; (begin = text.find("<!--")) != std::string::npos;)
    text.erase(begin, text.find("-->", begin) + 3 - begin);
  return text;
}

/// Returns the texts of all elements with this name.
std::vector<std::string> texts_of(const std::string& text, const std::string& name) {
  const std::string open = "<" + name + ">";
  const std::string close = "</" + name + ">";
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = text.find(open, at)) != std::string::npos;) {
    at += open.size();
    found.push_back(text.substr(at, text.find(close, at) - at));
  }
  return found;
}

/// Returns all numbers that strtod() finds in a text.
Numbers numbers_in(const std::string& text) {
  Numbers found;
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end != at) found.push_back(value);
    at = end != at ? end : at + 1;
  }
  return found;
}

/// Returns the numbers in all elements with this name, in the order of the text.
Numbers numbers_of(const std::string& text, const std::string& name) {
  Numbers all;
  for (const std::string& part : texts_of(text, name))
    for (const double value : numbers_in(part)) all.push_back(value);
  return all;
}

Numbers as_floats(Numbers values) {
  for (double& value : values) value = static_cast<float>(value);
  return values;
}

// --- The numbers of a cascade in the order of its file

Numbers numbers_of_nodes(const Cascade& cascade) {
  Numbers all;
  for (const Node& node : cascade.nodes)
    for (const double value : {static_cast<double>(node.left), static_cast<double>(node.right),
                               static_cast<double>(node.feature), double{node.threshold}})
      all.push_back(value);
  return all;
}

Numbers numbers_of_leaves(const Cascade& cascade) {
  return {cascade.leaves.begin(), cascade.leaves.end()};
}

Numbers numbers_of_rects(const Cascade& cascade) {
  Numbers all;
  for (const Feature& feature : cascade.features)
    for (int i = 0; i < feature.rect_count; ++i) {
      const WeightedRect& rect = feature.rects[static_cast<std::size_t>(i)];
      for (const int value : {rect.x, rect.y, rect.width, rect.height, rect.weight})
        all.push_back(value);
    }
  return all;
}

void expect_thresholds(const Cascade& cascade, const Numbers& of_file) {
  ASSERT_EQ(cascade.stages.size(), of_file.size());
  for (std::size_t i = 0; i < of_file.size(); ++i)
    EXPECT_EQ(cascade.stages[i].threshold, static_cast<float>(of_file[i]) - 1e-5F) << i;
}

// --- OpenCV's files

/// Holds the counts of a cascade's file. The counts come from Python's xml.etree, and the hashes
/// from sha256sum.
struct Counted {
  const char* name;
  Size window;
  std::size_t stages;
  std::size_t trees;
  std::size_t nodes;
  std::size_t rects;
  const char* sha256;
};

std::ostream& operator<<(std::ostream& out, const Counted& counted) { return out << counted.name; }

class InstalledCascade : public testing::TestWithParam<Counted> {
 protected:
  const std::filesystem::path file_ = test::installed_cascade(GetParam().name);
  const std::string text_ = without_comments(test::read_file(file_));
  const Cascade cascade_ = read_cascade(file_);
};

TEST_P(InstalledCascade, HasTheFilesCounts) {
  const Counted& counted = GetParam();
  EXPECT_EQ(cascade_.window, counted.window);
  EXPECT_EQ(cascade_.stages.size(), counted.stages);
  EXPECT_EQ(cascade_.trees.size(), counted.trees);
  EXPECT_EQ(cascade_.nodes.size(), counted.nodes);
  EXPECT_EQ(cascade_.leaves.size(), counted.nodes + counted.trees);
  EXPECT_EQ(cascade_.features.size(), counted.nodes);
  EXPECT_EQ(numbers_of_rects(cascade_).size(), counted.rects * 5);
  EXPECT_EQ(cascade_.only_stumps(), counted.nodes == counted.trees);
  EXPECT_EQ(cascade_.sha256, counted.sha256);
  expect_in_order(cascade_);
}

class InstalledNewCascade : public InstalledCascade {};

TEST_P(InstalledNewCascade, HasTheFilesNumbers) {
  EXPECT_EQ(numbers_of_nodes(cascade_), as_floats(numbers_of(text_, "internalNodes")));
  EXPECT_EQ(numbers_of_leaves(cascade_), as_floats(numbers_of(text_, "leafValues")));
  EXPECT_EQ(numbers_of_rects(cascade_), numbers_of(text_, "rects"));
  expect_thresholds(cascade_, numbers_of(text_, "stageThreshold"));
}

constexpr Counted kNew[] = {{"frontalface_default",
                             {24, 24},
                             25,
                             2913,
                             2913,
                             6383,
                             "0f7d4527844eb514d4a4948e822da90fbb16a34a0bbbbc6adc6498747a5aafb0"},
                            {"frontalface_alt",
                             {20, 20},
                             22,
                             2135,
                             2135,
                             4630,
                             "6281df13459cc218ff047d02b2ae3859b12ff14a93ffe8952f7b33fad7b9697b"},
                            {"frontalface_alt2",
                             {20, 20},
                             20,
                             1047,
                             2094,
                             4535,
                             "7b0c967d9abbdfbde025eb9c786947d151b6426040d07a8f9562ed8fd90724b4"},
                            {"frontalface_alt_tree",
                             {20, 20},
                             47,
                             8468,
                             8468,
                             18481,
                             "0e5ee47ecc13269d54dd7a55f8b53752167c52587720877732388fb078a0480a"},
                            {"profileface",
                             {20, 20},
                             26,
                             2609,
                             2609,
                             5633,
                             "b39a4a3be45539db146a7fc1d3e761a292c196eb88421185e6a615b3055e612d"}};
/// This is Debian's only cascade in the old format. It consists of stumps.
constexpr Counted kOld[] = {{"licence_plate_rus_16stages",
                             {64, 16},
                             16,
                             91,
                             91,
                             195,
                             "4d1c44bf7a1bc4e204fa25b046ed0acffd7f713cc13fe2958b6977125c60ddea"}};

std::string name_of(const testing::TestParamInfo<Counted>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(New, InstalledCascade, testing::ValuesIn(kNew), name_of);
INSTANTIATE_TEST_SUITE_P(Old, InstalledCascade, testing::ValuesIn(kOld), name_of);
INSTANTIATE_TEST_SUITE_P(New, InstalledNewCascade, testing::ValuesIn(kNew), name_of);

TEST(ReadCascade, ReadsOldStumpsNumbers) {
  const std::filesystem::path file = test::installed_cascade("licence_plate_rus_16stages");
  const Cascade cascade = read_cascade(file);
  const std::string text = without_comments(test::read_file(file));
  EXPECT_EQ(numbers_of_rects(cascade), numbers_of(text, "rects"));
  expect_thresholds(cascade, numbers_of(text, "stage_threshold"));
  const Numbers thresholds = as_floats(numbers_of(text, "threshold"));
  const Numbers left = as_floats(numbers_of(text, "left_val"));
  const Numbers right = as_floats(numbers_of(text, "right_val"));
  ASSERT_EQ(thresholds.size(), cascade.nodes.size());
  for (std::size_t i = 0; i < cascade.nodes.size(); ++i) {
    const Node stump{0, -1, static_cast<std::uint32_t>(i), static_cast<float>(thresholds[i])};
    EXPECT_TRUE(cascade.nodes[i] == stump) << i;
    EXPECT_EQ(cascade.leaves[2 * i], left[i]);
    EXPECT_EQ(cascade.leaves[2 * i + 1], right[i]);
  }
}

/// A person has read these numbers in the text of the file.
TEST(ReadCascade, ReadsTheFirstTreesOfAlt2) {
  const Cascade cascade = read_cascade(test::installed_cascade("frontalface_alt2"));
  EXPECT_TRUE((cascade.stages[0] == Stage{0, 3, 3.5069230198860168e-01F - 1e-5F}));
  EXPECT_TRUE((cascade.trees[1] == Tree{2, 2, 3, 3}));
  EXPECT_TRUE((cascade.nodes[0] == Node{0, 1, 0, 4.3272329494357109e-03F}));
  EXPECT_TRUE((cascade.nodes[1] == Node{-1, -2, 1, 1.3076160103082657e-02F}));
  EXPECT_TRUE((cascade.nodes[4] == Node{1, 0, 4, -9.2708261217921972e-04F}));
  EXPECT_EQ(cascade.leaves[2], 2.6293140649795532e-01F);
  EXPECT_EQ(cascade.leaves[3], 1.0216630250215530e-01F);
  const Feature first{{{{2, 7, 16, 4, -1}, {2, 9, 16, 2, 2}, {}}}, 2};
  EXPECT_TRUE(cascade.features[0] == first);
}

/// The file's last feature has three rectangles.
TEST(ReadCascade, ReadsTheLastFeatureOfDefault) {
  const Cascade cascade = read_cascade(test::installed_cascade("frontalface_default"));
  const Feature last{{{{9, 1, 6, 22, -1}, {12, 1, 3, 11, 2}, {9, 12, 3, 11, 2}}}, 3};
  EXPECT_TRUE(cascade.features.back() == last);
  EXPECT_EQ(cascade.stages.back().threshold, -2.9928278923034668e+00F - 1e-5F);
}

TEST(ReadCascade, RefusesInstalledCascadesWithTiltedFeatures) {
  for (const char* const name : {"fullbody", "smile", "frontalcatface_extended"})
    test::expect_error(ErrorKind::device, "tilted features are not supported",
                       [&] { (void)read_cascade(test::installed_cascade(name)); });
}

}  // namespace
}  // namespace facepipe::detector::cascade
