// These tests check the edit file: what is written must be read again unchanged, and a wrong file
// must be refused with a reason.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "track/track_file.h"

namespace facepipe::track {
namespace {

const std::string kHash(64, 'a');

TrackFile sample() {
  TrackFile file;
  file.input = {kHash, 75, {1280, 720}, {1, 12800}};
  file.tracks.push_back({.id = 4,
                         .action = TrackAction::hide,
                         .origin = TrackOrigin::detector,
                         .start_pts = -512,
                         .end_pts = 512,
                         .score_max = 0.1F,
                         .style = "mosaic \"\\\n\u00e9",
                         .boxes = {{-512, {-3.5F, 1.1F, 20, 1.0F / 3 + 20}, BoxState::seen},
                                   {0, {0, 0, 1e-3F, 2}, BoxState::held},
                                   {512, {5, 5, 1280.5F, 900}, BoxState::filled}}});
  file.tracks.push_back({.id = 0,
                         .action = TrackAction::keep,
                         .origin = TrackOrigin::person,
                         .start_pts = std::numeric_limits<std::int64_t>::min(),
                         .end_pts = std::numeric_limits<std::int64_t>::max(),
                         .style = {},
                         .boxes = {{7, {1, 2, 3, 4}, BoxState::seen}},
                         .found_class = "licence \"plate\"",
                         .model = "plates.onnx",
                         .grow = 0.1F});
  file.tracks.push_back({.id = 9,
                         .action = TrackAction::suggest,
                         .start_pts = 1,
                         .end_pts = 1,
                         .score_max = 0.05F,
                         .style = {},
                         .boxes = {{1, {1, 2, 3, 4}, BoxState::seen}}});
  return file;
}

TEST(TrackFile, ReadsBackWhatWasWritten) {
  const test::TemporaryFolder folder;
  for (const TrackFile& file : {sample(), TrackFile{{kHash, 0, {1, 1}, {1001, 30000}}, {}}}) {
    write_track_file(file, folder / "t.json", ExistingTarget::replace);
    EXPECT_EQ(read_track_file(folder / "t.json"), file);
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"t.json"});
}

TEST(TrackFile, IsNotReplacedUnasked) {
  const test::TemporaryFolder folder;
  folder.write("t.json", "mine");
  test::expect_error(ErrorKind::output, "t.json", [&] {
    write_track_file(sample(), folder / "t.json", ExistingTarget::refuse);
  });
  EXPECT_EQ(test::read_file(folder / "t.json"), "mine");
}

TEST(TrackFile, AFileWithoutClassesShowsFaces) {
  const test::TemporaryFolder folder;
  TrackFile file = sample();
  file.tracks.resize(1);
  write_track_file(file, folder / "t.json", ExistingTarget::refuse);
  const std::string text = test::read_file(folder / "t.json");
  for (const std::string member : {"class", "model", "grow"})
    EXPECT_EQ(text.find('"' + member + '"'), std::string::npos) << "as files have ever been";
  EXPECT_EQ(read_track_file(folder / "t.json").tracks[0].found_class, "face");
}

TEST(TrackFile, IsWrittenABoxALine) {
  const test::TemporaryFolder folder;
  TrackFile file = sample();
  file.tracks.erase(file.tracks.begin(), file.tracks.begin() + 2);
  write_track_file(file, folder / "t.json", ExistingTarget::refuse);
  EXPECT_EQ(
      test::read_file(folder / "t.json"),
      "{\"version\": 1,\n \"input\": {\"sha256\": \"" + kHash +
          "\", \"frames\": 75, \"width\": 1280, \"height\": 720, \"time_base\": [1, 12800]},\n"
          " \"tracks\": [\n"
          "  {\"id\": 9, \"action\": \"suggest\", \"start_pts\": 1, \"end_pts\": 1, "
          "\"score_max\": 0.05, \"origin\": \"detector\", \"boxes\": [\n"
          "    [1, 1, 2, 3, 4, \"seen\"]]}]}\n");
}

TEST(TrackFile, RefusesToWriteWhatItWouldNotRead) {
  const test::TemporaryFolder folder;
  TrackFile file = sample();
  file.tracks[1].boxes[0].box.x2 = std::numeric_limits<float>::quiet_NaN();
  test::expect_error(ErrorKind::internal, "track 1: box 0: an edge is not finite",
                     [&] { write_track_file(file, folder / "t.json", ExistingTarget::refuse); });
  file = sample();
  file.tracks[2].style = "image:\xFF.png";  // a file name can contain any bytes
  test::expect_error(ErrorKind::internal, "track 2: style is not UTF-8",
                     [&] { write_track_file(file, folder / "t.json", ExistingTarget::refuse); });
  EXPECT_TRUE(folder.names().empty());
}

/// Returns the size of a file with these numbers of tracks and boxes, if the text of every value
/// has the largest possible length.
std::uintmax_t most_bytes(std::int64_t tracks, std::int64_t boxes) {
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr float kWordy = -1.17549435e-38F;
  TrackFile file{{kHash, std::numeric_limits<std::int64_t>::max(), {16384, 16384}, {1001, 30000}},
                 {}};
  for (std::int64_t i = 0; i < tracks; ++i) {
    FileTrack track{.id = std::numeric_limits<std::int64_t>::max() - i,
                    .action = TrackAction::suggest,
                    .start_pts = kFirst,
                    .end_pts = kFirst + boxes,
                    .score_max = 1.17549435e-38F,
                    .style = std::string(200, '\x01'),  // JSON needs six bytes for this character
                    .boxes = {},
                    .found_class = std::string(64, '\x01'),
                    .model = std::string(200, '\x01'),
                    .grow = 1.17549435e-38F};
    for (std::int64_t k = i; k < boxes; k += tracks)
      track.boxes.push_back(
          {kFirst + k, {kWordy, kWordy, 1.17549435e-38F, 1.17549435e-38F}, BoxState::filled});
    file.tracks.push_back(std::move(track));
  }
  const test::TemporaryFolder folder;
  write_track_file(file, folder / "t.json", ExistingTarget::refuse);
  EXPECT_EQ(read_track_file(folder / "t.json"), file);
  return std::filesystem::file_size(folder / "t.json");
}

TEST(TrackFile, MayHaveAllBytesThatItsTracksAndBoxesTake) {
  const std::uintmax_t least = most_bytes(1, 1);
  const std::uintmax_t of_box = most_bytes(1, 2) - least;
  const std::uintmax_t of_track = most_bytes(2, 2) - least - of_box;
  EXPECT_LE(least + of_box * kMostFileBoxes + of_track * kMostFileTracks, kMostTrackFileBytes)
      << of_box << " and " << of_track;
}

/// Holds the text of a file with one track, in parts. Tests replace parts of it.
struct Text {
  std::string version = "1";
  std::string input = "{\"sha256\": \"" + kHash +
                      "\", \"frames\": 3, \"width\": 100, \"height\": 80, \"time_base\": [1, 25]}";
  std::string id = "0";
  std::string action = "\"hide\"";
  std::string origin = "\"detector\"";
  std::string span = "\"start_pts\": 0, \"end_pts\": 9";
  std::string score = "\"score_max\": 0.5,";
  std::string boxes = "[[0, 1, 2, 30, 40, \"seen\"]]";
  std::string more_tracks{};
  std::string tail{};

