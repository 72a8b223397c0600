// These tests check what read_cascade() reads from small cascades in the new and the old format,
// and what it refuses.
#include "detector/cascade/model/cascade.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>
#include <string>
#include <string_view>

#include "tests/detector/cascade/model/comparison.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector::cascade {
namespace {

/// This cascade has the new format. Its first stage has a stump and a tree of two nodes, and its
/// second stage has a stump.
constexpr const char* kNewText = R"(<?xml version="1.0"?>
<!-- a licence; <width>99</width> -->
<opencv_storage>
<cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType>
  <featureType>HAAR</featureType>
  <height>16</height>
  <width>12</width>
  <stageParams><maxWeakCount>2</maxWeakCount></stageParams>
  <featureParams><maxCatCount>0</maxCatCount></featureParams>
  <stageNum>2</stageNum>
  <stages>
    <!-- stage 0 -->
    <_><maxWeakCount>2</maxWeakCount>
      <stageThreshold>5.5e-01</stageThreshold>
      <weakClassifiers>
        <_><internalNodes>0 -1 0 -3.25e-02</internalNodes>
          <leafValues>2.0875 -.5</leafValues></_>
        <_><internalNodes>1 0 1 7e-3 -1 -2 2 1.</internalNodes>
          <leafValues>.25 -1 3</leafValues></_></weakClassifiers></_>
    <_><maxWeakCount>1</maxWeakCount>
      <stageThreshold>-1</stageThreshold>
      <weakClassifiers>
        <_><internalNodes>-1 0 3 0</internalNodes>
          <leafValues>1 2</leafValues></_></weakClassifiers></_></stages>
  <features>
    <_><rects><_>0 0 12 16 -1.</_><_>0 4 12 8 2.</_></rects><tilted>0</tilted></_>
    <_><rects><_>1 1 6 4 -1.</_><_>3 1 2 4 3.</_></rects></_>
    <_><rects><_>2 2 4 4 -1.</_><_>2 2 2 2 2.</_><_>4 4 2 2 2.</_></rects></_>
    <_><rects><_>5 5 2 2 1</_><_>7 5 2 2 -1</_></rects></_></features></cascade>
</opencv_storage>
)";

/// This is the cascade kNewText in the old format.
constexpr const char* kOldText = R"(<?xml version="1.0"?>
<opencv_storage>
<!-- made by hand -->
<small type_id="opencv-haar-classifier">
  <size>12 16</size>
  <stages>
    <_><trees>
        <_><!-- tree 0 -->
          <_><!-- root node -->
            <feature><rects><_>0 0 12 16 -1.</_><_>0 4 12 8 2.</_></rects><tilted>0</tilted></feature>
            <threshold>-3.25e-002</threshold><left_val>2.0875</left_val><right_val>-.5</right_val></_></_>
        <_><_>
            <feature><rects><_>1 1 6 4 -1.</_><_>3 1 2 4 3.</_></rects><tilted>0</tilted></feature>
            <threshold>7e-003</threshold><left_node>1</left_node><right_val>.25</right_val></_>
          <_><!-- node 1 -->
            <feature><rects><_>2 2 4 4 -1.</_><_>2 2 2 2 2.</_><_>4 4 2 2 2.</_></rects></feature>
            <threshold>1.</threshold><left_val>-1</left_val><right_val>3</right_val></_></_></trees>
      <stage_threshold>5.5e-001</stage_threshold>
      <parent>-1</parent><next>-1</next></_>
    <_><trees>
        <_><_>
            <feature><rects><_>5 5 2 2 1</_><_>7 5 2 2 -1</_></rects></feature>
            <threshold>0</threshold><left_val>2</left_val><right_val>1</right_val></_></_></trees>
      <stage_threshold>-1</stage_threshold>
      <parent>0</parent><next>-1</next></_></stages></small>
</opencv_storage>
)";

/// Replaces the first `from` in `text`. Expects that it occurs.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Cascade read_text(const std::string& text) {
  const test::TemporaryFolder folder;
  return read_cascade(folder.write("cascade.xml", text));
}

