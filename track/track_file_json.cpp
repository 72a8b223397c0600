#include "track/track_file_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <stdexcept>
#include <streambuf>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files/file_identity.h"

namespace facepipe::track {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;
// The depth of a value is the number of arrays and objects around it.
constexpr int kMostDepth = 8;
constexpr int kTrackDepth = 2;  ///< a track is in the file's object and in the array of tracks
constexpr int kBoxDepth = 4;    ///< a box is also in the track and in its array of boxes
// These are limits for a file. They are checked while it is read, so that a file that exceeds them
// takes no memory.
constexpr std::size_t kMostMembers = 11;  ///< members of an object; a track has eleven
/// Largest number of values outside of tracks. A valid file has 11: the file's object, version,
/// input with its members, and tracks. The limit is higher, so that a file with a few wrong values
/// gets an error that names the reason.
constexpr int kMostHeadValues = 20;
constexpr std::size_t kBoxValues = 6;
/// Largest number of bytes of a string (as it is in the file), of a number, or of blanks.
constexpr std::size_t kMostWordBytes = 4096;
constexpr const char* kNotABox = "is not [pts, x1, y1, x2, y2, state]";
constexpr const char* kNotTracks = "tracks are not an array of objects";

// The words for each enumeration, in the order of its values.
constexpr std::array<std::string_view, 3> kActions{"hide", "keep", "suggest"};
constexpr std::array<std::string_view, 2> kOrigins{"detector", "person"};
constexpr std::array<std::string_view, 3> kStates{"seen", "held", "filled"};

/// Says why a value is refused. parse_track_file() converts it to an Error with the file's name.
class Refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse(const std::string& reason) { throw Refused(reason); }

void expect_members(const Json& object, std::initializer_list<std::string_view> known) {
  if (!object.is_object()) refuse("is not an object");
  for (const auto& member : object.items())
    if (std::ranges::find(known, member.key()) == known.end()) refuse("has an unknown member");
}

const Json& member(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(std::string("has no ") + name);
  return *found;
}

std::int64_t integer(const Json& value, const std::string& name) {
  const bool too_large =
      value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (!value.is_number_integer() || too_large) refuse(name + " is not an integer of 64 bits");
  return value.get<std::int64_t>();
}

int small_integer(const Json& value, const std::string& name) {
  const std::int64_t number = integer(value, name);
  if (number < 0 || number > std::numeric_limits<int>::max()) refuse(name + " is out of range");
  return static_cast<int>(number);
}

float number(const Json& value, const std::string& name) {
  if (!value.is_number()) refuse(name + " is not a number");
  const double number = value.get<double>();
  // Converting a value that a float can't hold would be undefined.
  if (!(std::abs(number) <= std::numeric_limits<float>::max())) refuse(name + " is not finite");
  return static_cast<float>(number);
}

std::string text(const Json& value, const std::string& name) {
  if (!value.is_string()) refuse(name + " is not a string");
  return value.get<std::string>();
}

template <typename Enum>
Enum word(const Json& value, std::span<const std::string_view> words, const std::string& name) {
  const std::string given = text(value, name);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == given) return static_cast<Enum>(i);
  refuse(name + " is unknown");
}

FileBox box_of(const Json& value) {
  if (!value.is_array() || value.size() != kBoxValues) refuse(kNotABox);
  return {integer(value[0], "pts"),
          {number(value[1], "x1"), number(value[2], "y1"), number(value[3], "x2"),
           number(value[4], "y2")},
          word<BoxState>(value[5], kStates, "state")};
}

/// @param boxes  the boxes that were taken out of `object` before
FileTrack track_of(const Json& object, std::vector<FileBox> boxes) {
  expect_members(object, {"id", "action", "start_pts", "end_pts", "score_max", "origin", "style",
                          "class", "model", "grow", "boxes"});
  FileTrack track;
  track.id = integer(member(object, "id"), "id");
  track.action = word<TrackAction>(member(object, "action"), kActions, "action");
  track.origin = word<TrackOrigin>(member(object, "origin"), kOrigins, "origin");
  track.start_pts = integer(member(object, "start_pts"), "start_pts");
  track.end_pts = integer(member(object, "end_pts"), "end_pts");
  if (track.origin == TrackOrigin::detector || object.contains("score_max"))
    track.score_max = number(member(object, "score_max"), "score_max");
  if (object.contains("style")) track.style = text(object["style"], "style");
  if (object.contains("class")) track.found_class = text(object["class"], "class");
  if (object.contains("model")) track.model = text(object["model"], "model");
  if (object.contains("grow")) track.grow = number(object["grow"], "grow");
  if (!member(object, "boxes").is_array()) refuse("boxes are not an array");
  track.boxes = std::move(boxes);
  return track;
}

