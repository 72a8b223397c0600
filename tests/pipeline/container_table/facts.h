// What ffprobe tells of a file that a player would show or hear, as numbers that can be compared.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace facepipe::test {

/// What a file that is made of another one should have in common with it.
enum class Property {
  stamps,     ///< when each picture is shown, counted from the first
  start,      ///< when the first one is shown
  sound,      ///< the first sound against the first picture
  aspect,     ///< the shape of the upright picture
  rotation,   ///< a tag says that the picture is turned
  colour,     ///< range, matrix, transfer, primaries, chroma location
  side_data,  ///< stereo 3D, spherical, mastering display, content light level
  chapters,
  language,  ///< of the sound
};

using Properties = std::set<Property>;

[[nodiscard]] const char* name_of(Property property);
[[nodiscard]] std::string names_of(const Properties& properties);

struct Chapter {
  double start_s = 0;
  double end_s = 0;
  std::string title;
};

struct Facts {
  int frames = 0;  ///< number of those that ffprobe decodes
  std::string codec;
  std::string format;             ///< of the pixels
  std::vector<double> shown_s;    ///< when each frame with a stamp is shown, sorted
  std::optional<double> sound_s;  ///< when the first frame of sound is heard
  int upright_width = 0;
  int upright_height = 0;
  double aspect = 0;        ///< width / height of the upright picture on the screen
  bool has_aspect = false;  ///< pixels that aren't square
  int rotation = 0;
  std::map<std::string, std::string> colour;  ///< by ffprobe's name of the tag; "unknown" if none
  std::set<std::string> side_data;
  std::vector<Chapter> chapters;
  std::string language;

  /// The properties that this file has and that a container could lose: pictures that come at
  /// uneven times, a start other than 0, and so on.
  [[nodiscard]] Properties properties() const;
};

/// Throws std::runtime_error where ffprobe can't read the file, or there is no video.
[[nodiscard]] Facts facts_of(const std::filesystem::path& file);

/// Says in words which of `properties` differ; empty where none does.
/// @param tick_s  a container rounds a stamp by at most so much
[[nodiscard]] std::string difference(const Facts& found, const Facts& expected,
                                     const Properties& properties, double tick_s);

}  // namespace facepipe::test