  [[nodiscard]] std::string track() const {
    return "{\"id\": " + id + ", \"action\": " + action + ", " + span + ", " + score +
           " \"origin\": " + origin + ", \"boxes\": " + boxes + "}";
  }
  [[nodiscard]] std::string whole() const {
    return "{\"version\": " + version + ", \"input\": " + input + ", \"tracks\": [" + track() +
           more_tracks + "]" + tail + "}";
  }
};

TEST(TrackFile, ReadsWhatAPersonHasWritten) {
  const test::TemporaryFolder folder;
  // The members of this text are in another order and on one line. It has no score and no style.
  const std::string text =
      R"({"tracks":[{"boxes":[[0,1,2,30,40,"seen"],[10,2.5e1,2,30,4e1,"seen"]],"origin":"person",)"
      R"("end_pts":20,"start_pts":-5,"action":"hide","id":3}],"version":1,)"
      R"("input":{"time_base":[1,25],"height":80,"width":100,"frames":3,"sha256":")" +
      kHash + "\"}}";
  const TrackFile file = read_track_file(folder.write("t.json", text));
  ASSERT_EQ(file.tracks.size(), 1U);
  EXPECT_EQ(file.tracks[0].id, 3);
  EXPECT_EQ(file.tracks[0].origin, TrackOrigin::person);
  EXPECT_EQ(file.tracks[0].boxes[1].box, (Box{25, 2, 30, 40}));
  EXPECT_NO_THROW(static_cast<void>(read_track_file(folder.write("u.json", Text{}.whole()))));
}