TEST(ReadCascade, ReadsStumpsAndTrees) {
  const Cascade cascade = read_text(kNewText);
  EXPECT_EQ(cascade.window, (Size{12, 16}));
  EXPECT_TRUE((cascade.stages == std::vector<Stage>{{0, 2, .55F - 1e-5F}, {2, 1, -1 - 1e-5F}}));
  EXPECT_TRUE((cascade.trees == std::vector<Tree>{{0, 1, 0, 2}, {1, 2, 2, 3}, {3, 1, 5, 2}}));
  EXPECT_TRUE(
      (cascade.nodes ==
       std::vector<Node>{{0, -1, 0, -.0325F}, {1, 0, 1, .007F}, {-1, -2, 2, 1}, {-1, 0, 3, 0}}));
  EXPECT_EQ(cascade.leaves, (std::vector<float>{2.0875F, -.5F, .25F, -1, 3, 1, 2}));
  ASSERT_EQ(cascade.features.size(), 4U);
  const Feature third{{{{2, 2, 4, 4, -1}, {2, 2, 2, 2, 2}, {4, 4, 2, 2, 2}}}, 3};
  EXPECT_TRUE(cascade.features[2] == third);
  EXPECT_FALSE(cascade.only_stumps());
}

TEST(ReadCascade, OldFormatIsTheNewOneInOtherWords) {
  std::string text = replaced(kNewText, "<internalNodes>-1 0 3 0<", "<internalNodes>0 -1 3 0<");
  text = replaced(text, "<leafValues>1 2<", "<leafValues>2 1<");
  expect_equal(read_text(kOldText), read_text(text));
}

TEST(ReadCascade, RoundsByWayOfDouble) {
  // The double nearest to 1 + 2^-24 + 2^-60 is 1 + 2^-24, which is then rounded to the even float
  // 1.
  const Cascade cascade =
      read_text(replaced(kNewText, "<leafValues>1 2<", "<leafValues>1.0000000596046447754 2<"));
  EXPECT_EQ(cascade.leaves[5], 1.0F);
}

TEST(ReadCascade, ReadsCommentsAmongNumbersAndAByteOrderMark) {
  std::string text =
      replaced(kNewText, "0 -1 0 -3.25e-02", "0 -1<!-- 7 -->0 <!-- > < --> -3.25e-02");
  expect_equal(read_text("\xEF\xBB\xBF" + text), read_text(kNewText));
}

struct Refusal {
  const char* from;
  const char* to;
  const char* reason;
};

void expect_refusals(const char* text, const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(std::string(refusal.from) + " -> " + refusal.to);
    const std::string changed = replaced(text, refusal.from, refusal.to);
    test::expect_error(ErrorKind::device, std::string("cascade.xml: ") + refusal.reason,
                       [&] { (void)read_text(changed); });
  }
}

TEST(ReadCascade, RefusesWhatItDoesNotKnow) {
  expect_refusals(
      kNewText,
      {{">HAAR<", ">LBP<", "LBP features are not supported"},
       {">HAAR<", "> HOG <", "HOG features are not supported"},
       {">HAAR<", ">HAARLBP<", "featureType must be HAAR"},
       {">BOOST<", ">FOREST<", "stageType must be BOOST"},
       {"<tilted>0<", "<tilted>1<", "feature 0: tilted features are not supported"},
       {"<maxCatCount>0<", "<maxCatCount>256<", "categories of features are not supported"},
       {"<stageType>BOOST</stageType>", "", "not a cascade of OpenCV"},
       {"opencv_storage", "storage", "cut or damaged XML at byte"},
       {"<?xml", "#?xml", "not XML"}});
}

TEST(ReadCascade, RefusesWhatIsNotThere) {
  expect_refusals(
      kNewText,
      {{"<width>12</width>", "", "<width> is missing"},
       {"<width>12</width>", "<width>12</width><width>12</width>", "<width> appears twice"},
       {"<stageThreshold>5.5e-01</stageThreshold>", "", "stage 0: <stageThreshold> is missing"},
       {"<leafValues>.25 -1 3</leafValues>", "", "stage 0, tree 1: <leafValues> is missing"},
       {"1 0 1 7e-3 -1 -2 2 1.", "", "stage 0, tree 1: no nodes"},
       {"<_>0 0 12 16 -1.</_>", "", "feature 0: a feature doesn't have two or three"},
       {"<_>0 0 12 16 -1.</_>", "<_>0 0 2 2 1</_><_>0 0 2 2 1</_><_>0 0 2 2 1</_>",
        "feature 0: a feature doesn't have two or three"},
       {"<stages>", "<stages/><stages_>", "cut or damaged XML"}});
  test::expect_error(ErrorKind::device, "<opencv_storage> is missing",
                     [] { (void)read_text("<a/>"); });
  test::expect_error(ErrorKind::device, "<opencv_storage> is empty",
                     [] { (void)read_text("<opencv_storage/>"); });
  static constexpr const char* kHead =
      "<opencv_storage><cascade type_id='opencv-cascade-classifier'><stageType>BOOST</stageType>"
      "<featureType>HAAR</featureType><height>20</height><width>20</width><features/>";
  test::expect_error(ErrorKind::device, "no stages", [&] {
    (void)read_text(std::string(kHead) + "<stages/></cascade></opencv_storage>");
  });
  test::expect_error(ErrorKind::device, "stage 0: no trees", [&] {
    (void)read_text(std::string(kHead) +
                    "<stages><_><stageThreshold>1</stageThreshold><weakClassifiers/></_></stages>"
                    "</cascade></opencv_storage>");
  });
}

