// What ffprobe says of everything in a file that a player shows or plays, as comparable numbers.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace facepipe::test {

/// A property that an output should have in common with its input.
enum class Property {
  stamps,     ///< when each picture is shown, counted from the first
  start,      ///< when the first picture is shown
  sound,      ///< when the first sound is heard, relative to the first picture
  aspect,     ///< the shape of the upright picture
  rotation,   ///< a tag says that the picture is turned
  colour,     ///< range, matrix, transfer, primaries, chroma location
  side_data,  ///< stereo 3D, spherical, mastering display, content light level
  chapters,
  language,  ///< of the sound stream
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
  int frames = 0;  ///< the number of frames that ffprobe decodes
  std::string codec;
  std::string format;             ///< pixel format
  std::vector<double> shown_s;    ///< when each frame with a stamp is shown, sorted
  std::optional<double> sound_s;  ///< when the first frame of sound is heard
  int upright_width = 0;
  int upright_height = 0;
  double aspect = 0;        ///< width / height of the upright picture on the screen
  bool has_aspect = false;  ///< the pixels aren't square
  int rotation = 0;
  /// The key is ffprobe's name of the tag, the value "unknown" if there is none.
  std::map<std::string, std::string> colour;
  std::set<std::string> side_data;
  std::vector<Chapter> chapters;
  std::string language;

  /// Returns the properties of this file that a container could lose: pictures at uneven times, a
  /// start other than 0, and so on.
  [[nodiscard]] Properties properties() const;
};

/// Throws std::runtime_error if ffprobe can't read the file or the file has no video.
[[nodiscard]] Facts facts_of(const std::filesystem::path& file);

/// Describes which of `properties` differ; empty if none does.
/// @param tick_s  the most by which a container rounds a stamp, in seconds
[[nodiscard]] std::string difference(const Facts& found, const Facts& expected,
                                     const Properties& properties, double tick_s);

}  // namespace facepipe::test