TEST(TrackFile, RefusesWhatIsNotAsStated) {
  struct Case {
    std::string text;
    std::string reason;
  };
  const auto boxes = [](const std::string& list) { return Text{.boxes = list}.whole(); };
  const auto input = [](const std::string& from, const std::string& to) {
    Text text;
    text.input.replace(text.input.find(from), from.size(), to);
    return text.whole();
  };
  const std::vector<Case> cases{
      {"", "is not JSON at byte 1"},
      {"{\"version\": 1", "is not JSON"},
      {Text{}.whole() + "x", "is not JSON"},
      {"[]", "is not an object"},
      {"7", "is not an object"},
      {"{}", "has no version"},
      {Text{.version = "2"}.whole(), "is not of version 1"},
      {Text{.version = "\"1\""}.whole(), "version is not an integer"},
      {Text{.version = "1, \"version\": 1"}.whole(), "has a member twice"},
      {Text{.tail = ", \"note\": 1"}.whole(), "has an unknown member"},
      {Text{.tail = ", \"tracks\": []"}.whole(), "has a member twice"},
      {"{\"version\": 1, \"input\": {}, \"tracks\": []}", "input: has no sha256"},
      {"{\"version\": 1, \"input\": [], \"tracks\": []}", "input: is not an object"},
      {"{\"version\": 1, \"input\": {}, \"tracks\": {}}", "tracks are not an array"},
      {"{\"version\": 1, \"input\": {}, \"tracks\": [7]}", "tracks are not an array of objects"},
      {"{\"version\": 1, \"input\": {}}", "has no tracks"},
      {"[[[[[[[[[[[[1]]]]]]]]]]]]", "is nested too deeply"},
      {input("\"" + kHash + "\"", "\"abc\""), "input: sha256 is not 64 digits"},
      {input("\"" + kHash + "\"", "7"), "input: sha256 is not a string"},
      {input("3", "-3"), "input: frames are under 0"},
      {input("3", "3.5"), "input: frames is not an integer"},
      {input("100", "0"), "input: the picture's size is out of range"},
      {input("100", "16385"), "input: the picture's size is out of range"},
      {input("100", "-1"), "input: width is out of range"},
      {input("100", "99999999999"), "input: width is out of range"},
      {input("[1, 25]", "[1, 0]"), "input: time_base is not over 0"},
      {input("[1, 25]", "[1]"), "input: time_base is not [numerator, denominator]"},
      {input("[1, 25]", "0.04"), "input: time_base is not [numerator, denominator]"},
      {Text{.id = "-1"}.whole(), "track 0: id is under 0"},
      {Text{.id = "1e3"}.whole(), "track 0: id is not an integer"},
      {Text{.id = "18446744073709551615"}.whole(), "track 0: id is not an integer of 64 bits"},
      {Text{.id = "0, \"id\": 1"}.whole(), "has a member twice"},
      {Text{.id = "0, \"ID\": 1"}.whole(), "track 0: has an unknown member"},
      {Text{.more_tracks = ", " + Text{}.track()}.whole(), "track 1: another track has its id"},
      {Text{.more_tracks = ", {}"}.whole(), "track 1: has no id"},
      {Text{.more_tracks = ", 7"}.whole(), "tracks are not an array of objects"},
      {Text{.action = "\"blur\\n\""}.whole(), "track 0: action is unknown"},
      {Text{.action = "null"}.whole(), "track 0: action is not a string"},
      {Text{.origin = "\"me\""}.whole(), "track 0: origin is unknown"},
      {Text{.span = "\"start_pts\": 1, \"end_pts\": 9"}.whole(),
       "track 0: start_pts is after the first box"},
      {Text{.span = "\"start_pts\": 0, \"end_pts\": -1"}.whole(),
       "track 0: end_pts is before the last box"},
      {Text{.span = "\"start_pts\": 0"}.whole(), "track 0: has no end_pts"},
      {Text{.score = "\"score_max\": 1.5,"}.whole(), "track 0: score_max is not from 0 to 1"},
      {Text{.score = "\"score_max\": \"1\","}.whole(), "track 0: score_max is not a number"},
      {Text{.score = ""}.whole(), "track 0: has no score_max"},
      {Text{.score = "\"score_max\": 1, \"style\": 3,"}.whole(), "track 0: style is not a string"},
      {Text{.score = "\"score_max\": 1, \"style\": \"" + std::string(201, 'x') + "\","}.whole(),
       "track 0: style has more than 200 bytes"},
      {Text{.score = "\"score_max\": 1, \"class\": 3,"}.whole(), "track 0: class is not a string"},
      {Text{.score = "\"score_max\": 1, \"class\": \"\","}.whole(),
       "track 0: class has not 1 to 64 bytes"},
      {Text{.score = "\"score_max\": 1, \"class\": \"" + std::string(65, 'x') + "\","}.whole(),
       "track 0: class has not 1 to 64 bytes"},
      {Text{.score = "\"score_max\": 1, \"model\": \"" + std::string(201, 'x') + "\","}.whole(),
       "track 0: model has more than 200 bytes"},
      {Text{.score = "\"score_max\": 1, \"grow\": 4.5,"}.whole(),
       "track 0: grow is not from 0 to 4"},
      {Text{.score = "\"score_max\": 1, \"grow\": -0.5,"}.whole(),
       "track 0: grow is not from 0 to 4"},
      {boxes("[]"), "track 0: has no boxes"},
      {boxes("{}"), "track 0: boxes are not an array"},
      {boxes("[7]"), "track 0: box 0: is not [pts, x1, y1, x2, y2, state]"},
      {boxes("[[0, 1, 2, 30, 40]]"), "track 0: box 0: is not [pts"},
      {boxes("[[0, 1, 2, 30, 40, \"seen\", 1]]"), "track 0: box 0: is not [pts"},
      {boxes("[[0.5, 1, 2, 30, 40, \"seen\"]]"), "track 0: box 0: pts is not an integer"},
      {boxes("[[0, \"1\", 2, 30, 40, \"seen\"]]"), "track 0: box 0: x1 is not a number"},
      {boxes("[[0, 1, 2, null, 40, \"seen\"]]"), "track 0: box 0: x2 is not a number"},
      {boxes("[[0, 1, 2, 30, 40, \"gone\"]]"), "track 0: box 0: state is unknown"},
      {boxes("[[0, NaN, 2, 30, 40, \"seen\"]]"), "is not JSON"},
      {boxes("[[0, 1e99, 2, 30, 40, \"seen\"]]"), "track 0: box 0: x1 is not finite"},
      {boxes("[[0, 1e999, 2, 30, 40, \"seen\"]]"), "has a number that is too large"},
      {boxes("[[0, 30, 2, 30, 40, \"seen\"]]"), "track 0: box 0: x1 is not under x2"},
      {boxes("[[0, 1, 40, 30, 2, \"seen\"]]"), "track 0: box 0: y1 is not under y2"},
      {boxes("[[0, 100, 2, 130, 40, \"seen\"]]"), "track 0: box 0: lies outside of the picture"},
      {boxes("[[0, -9, 2, 0, 40, \"seen\"]]"), "track 0: box 0: lies outside of the picture"},
      {boxes("[[0, 1, 80, 30, 90, \"seen\"]]"), "track 0: box 0: lies outside of the picture"},
      {boxes("[[0, 1, 2, 30, 40, \"seen\"], [0, 1, 2, 30, 40, \"seen\"]]"),
       "track 0: box 1: pts is not after that of the previous box"},
      {boxes("[[5, 1, 2, 30, 40, \"seen\"], [4, 1, 2, 30, 40, \"seen\"]]"),
       "track 0: box 1: pts is not after that of the previous box"},
  };
  const test::TemporaryFolder folder;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text.substr(0, 300));
    const auto path = folder.write("t.json", c.text);
    test::expect_error(ErrorKind::input, "t.json: " + c.reason,
                       [&] { static_cast<void>(read_track_file(path)); });
  }
}