TEST(ReadCascade, RefusesTreesThatAreNone) {
  constexpr const char* kTwo = "1 0 1 7e-3 -1 -2 2 1.";
  expect_refusals(
      kNewText,
      {{kTwo, "1 0 1 7e-3 1 -2 2 1.",
        "stage 0, tree 1: node 1 has a child that doesn't come after"},
       {kTwo, "2 0 1 7e-3 -1 -2 2 1.", "stage 0, tree 1: node 0 has a child that doesn't exist"},
       {kTwo, "1 0 1 7e-3 -1 -3 2 1.", "stage 0, tree 1: node 1 has a child that doesn't exist"},
       {kTwo, "1 0 1 7e-3 -1 -2147483648 2 1.", "stage 0, tree 1: expected a whole number"},
       {kTwo, "1 0 1 7e-3 -1 -2147483647 2 1.",
        "stage 0, tree 1: node 1 has a child that doesn't exist"},
       {kTwo, "1 0 1 7e-3 -1 -2 4 1.", "stage 0, tree 1: a node has a feature that doesn't exist"},
       {kTwo, "1 0 1 7e-3 -1 -2 -1 1.", "stage 0, tree 1: a node has a feature that doesn't exist"},
       {kTwo, "1 0 1 7e-3 -1 -2 2", "stage 0, tree 1: a node doesn't have four numbers"},
       {".25 -1 3", ".25 -1", "stage 0, tree 1: the leaves must be one more than the nodes"},
       {".25 -1 3", ".25 -1 3 4", "stage 0, tree 1: the leaves must be one more than the nodes"}});
}

TEST(ReadCascade, RefusesNumbersThatAreNone) {
  constexpr const char* kNone = "stage 0, tree 0: expected a finite number";
  for (const char* const number :
       {"nan", "inf", "-inf", ".Inf", "1e400", "0x10", "1,5", "2.0875x", "+1", "--1", "."}) {
    SCOPED_TRACE(number);
    const std::string text =
        replaced(kNewText, "<leafValues>2.0875", std::string("<leafValues>") + number);
    test::expect_error(ErrorKind::device, kNone, [&] { (void)read_text(text); });
  }
  expect_refusals(
      kNewText,
      {{">5.5e-01<", ">nan<", "stage 0: expected a finite number"},
       {">5.5e-01<", ">5.5e+09<", "stage 0: a leaf or a threshold is beyond 1e9"},
       {"<leafValues>2.0875", "<leafValues>-3e38",
        "stage 0, tree 0: a leaf or a threshold is beyond 1e9"},
       {">5.5e-01<", ">5.5e-01 1<", "stage 0: expected one number"},
       {">5.5e-01<", "><a/><", "stage 0: a list of numbers has an element in it"},
       {"0 -1 0 -3.25e-02", "0 -1.5 0 1", "stage 0, tree 0: expected a whole number"},
       {"0 -1 0 -3.25e-02", "0 -1 0 1e39", "stage 0, tree 0: expected a finite number"},
       {"<weakClassifiers>", "<weakClassifiers>1", "stage 0: a list of elements has text in it"}});
}

