#include "tests/pipeline/container_table/facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tests/support/clips.h"

namespace facepipe::test {
namespace {

using nlohmann::json;

json probe_frames(const std::filesystem::path& file) {
  const CommandResult result =
      run_command({"ffprobe", "-v", "error", "-show_streams", "-show_frames", "-show_chapters",
                   "-of", "json", file.string()});
  if (result.exit_code != 0) throw std::runtime_error("ffprobe: " + result.err);
  return json::parse(result.out);
}

/// Returns the first stream of a type, without cover pictures. Returns null if there is none.
json first_stream(const json& probed, const std::string& type) {
  for (const json& stream : streams_of(probed, type))
    if (stream.value("disposition", json::object()).value("attached_pic", 0) == 0) return stream;
  return nullptr;
}

std::vector<json> frames_of(const json& probed, const json& stream) {
  std::vector<json> result;
  for (const json& frame : probed.value("frames", json::array()))
    if (frame.value("stream_index", -1) == stream.at("index")) result.push_back(frame);
  return result;
}

std::vector<double> stamps_of_frames(const std::vector<json>& frames) {
  std::vector<double> result;
  for (const json& frame : frames)
    if (frame.contains("best_effort_timestamp_time"))
      result.push_back(std::stod(frame["best_effort_timestamp_time"].get<std::string>()));
  std::ranges::sort(result);
  return result;
}

/// Converts text such as "4:3" to a number. Returns 1 if the text isn't a ratio.
double ratio_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return 1;
  const double num = std::strtod(text.c_str(), nullptr);
  const double den = std::strtod(text.c_str() + colon + 1, nullptr);
  return num > 0 && den > 0 ? num / den : 1;
}

void fill_side_data(const json& owner, Facts& facts) {
  static const std::set<std::string> kOfPictures{
      "Stereo 3D", "Spherical Mapping", "Mastering display metadata",
      "Content light level metadata", "Dolby Vision configuration record"};
  for (const json& entry : owner.value("side_data_list", json::array())) {
    const std::string type = entry.value("side_data_type", "");
    if (kOfPictures.contains(type)) facts.side_data.insert(type);
    if (entry.contains("rotation")) facts.rotation = entry["rotation"].get<int>();
  }
}

void fill_shape(const json& video, Facts& facts) {
  const int width = video.value("width", 0);
  const int height = video.value("height", 0);
  const double pixel = ratio_of(video.value("sample_aspect_ratio", ""));
  const bool on_its_side = facts.rotation % 180 != 0;
  facts.upright_width = on_its_side ? height : width;
  facts.upright_height = on_its_side ? width : height;
  facts.has_aspect = std::abs(pixel - 1) > 0.01;
  if (width <= 0 || height <= 0) return;
  const double shape = pixel * width / height;
  facts.aspect = on_its_side ? 1 / shape : shape;
}

std::map<std::string, std::string> colour_of(const json& video) {
  std::map<std::string, std::string> result;
  for (const char* const tag :
       {"color_range", "color_space", "color_transfer", "color_primaries", "chroma_location"}) {
    const std::string value = video.value(tag, "unknown");
    result[tag] = value == "unspecified" ? "unknown" : value;
  }
  return result;
}

std::string tag_of(const json& owner, const char* name) {
  return owner.value("tags", json::object()).value(name, "");
}

std::vector<Chapter> chapters_of(const json& probed) {
  std::vector<Chapter> result;
  for (const json& chapter : probed.value("chapters", json::array()))
    result.push_back({std::stod(chapter.at("start_time").get<std::string>()),
                      std::stod(chapter.at("end_time").get<std::string>()),
                      tag_of(chapter, "title")});
  return result;
}

/// Collects a line of text for each difference.
class Differences {
 public:
  Differences(const Facts& found, const Facts& expected, double tick_s)
      : found_(found), expected_(expected), tick_s_(tick_s) {}