TEST(TrackFile, RefusesWhatCannotBeRead) {
  const test::TemporaryFolder folder;
  // The system opens the last file, and gives an error for its first byte.
  for (const std::filesystem::path& path :
       {folder / "missing.json", folder.path(), std::filesystem::path("/proc/self/mem")})
    test::expect_error(ErrorKind::input, path.string() + ": can't be ",
                       [&] { static_cast<void>(read_track_file(path)); });
}

TEST(TrackFile, RefusesTooMuch) {
  const test::TemporaryFolder folder;
  std::string tracks;
  for (std::size_t i = 1; i <= kMostFileTracks; ++i)
    tracks += "," + Text{.id = std::to_string(i)}.track();
  const auto many_tracks = folder.write("tracks.json", Text{.more_tracks = tracks}.whole());
  test::expect_error(ErrorKind::input, "has more than 131072 tracks",
                     [&] { static_cast<void>(read_track_file(many_tracks)); });

  const std::string box = "[0,0,0,1,1,\"seen\"]";
  std::string boxes = "[" + box;
  for (std::size_t i = 0; i < kMostFileBoxes; ++i) boxes += "," + box;
  const auto many_boxes = folder.write("boxes.json", Text{.boxes = boxes + "]"}.whole());
  test::expect_error(ErrorKind::input, "has more than 4194304 boxes",
                     [&] { static_cast<void>(read_track_file(many_boxes)); });

  const auto large = folder.write("large.json");
  std::filesystem::resize_file(large, kMostTrackFileBytes + 1);  // the new bytes are a hole, so no
                                                                 // data is written
  test::expect_error(ErrorKind::input, "has more than 1073741824 bytes",
                     [&] { static_cast<void>(read_track_file(large)); });
}