TrackFileInput input_of(const Json& object) {
  expect_members(object, {"sha256", "frames", "width", "height", "time_base"});
  TrackFileInput input;
  input.sha256 = text(member(object, "sha256"), "sha256");
  input.frames = integer(member(object, "frames"), "frames");
  input.size = {small_integer(member(object, "width"), "width"),
                small_integer(member(object, "height"), "height")};
  const Json& base = member(object, "time_base");
  if (!base.is_array() || base.size() != 2) refuse("time_base is not [numerator, denominator]");
  input.time_base = {small_integer(base[0], "time_base"), small_integer(base[1], "time_base")};
  return input;
}

/// A callback of the JSON parser. It converts each box and each track as soon as it is parsed, so
/// that at most one track is in memory as JSON. It also checks the limits, and the structure of the
/// document.
class Reader {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > kMostDepth) refuse("is nested too deeply");
    switch (event) {
      case Event::key:
        name(depth, parsed.get_ref<const std::string&>());
        return true;
      case Event::object_start:
        names_.emplace_back();
        begin(depth, event);
        return true;
      case Event::array_start:
      case Event::value:
        begin(depth, event);
        return true;
      case Event::array_end:
        if (!in_tracks_ || depth != kBoxDepth) return true;
        take_box(parsed);
        return false;
      case Event::object_end:
        names_.pop_back();
        if (!in_tracks_ || depth != kTrackDepth) return true;
        take_track(parsed);
        return false;
    }
    return true;
  }

  [[nodiscard]] std::vector<FileTrack> tracks() { return std::move(tracks_); }

 private:
  void name(int depth, const std::string& name) {
    if (in_tracks_ && depth == kTrackDepth) refuse(kNotTracks);  // `tracks` is an object
    if (in_tracks_ && depth > kTrackDepth + 1) refuse(track_name() + "has an object in it");
    if (!names_.back().insert(name).second) refuse("has a member twice");
    if (names_.back().size() > kMostMembers) refuse("has an unknown member");
    if (names_.size() == 1) in_tracks_ = name == "tracks";
  }

  void begin(int depth, Json::parse_event_t event) {
    using Event = Json::parse_event_t;
    if (!in_tracks_ || depth < kTrackDepth) {
      if (++head_values_ > kMostHeadValues) refuse("has more than version, input and tracks");
    } else if (depth == kTrackDepth) {
      if (event != Event::object_start) refuse(kNotTracks);
    } else if (depth == kBoxDepth) {
      if (event != Event::array_start) refuse(box_name() + kNotABox);
      box_values_ = 0;
    } else if (depth > kBoxDepth) {
      if (event != Event::value || ++box_values_ > kBoxValues) refuse(box_name() + kNotABox);
    }
  }

  void take_box(const Json& value) {
    if (++all_boxes_ > kMostFileBoxes)
      refuse("has more than " + std::to_string(kMostFileBoxes) + " boxes");
    try {
      boxes_.push_back(box_of(value));
    } catch (const Refused& refused) {
      refuse(box_name() + refused.what());
    }
  }

  void take_track(const Json& object) {
    if (tracks_.size() == kMostFileTracks)
      refuse("has more than " + std::to_string(kMostFileTracks) + " tracks");
    try {
      tracks_.push_back(track_of(object, std::exchange(boxes_, {})));
    } catch (const Refused& refused) {
      refuse(track_name() + refused.what());
    }
  }

  [[nodiscard]] std::string track_name() const {
    return "track " + std::to_string(tracks_.size()) + ": ";
  }
  [[nodiscard]] std::string box_name() const {
    return track_name() + "box " + std::to_string(boxes_.size()) + ": ";
  }

  std::vector<FileTrack> tracks_;
  std::vector<FileBox> boxes_;                ///< boxes of the track that is being read
  std::vector<std::set<std::string>> names_;  ///< names in each object that is open
  std::size_t all_boxes_ = 0;
  std::size_t box_values_ = 0;  ///< values of the box that is being read
  int head_values_ = 0;         ///< values outside of tracks
  bool in_tracks_ = false;
};

/// Gives the bytes of a file to the parser. Refuses strings, numbers and blanks that are too long,
/// because the parser has each of them in memory several times.
class ShortWords : public std::streambuf {
 public:
  explicit ShortWords(std::istream& from) : from_(from) {}

 protected:
  int_type underflow() override {
    from_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
    const auto count = static_cast<std::size_t>(from_.gcount());
    if (from_.bad()) refuse("can't be read");
    if (count == 0) return traits_type::eof();
    for (const char c : std::span(block_).first(count)) pass(c);
    setg(block_.data(), block_.data(), block_.data() + count);
    return traits_type::to_int_type(block_.front());
  }