  void compare(Property property) {
    switch (property) {
      case Property::stamps:
        return compare_stamps();
      case Property::start:
        return compare_start();
      case Property::sound:
        return compare_sound();
      case Property::aspect:
        return compare(property, found_.aspect, expected_.aspect, 0.01);
      case Property::rotation:
        return report_unequal(property, found_.rotation, expected_.rotation);
      case Property::colour:
        return compare_colour();
      case Property::side_data:
        return compare_side_data();
      case Property::chapters:
        return compare_chapters();
      case Property::language:
        return report_unequal(property, found_.language, expected_.language);
    }
  }
  void compare_frames() {
    if (found_.frames != expected_.frames) report("frames", found_.frames, expected_.frames);
    if (found_.upright_width != expected_.upright_width ||
        found_.upright_height != expected_.upright_height)
      text_ << "size: " << found_.upright_width << 'x' << found_.upright_height << ", not "
            << expected_.upright_width << 'x' << expected_.upright_height << '\n';
  }

  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  template <typename T>
  void report(const char* what, const T& found, const T& expected) {
    text_ << what << ": " << found << ", not " << expected << '\n';
  }
  template <typename T>
  void report_unequal(Property property, const T& found, const T& expected) {
    if (found != expected) report(name_of(property), found, expected);
  }
  void compare(Property property, double found, double expected, double tolerance) {
    if (!(std::abs(found - expected) <= tolerance)) report(name_of(property), found, expected);
  }
  void compare_stamps() {
    // A picture of the input can lack a time stamp. The output then has one more time stamp.
    if (found_.shown_s.size() < expected_.shown_s.size()) {
      report("stamps", found_.shown_s.size(), expected_.shown_s.size());
      return;
    }
    for (std::size_t i = 1; i < expected_.shown_s.size(); ++i)
      compare(Property::stamps, found_.shown_s[i] - found_.shown_s[0],
              expected_.shown_s[i] - expected_.shown_s[0], 2 * tick_s_);
  }
  void compare_start() {
    if (!found_.shown_s.empty())
      compare(Property::start, found_.shown_s[0], expected_.shown_s.at(0), tick_s_);
    else
      text_ << "start: none\n";
  }
  void compare_sound() {
    if (!found_.sound_s || found_.shown_s.empty()) {
      text_ << "sound: none\n";
      return;
    }
    compare(Property::sound, *found_.sound_s - found_.shown_s[0],
            *expected_.sound_s - expected_.shown_s.at(0), 2 * tick_s_);
  }
  /// Compares only the expected tags, because decoders can add tags that the codec implies.
  void compare_colour() {
    for (const auto& [tag, value] : expected_.colour)
      if (value != "unknown" && found_.colour.at(tag) != value)
        text_ << tag << ": " << found_.colour.at(tag) << ", not " << value << '\n';
  }
  void compare_side_data() {
    for (const std::string& type : expected_.side_data)
      if (!found_.side_data.contains(type)) text_ << "side data: no " << type << '\n';
  }
  void compare_chapters() {
    report_unequal(Property::chapters, found_.chapters.size(), expected_.chapters.size());
    for (std::size_t i = 0; i < std::min(found_.chapters.size(), expected_.chapters.size()); ++i) {
      report_unequal(Property::chapters, found_.chapters[i].title, expected_.chapters[i].title);
      compare(Property::chapters, found_.chapters[i].start_s, expected_.chapters[i].start_s,
              2 * tick_s_);
    }
  }

  const Facts& found_;
  const Facts& expected_;
  double tick_s_;
  std::ostringstream text_;
};

/// Returns whether the pictures have a fixed rate. One missing time stamp is allowed.
bool is_even(const std::vector<double>& stamps) {
  if (stamps.size() < 3) return true;
  double least = stamps[1] - stamps[0];
  double most = least;
  for (std::size_t i = 2; i < stamps.size(); ++i) {
    least = std::min(least, stamps[i] - stamps[i - 1]);
    most = std::max(most, stamps[i] - stamps[i - 1]);
  }
  constexpr double kMostWithOneMissing = 2.5;
  constexpr double kNoTimeS = 0.001;  // raw streams have no time stamps if their parser gives none
  return most < kNoTimeS || most < kMostWithOneMissing * least;
}

}  // namespace

const char* name_of(Property property) {
  switch (property) {
    case Property::stamps:
      return "stamps";
    case Property::start:
      return "start";
    case Property::sound:
      return "sound";
    case Property::aspect:
      return "aspect";
    case Property::rotation:
      return "rotation";
    case Property::colour:
      return "colour";
    case Property::side_data:
      return "side data";
    case Property::chapters:
      return "chapters";
    case Property::language:
      return "language";
  }
  return "";
}

std::string names_of(const Properties& properties) {
  std::string names;
  for (const Property property : properties)
    names += (names.empty() ? "" : ", ") + std::string(name_of(property));
  return names;
}

Properties Facts::properties() const {
  Properties result;
  const auto add_if = [&](bool there, Property property) {
    if (there) result.insert(property);
  };
  add_if(!is_even(shown_s), Property::stamps);
  add_if(!shown_s.empty() && std::abs(shown_s[0]) > 0.5, Property::start);
  add_if(sound_s && !shown_s.empty() && std::abs(*sound_s - shown_s[0]) > 0.03, Property::sound);
  add_if(has_aspect, Property::aspect);
  add_if(rotation != 0, Property::rotation);
  add_if(colour.contains("color_primaries") && colour.at("color_primaries") == "bt709",
         Property::colour);
  add_if(!side_data.empty(), Property::side_data);
  add_if(!chapters.empty(), Property::chapters);
  add_if(!language.empty() && language != "und", Property::language);
  return result;
}

Facts facts_of(const std::filesystem::path& file) {
  const json probed = probe_frames(file);
  const json video = first_stream(probed, "video");
  if (video.is_null()) throw std::runtime_error(file.string() + ": no video");
  const std::vector<json> pictures = frames_of(probed, video);
  Facts facts;
  facts.frames = static_cast<int>(pictures.size());
  facts.codec = video.value("codec_name", "");
  facts.format = video.value("pix_fmt", "");
  facts.shown_s = stamps_of_frames(pictures);
  fill_side_data(video, facts);
  if (!pictures.empty()) fill_side_data(pictures.front(), facts);
  fill_shape(video, facts);
  facts.colour = colour_of(video);
  facts.chapters = chapters_of(probed);
  const json sound = first_stream(probed, "audio");
  if (sound.is_null()) return facts;
  facts.language = tag_of(sound, "language");
  const std::vector<double> heard = stamps_of_frames(frames_of(probed, sound));
  if (!heard.empty()) facts.sound_s = heard.front();
  return facts;
}

std::string difference(const Facts& found, const Facts& expected, const Properties& properties,
                       double tick_s) {
  Differences differences(found, expected, tick_s);
  differences.compare_frames();
  for (const Property property : properties) differences.compare(property);
  return differences.text();
}

}  // namespace facepipe::test