TEST(TrackFile, RefusesWhatIsNoPartOfAFileBeforeItIsAllRead) {
  // Each text ends directly behind the part that is refused. A reader that didn't stop there would
  // report an error of JSON instead.
  const std::string tracks = "{\"tracks\": ";
  const std::string boxes = tracks + "[{\"boxes\": ";
  const std::string box = "[0, 1, 2, 3, 4, \"seen\"";
  std::string zeros;
  std::string arrays;
  std::string objects;
  for (int i = 0; i < 20; ++i) zeros += "0, ", arrays += "[], ", objects += "{}, ";
  std::string names;
  for (int i = 0; i < 12; ++i) names += (i == 0 ? "\"" : ", \"") + std::to_string(i) + "\": 0";
  struct Case {
    std::string text;
    std::string reason;
  };
  const std::vector<Case> cases{
      {"{" + names, "has an unknown member"},
      {"[" + zeros, "has more than version, input and tracks"},
      {"{\"input\": [" + arrays, "has more than version"},
      {"{\"input\": [" + objects, "has more than version"},
      {tracks + "[7, ", "tracks are not an array of objects"},
      {tracks + "[[], ", "tracks are not an array of objects"},
      {tracks + "{\"0\": ", "tracks are not an array of objects"},
      {tracks + "[{" + names, "has an unknown member"},
      {boxes + "{\"0\": ", "track 0: has an object in it"},
      {boxes + "[{}, ", "track 0: box 0: is not [pts"},
      {boxes + "[7, ", "track 0: box 0: is not [pts"},
      {boxes + "[" + box + "], 7, ", "track 0: box 1: is not [pts"},
      {boxes + "[" + box + ", 7, ", "track 0: box 0: is not [pts"},
      {boxes + "[[[], ", "track 0: box 0: is not [pts"},
      {boxes + "[[{}, ", "track 0: box 0: is not [pts"},
      {boxes + "[[], ", "track 0: box 0: is not [pts"},
  };
  const test::TemporaryFolder folder;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto path = folder.write("t.json", c.text);
    test::expect_error(ErrorKind::input, "t.json: " + c.reason,
                       [&] { static_cast<void>(read_track_file(path)); });
  }
}

TEST(TrackFile, RefusesLongWords) {
  const test::TemporaryFolder folder;
  const std::string most(4096, '7');
  std::string escaped;
  for (int i = 0; i < 2048; ++i) escaped += "\\\"";
  for (const std::string& word : {"\"" + most + "7\"", "0." + most, "\"" + escaped + "7\"",
                                  std::string(4097, ' '), "\"\\\\" + most + "\""}) {
    SCOPED_TRACE(word.substr(0, 9));
    const auto path = folder.write("t.json", Text{.version = word}.whole());
    test::expect_error(ErrorKind::input, "t.json: has a word of more than 4096 bytes",
                       [&] { static_cast<void>(read_track_file(path)); });
  }
  // This is the longest allowed style, written with as many bytes as JSON can need for it.
  std::string style;
  for (int i = 0; i < 200; ++i) style += "\\u0022";
  for (const std::string& word : {"\"" + most + "\"", "\"" + escaped + "\""})
    test::expect_error(ErrorKind::input, "t.json: version is not an integer", [&] {
      static_cast<void>(read_track_file(folder.write("t.json", Text{.version = word}.whole())));
    });
  const auto path = folder.write(
      "t.json", Text{.score = "\"score_max\": 1, \"style\": \"" + style + "\","}.whole());
  EXPECT_EQ(read_track_file(path).tracks[0].style, std::string(200, '"'));
}