 private:
  void pass(char c) {
    const bool quote = c == '"' && !escaped_;
    escaped_ = in_string_ && c == '\\' && !escaped_;
    if (quote) in_string_ = !in_string_;
    const bool parts = !in_string_ && std::string_view("[]{},:").find(c) != std::string_view::npos;
    length_ = quote || parts ? 0 : length_ + 1;
    if (length_ > kMostWordBytes)
      refuse("has a word of more than " + std::to_string(kMostWordBytes) + " bytes");
  }

  std::istream& from_;
  std::array<char, std::size_t{1} << 16> block_{};
  std::size_t length_ = 0;  ///< bytes since the word began
  bool in_string_ = false;
  bool escaped_ = false;  ///< a backslash escapes the next byte
};

TrackFile parse(std::istream& file_stream) {
  ShortWords words(file_stream);
  std::istream stream(&words);
  Reader reader;
  const Json document = Json::parse(stream, std::ref(reader));
  expect_members(document, {"version", "input", "tracks"});
  if (integer(member(document, "version"), "version") != kVersion)
    refuse("is not of version " + std::to_string(kVersion));
  const Json& tracks = member(document, "tracks");
  if (!tracks.is_array() || !tracks.empty()) refuse(kNotTracks);
  TrackFile file;
  try {
    file.input = input_of(member(document, "input"));
  } catch (const Refused& refused) {
    refuse(std::string("input: ") + refused.what());
  }
  file.tracks = reader.tracks();
  return file;
}

template <typename Number>
void append_number(std::string& text, Number value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

template <typename Enum>
void append_word(std::string& text, Enum value, std::span<const std::string_view> words) {
  text += '"';
  text += words[static_cast<std::size_t>(value)];
  text += '"';
}

}  // namespace

TrackFile parse_track_file(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorKind::input, path.string() + ": " + reason);
  };
  if (is_no_regular_file(path)) fail("can't be read: it is not a regular file");
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) fail("can't be read: " + code.message());
  if (size > kMostTrackFileBytes)
    fail("has more than " + std::to_string(kMostTrackFileBytes) + " bytes");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail("can't be opened");
  try {
    return parse(stream);
  } catch (const Refused& refused) {
    fail(refused.what());
  } catch (const Json::parse_error& error) {
    fail("is not JSON at byte " + std::to_string(error.byte));
  } catch (const Json::exception&) {
    fail("has a number that is too large");
  }
  return {};
}

bool can_be_written(const std::string& style) {
  try {
    static_cast<void>(Json(style).dump());
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

std::string track_file_head(const TrackFileInput& input) {
  std::string text = "{\"version\": " + std::to_string(kVersion) +
                     ",\n \"input\": {\"sha256\": \"" + input.sha256 + "\", \"frames\": ";
  append_number(text, input.frames);
  text += ", \"width\": ";
  append_number(text, input.size.width);
  text += ", \"height\": ";
  append_number(text, input.size.height);
  text += ", \"time_base\": [";
  append_number(text, input.time_base.num);
  text += ", ";
  append_number(text, input.time_base.den);
  text += "]},\n \"tracks\": [";
  return text;
}

void append_track(std::string& text, const FileTrack& track) {
  text += "\n  {\"id\": ";
  append_number(text, track.id);
  text += ", \"action\": ";
  append_word(text, track.action, kActions);
  text += ", \"start_pts\": ";
  append_number(text, track.start_pts);
  text += ", \"end_pts\": ";
  append_number(text, track.end_pts);
  text += ", \"score_max\": ";
  append_number(text, track.score_max);
  text += ", \"origin\": ";
  append_word(text, track.origin, kOrigins);
  if (!track.style.empty()) text += ", \"style\": " + Json(track.style).dump();
  if (track.found_class != "face") text += ", \"class\": " + Json(track.found_class).dump();
  if (!track.model.empty()) text += ", \"model\": " + Json(track.model).dump();
  if (track.grow) {
    text += ", \"grow\": ";
    append_number(text, *track.grow);
  }
  text += ", \"boxes\": [";
  for (std::size_t i = 0; i < track.boxes.size(); ++i) {
    const FileBox& box = track.boxes[i];
    text += i == 0 ? "\n    [" : ",\n    [";
    append_number(text, box.pts);
    for (const float edge : {box.box.x1, box.box.y1, box.box.x2, box.box.y2}) {
      text += ", ";
      append_number(text, edge);
    }
    text += ", ";
    append_word(text, box.state, kStates);
    text += ']';
  }
  text += "]}";
}

}  // namespace facepipe::track