TEST(ReadCascade, RefusesWindowsAndRectangles) {
  constexpr const char* kRect = "<_>1 1 6 4 -1.</_>";
  expect_refusals(
      kNewText,
      {{">12<", ">2<", "each side of its window must have 3 to 128 pixels"},
       {">12<", ">129<", "each side of its window must have 3 to 128 pixels"},
       {">12<", ">12.5<", "expected a whole number"},
       {kRect, "<_>7 1 6 4 -1.</_>", "feature 1: a rectangle is outside of the window"},
       {kRect, "<_>1 13 6 4 -1.</_>", "feature 1: a rectangle is outside of the window"},
       {kRect, "<_>-1 1 6 4 -1.</_>", "feature 1: a rectangle is outside of the window"},
       {kRect, "<_>1 1 0 4 -1.</_>", "feature 1: a rectangle is outside of the window"},
       {kRect, "<_>2147483647 1 2147483647 4 -1.</_>", "feature 1: a rectangle is outside of the"},
       {kRect, "<_>1 1 6 4</_>", "feature 1: a rectangle doesn't have five numbers"},
       {kRect, "<_>1 1 6 4 0</_>", "feature 1: a rectangle has weight 0"},
       {kRect, "<_>1 1 6 4 .5</_>", "feature 1: expected a whole number"},
       // The largest allowed sum is 255 * (24 * 2740 + 3 * 8) = 16774920, which is below 2^24 =
       // 16777216.
       {kRect, "<_>1 1 6 4 -2741</_>", "feature 1: the sum of a feature could reach 2^24"},
       {kRect, "<_>1 1 6 4 -2147483647</_>", "feature 1: the sum of a feature could reach 2^24"}});
  EXPECT_EQ(
      read_text(replaced(kNewText, kRect, "<_>1 1 6 4 -2740</_>")).features[1].rects[0].weight,
      -2740);
}