TEST(TrackFile, HoldsTwoThousandTracks) {
  const test::TemporaryFolder folder;
  TrackFile file;
  file.input = {kHash, 100, {1920, 1080}, {1, 25}};
  for (int i = 0; i < 2000; ++i) {
    FileTrack track{.id = i, .end_pts = 99, .score_max = 0.5F, .style = {}, .boxes = {}};
    for (int f = 0; f < 100; ++f) {
      const float x = static_cast<float>(i % 50) * 38.4F + static_cast<float>(f) * 0.37F;
      track.boxes.push_back({f, {x, 10, x + 21.7F, 37}, BoxState::seen});
    }
    file.tracks.push_back(track);
  }
  write_track_file(file, folder / "t.json", ExistingTarget::refuse);
  EXPECT_EQ(read_track_file(folder / "t.json"), file);
  EXPECT_EQ(hidden_at(file, 50).size(), 2000U);
}

TEST(BoxAt, OfADetectorIsThatOfTheFrame) {
  const FileTrack track = sample().tracks[0];
  EXPECT_EQ(box_at(track, 0), track.boxes[1].box);
  EXPECT_EQ(box_at(track, 1), std::nullopt);
  EXPECT_EQ(box_at(track, -513), std::nullopt);
}

TEST(BoxAt, OfAPersonIsLinear) {
  const FileTrack track{
      .origin = TrackOrigin::person,
      .start_pts = -10,
      .end_pts = 50,
      .style = {},
      .boxes = {{0, {0, 0, 10, 10}, BoxState::seen}, {40, {20, 40, 50, 60}, BoxState::seen}}};
  EXPECT_EQ(box_at(track, -11), std::nullopt);
  EXPECT_EQ(box_at(track, -10), (Box{0, 0, 10, 10}));
  EXPECT_EQ(box_at(track, 0), (Box{0, 0, 10, 10}));
  EXPECT_EQ(box_at(track, 10), (Box{5, 10, 20, 22.5F}));
  EXPECT_EQ(box_at(track, 30), (Box{15, 30, 40, 47.5F}));
  EXPECT_EQ(box_at(track, 50), (Box{20, 40, 50, 60}));
  EXPECT_EQ(box_at(track, 51), std::nullopt);
}

TEST(BoxAt, TakesStampsOfAnySize) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const FileTrack track{.origin = TrackOrigin::person,
                        .start_pts = -kMost,
                        .end_pts = kMost,
                        .style = {},
                        .boxes = {{-kMost, {0, 0, 10, 10}, BoxState::seen},
                                  {kMost, {20, 20, 30, 30}, BoxState::seen}}};
  EXPECT_EQ(box_at(track, 0), (Box{10, 10, 20, 20}));
}

TEST(BoxAt, TakesLargeStampsCloseTogether) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 60;  // in double, the next integers equal this
                                                          // number
  const FileTrack track{.origin = TrackOrigin::person,
                        .start_pts = kLarge,
                        .end_pts = kLarge + 4,
                        .style = {},
                        .boxes = {{kLarge, {0, 0, 10, 10}, BoxState::seen},
                                  {kLarge + 4, {20, 20, 30, 30}, BoxState::seen}}};
  EXPECT_EQ(box_at(track, kLarge + 1), (Box{5, 5, 15, 15}));
}

TEST(HiddenAt, IsWhatIsToBeHiddenWhereverElseIsKept) {
  TrackFile file = sample();
  for (FileTrack& track : file.tracks) {
    track.origin = TrackOrigin::person;
    track.start_pts = -1000;
    track.end_pts = 1000;
  }
  ASSERT_EQ(hidden_at(file, 7).size(), 1U);
  EXPECT_EQ(hidden_at(file, 7)[0].track, file.tracks.data());  // hidden, although a kept box
                                                               // overlaps it
  file.tracks[0].action = TrackAction::keep;
  EXPECT_TRUE(hidden_at(file, 7).empty());
  file.tracks[2].action = TrackAction::hide;
  EXPECT_EQ(hidden_at(file, 7)[0].track, &file.tracks[2]);
}

