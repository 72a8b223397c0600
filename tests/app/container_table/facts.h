// What ffprobe tells of a file that a player would show or hear, as numbers that can be compared.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace facepipe::test {

/// What of a file should still be so in a file made of it.
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
  int frames = 0;  ///< that ffprobe decodes
  std::string codec;
  std::string format;             ///< of the pixels
  std::vector<double> shown_s;    ///< of those with a stamp, sorted
  std::optional<double> sound_s;  ///< of the first that is heard
  int upright_width = 0;
  int upright_height = 0;
  double aspect = 0;        ///< width / height of the upright picture on the screen
  bool has_aspect = false;  ///< pixels that aren't square
  int rotation = 0;
  std::map<std::string, std::string> colour;  ///< by ffprobe's name of the tag; "unknown" if none
  std::set<std::string> side_data;
  std::vector<Chapter> chapters;
  std::string language;

  /// Which there are that a container could have lost: pictures that don't come at even times, a
  /// start that is not 0, and so on.
  [[nodiscard]] Properties properties() const;
};

/// Throws std::runtime_error where ffprobe can't read the file, or there is no video.
[[nodiscard]] Facts facts_of(const std::filesystem::path& file);

/// What of `properties` differs, in words; empty where nothing does.
/// @param tick_s  what a stamp of either file may be wrong by, rounded
[[nodiscard]] std::string difference(const Facts& found, const Facts& expected,
                                     const Properties& properties, double tick_s);

}  // namespace facepipe::test