TEST(ReadCascade, RefusesOldFormatsMistakes) {
  expect_refusals(
      kOldText,
      {{">12 16<", ">12<", "its size doesn't have two numbers"},
       {"<left_node>1<", "<left_node>0<", "stage 0, tree 1: a child doesn't come after"},
       {"<left_node>1<", "<left_node>-1<", "stage 0, tree 1: a child doesn't come after"},
       {"<left_node>1<", "<left_node>2<", "stage 0, tree 1: node 0 has a child that doesn't exist"},
       {"<left_val>-1</left_val>", "<left_node>1</left_node>",
        "stage 0, tree 1: the leaves must be one more than the nodes"},
       {"<left_val>2.0875</left_val>", "<left_val>1</left_val><left_node>1</left_node>",
        "stage 0, tree 0: a child is both a node and a leaf"},
       {"<left_val>2.0875</left_val>", "", "stage 0, tree 0: <left_node> is missing"},
       {"<tilted>0<", "<tilted>1<", "stage 0, tree 0: tilted features are not supported"},
       {"<_>0 0 12 16 -1.</_>", "<_>0 0 13 16 -1.</_>", "stage 0, tree 0: a rectangle is outside"},
       {"<stage_threshold>5.5e-001</stage_threshold>", "",
        "stage 0: <stage_threshold> is missing"}});
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ReadCascade, RefusesHugeCounts) {
  static constexpr const char* kStump =
      "<_><internalNodes>-1 0 3 0</internalNodes>\n          <leafValues>1 2</leafValues></_>";
  test::expect_error(ErrorKind::device, "stage 1, tree 199997: more than 200,000 nodes", [&] {
    (void)read_text(replaced(kNewText, kStump, repeated(kStump, 200'001)));
  });
  static constexpr const char* kFeature = "<_><rects><_>5 5 2 2 1</_><_>7 5 2 2 -1</_></rects></_>";
  test::expect_error(ErrorKind::device, "feature 200000: more than 200,000 features", [&] {
    (void)read_text(replaced(kNewText, kFeature, repeated(kFeature, 200'001)));
  });
  test::expect_error(ErrorKind::device, "more than 1,000 stages", [&] {
    (void)read_text(replaced(kNewText, "<stages>", "<stages>" + repeated("<_/>", 1000)));
  });
  test::expect_error(ErrorKind::device, "larger than 64 MiB", [&] {
    (void)read_text(std::string(kNewText) + std::string(std::size_t{64} << 20, '\n'));
  });
}

/// A recursive parser or destructor would need much more than the size of the stack.
TEST(ReadCascade, NestingIsNoDanger) {
  constexpr std::size_t kDepth = 1'000'000;
  const std::string open = repeated("<_>", kDepth);
  const std::string close = repeated("</_>", kDepth);
  test::expect_error(ErrorKind::device, "cut or damaged XML", [&] { (void)read_text(open); });
  test::expect_error(ErrorKind::device, "<opencv_storage> is missing",
                     [&] { (void)read_text(open + close); });
  test::expect_error(ErrorKind::device, "stage 0: <stageThreshold> is missing", [&] {
    (void)read_text(replaced(kNewText, "<stages>", "<stages>" + open + close));
  });
  expect_equal(read_text(replaced(kNewText, "<stageNum>", open + close + "<stageNum>")),
               read_text(kNewText));
}

TEST(ReadCascade, RefusesEntitiesThatGrow) {
  const std::string text = replaced(
      replaced(kNewText, "<opencv_storage>",
               "<!DOCTYPE x [<!ENTITY a \"1 1 1 1\"><!ENTITY b \"&a;&a;&a;\">]>\n<opencv_storage>"),
      "2.0875", "&b;");
  test::expect_error(ErrorKind::device, "expected a finite number", [&] { (void)read_text(text); });
}

TEST(ReadCascade, NamesAFileThatIsMissing) {
  test::expect_error(ErrorKind::device, "model no/such.xml: no such file",
                     [] { (void)read_cascade("no/such.xml"); });
}

/// Expects that read_cascade() reads a file, or refuses it in one line with the file's name. Each
/// call gets a new file, because disks write new files much faster than existing ones.
void expect_read_or_refused(const std::filesystem::path& file, int& refused) {
  try {
    expect_in_order(read_cascade(file));
  } catch (const Error& error) {
    ++refused;
    EXPECT_EQ(error.kind(), ErrorKind::device) << error.what();
    EXPECT_EQ(std::string(error.what()).find_first_of("\n\r\x1b"), std::string::npos);
    EXPECT_TRUE(std::string(error.what()).starts_with("model " + file.string() + ": "));
  }
}

class MutatedCascade : public testing::TestWithParam<const char*> {};

TEST_P(MutatedCascade, IsReadOrRefused) {
  const test::TemporaryFolder folder;
  const std::string original = GetParam();
  int refused = 0;
  constexpr unsigned kSeeds = 3000;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::string text = original;
    for (auto flips = 1 + random() % 3; flips > 0; --flips)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    if (seed % 4 == 0) text.resize(1 + random() % (text.size() - 1));
    expect_read_or_refused(folder.write(std::to_string(seed), text), refused);
  }
  // Much of the text consists of numbers and spaces, where a change can be harmless.
  EXPECT_GT(refused, static_cast<int>(kSeeds) / 2);
  EXPECT_LT(refused, static_cast<int>(kSeeds));
}

TEST_P(MutatedCascade, IsRefusedWhereverItIsCut) {
  const test::TemporaryFolder folder;
  const std::string original = GetParam();
  const std::size_t end = original.rfind('>');
  int refused = 0;
  for (std::size_t length = 1; length <= end; ++length)
    expect_read_or_refused(folder.write(std::to_string(length), original.substr(0, length)),
                           refused);
  EXPECT_EQ(refused, static_cast<int>(end));
}

std::string name_of_format(const testing::TestParamInfo<const char*>& info) {
  return info.param == kNewText ? "New" : "Old";
}

INSTANTIATE_TEST_SUITE_P(Formats, MutatedCascade, testing::Values(kNewText, kOldText),
                         name_of_format);

TEST(LooksLikeXml, GoesByTheFirstCharacter) {
  EXPECT_TRUE(looks_like_xml("<?xml"));
  EXPECT_TRUE(looks_like_xml("\xEF\xBB\xBF\r\n\t <a"));
  EXPECT_FALSE(looks_like_xml(""));
  EXPECT_FALSE(looks_like_xml("  \n"));
  EXPECT_FALSE(looks_like_xml("{<"));
  EXPECT_FALSE(looks_like_xml(std::string_view("\x08\x07<", 3)));
}

TEST(IsXmlFile, ReadsNoMoreThanItNeeds) {
  const test::TemporaryFolder folder;
  const auto is_xml = [&](std::string_view bytes) {
    return is_xml_file(folder.write("file", bytes));
  };
  EXPECT_TRUE(is_xml("<a"));
  EXPECT_TRUE(is_xml("\xEF\xBB\xBF <a>"));
  EXPECT_TRUE(is_xml(std::string(10000, '\n') + "<a>"));
  EXPECT_FALSE(is_xml(""));
  EXPECT_FALSE(is_xml("   "));
  EXPECT_FALSE(is_xml("a<b>"));
  EXPECT_FALSE(is_xml("\x08\x07<a>"));
  EXPECT_FALSE(is_xml_file(folder.path()));
  EXPECT_FALSE(is_xml_file(folder / "nowhere"));
  // No program writes to the FIFO, so a call that opens it would wait for ever.
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_FALSE(is_xml_file(folder / "fifo"));
}

}  // namespace
}  // namespace facepipe::detector::cascade