TrackedFrame frame_with(std::vector<TrackedBox> boxes) {
  TrackedFrame frame;
  frame.boxes = std::move(boxes);
  return frame;
}

TEST(TrackFileBuilder, MakesTracksOfFrames) {
  TrackFileBuilder builder({kHash, 0, {100, 80}, {1, 25}}, 0.04F);
  builder.add(frame_with({{3, {10, 10, 20, 30}, 0, 0.9F, BoxState::seen, true},
                          {5, {50, 50, 60, 60}, 0, 0.05F, BoxState::seen, false},
                          {6, {70, 50, 80, 60}, 0, 0.03F, BoxState::seen, false}}),
              100);
  builder.add(frame_with({{3, {10, 10, 20, 30}, 0.1F, 0, BoxState::held, true},
                          {5, {50, 50, 60, 60}, 0, 0.16F, BoxState::seen, true},
                          {7, {100, 50, 120, 60}, 0, 0.9F, BoxState::seen, true}}),
              102);
  builder.add(frame_with({{3, {10, 10, 20, 30}, 0, 0, BoxState::filled, true},
                          {3, {14, 12, 24, 32}, 0, 0, BoxState::filled, true}}),
              103);
  for (const TrackSummary& track : std::vector<TrackSummary>{{3, 0, 2, 1, 0.9F, true},
                                                             {5, 0, 1, 2, 0.16F, false},
                                                             {6, 0, 0, 1, 0.03F, false},
                                                             {7, 1, 1, 1, 0.9F, true}})
    builder.add(track);
  const TrackFile file = builder.finish();
  EXPECT_EQ(reason_against(file), "");
  EXPECT_EQ(file.input.frames, 3);
  ASSERT_EQ(file.tracks.size(), 3U);  // track 6 is too weak, and track 7 is always outside of the
                                      // picture
  EXPECT_EQ(file.tracks[0], (FileTrack{3,
                                       TrackAction::hide,
                                       TrackOrigin::detector,
                                       100,
                                       103,
                                       0.9F,
                                       "",
                                       {{100, {10, 10, 20, 30}, BoxState::seen},
                                        {102, {9, 8, 21, 32}, BoxState::held},
                                        {103, {10, 10, 24, 32}, BoxState::filled}}}));
  EXPECT_EQ(file.tracks[1].action, TrackAction::suggest);
  EXPECT_EQ(file.tracks[1].boxes.size(), 2U);
  EXPECT_EQ(file.tracks[2], (FileTrack{8,
                                       TrackAction::hide,
                                       TrackOrigin::detector,
                                       102,
                                       102,
                                       0.16F,
                                       "",
                                       {{102, {50, 50, 60, 60}, BoxState::seen}}}));
}

TEST(TrackFileBuilder, JoinsWhatBuildersHaveCollectedOfParts) {
  const TrackFileInput input{kHash, 0, {100, 80}, {1, 25}};
  const auto add = [](TrackFileBuilder& builder, std::int64_t pts, std::int64_t first_id) {
    TrackedFrame frame;
    frame.boxes = {{first_id, {1, 2, 30, 40}, 0.1F, 0.5F, BoxState::seen, true},
                   {first_id + 1, {40, 2, 60, 40}, 0, 0.1F, BoxState::seen, pts % 2 == 0},
                   {first_id + 2, {70, 2, 90, 40}, 0, 0.1F, BoxState::held, false}};
    builder.add(frame, pts);
    for (const std::int64_t i : {0, 1, 2}) {
      TrackSummary ended;
      ended.id = first_id + i;
      ended.best_score = i == 0 ? 0.5F : 0.1F;
      ended.hidden = i == 0;
      builder.add(ended);
    }
  };
  TrackFileBuilder whole(input);
  TrackFileBuilder joined(input);
  for (const std::int64_t part : {0, 1, 2}) {
    add(whole, part, 3 * part);
    TrackFileBuilder one(input);
    add(one, part, 0);
    joined.add(one.take(), 3 * part);
    EXPECT_TRUE(one.finish().tracks.empty()) << "everything was taken";
  }
  const TrackFile expected = whole.finish();
  EXPECT_EQ(expected.tracks.size(), 11U) << "two tracks hide single boxes";
  EXPECT_EQ(joined.finish(), expected);
}

TEST(TrackFileBuilder, TellsTheClassOfEachTrack) {
  TrackFileBuilder builder({kHash, 0, {100, 80}, {1, 25}}, 0.03F,
                           {{"face", "centerface", {}}, {"plate", std::string(201, 'm'), 0.5F}});
  TrackedFrame frame;
  frame.boxes = {{0, {1, 2, 30, 40}, 0, 0.9F, BoxState::seen, true},
                 {1, {1, 2, 30, 40}, 0, 0.9F, BoxState::seen, true, 1}};
  builder.add(frame, 0);
  builder.add({0, 0, 0, 1, 0.9F, true});
  builder.add({1, 0, 0, 1, 0.9F, true, 1});
  const TrackFile file = builder.finish();
  ASSERT_EQ(file.tracks.size(), 2U);
  EXPECT_EQ(file.tracks[0].found_class, "face");
  EXPECT_EQ(file.tracks[0].model, "centerface");
  EXPECT_EQ(file.tracks[0].grow, std::nullopt);
  EXPECT_EQ(file.tracks[1].found_class, "plate");
  EXPECT_EQ(file.tracks[1].model, "") << "a name that has no room in a file";
  EXPECT_EQ(file.tracks[1].grow, 0.5F);
}

TEST(TrackFileBuilder, MakesOneTrackOfWhatASuggestedOneHides) {
  TrackFileBuilder builder({kHash, 0, {100, 80}, {1, 25}});
  for (int i = 0; i < 6; ++i)
    builder.add(frame_with({{0, {10, 10, 20, 30}, 0, 0.16F, BoxState::seen, i % 2 == 0}}), i);
  builder.add({0, 0, 5, 6, 0.16F, false});
  const TrackFile file = builder.finish();
  ASSERT_EQ(file.tracks.size(), 2U);
  EXPECT_EQ(file.tracks[1].boxes.size(), 3U);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(hidden_at(file, i).size(), i % 2 == 0 ? 1U : 0U) << i;
}

TEST(TrackFileBuilder, LeavesOutTheWeakestSuggestionsOfTooMany) {
  TrackFileBuilder builder({kHash, 0, {100, 80}, {1, 25}});
  const auto most = static_cast<std::int64_t>(kMostFileTracks);
  std::vector<TrackedBox> boxes;
  for (std::int64_t id = 0; id <= most; ++id) {
    const bool hidden = id == most;
    const float score = hidden ? 0.9F : id == 7 ? 0.04F : 0.05F;
    boxes.push_back({id, {10, 10, 20, 30}, 0, score, BoxState::seen, hidden});
    builder.add({id, 0, 0, 1, score, hidden});
  }
  builder.add(frame_with(std::move(boxes)), 0);
  const TrackFile file = builder.finish();
  EXPECT_EQ(reason_against(file), "");
  ASSERT_EQ(file.tracks.size(), kMostFileTracks);
  EXPECT_EQ(file.tracks[6].id, 6);
  EXPECT_EQ(file.tracks[7].id, 8);
  EXPECT_EQ(file.tracks.back().id, most);
  EXPECT_EQ(file.tracks.back().action, TrackAction::hide);
}

TEST(TrackFileBuilder, LeavesOutTheWeakestSuggestionsOfTooManyBoxes) {
  TrackFileBuilder builder({kHash, 0, {100, 80}, {1, 25}});
  const auto most = static_cast<std::int64_t>(kMostFileBoxes);
  const Box box{10, 10, 20, 30};
  for (std::int64_t i = 0; i < most; ++i)
    builder.add(frame_with({{0, box, 0, 0.9F, BoxState::seen, true}}), i);
  builder.add(frame_with({{1, box, 0, 0.05F, BoxState::seen, false}}), most);
  builder.add({0, 0, most - 1, most, 0.9F, true});
  builder.add({1, most, most, 1, 0.05F, false});
  const TrackFile file = builder.finish();
  ASSERT_EQ(file.tracks.size(), 1U);
  EXPECT_EQ(file.tracks[0].boxes.size(), kMostFileBoxes);
}

}  // namespace
}  // namespace facepipe::track
