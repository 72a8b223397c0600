// Describes a file by what ffprobe reports about everything that a player shows or plays.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace facepipe::test {

/// Names a property that an output should have in common with its input.
enum class Property {
  stamps,     ///< times of the pictures, relative to the first picture
  start,      ///< time of the first picture
  sound,      ///< time of the first sound, relative to the first picture
  aspect,     ///< aspect ratio of the upright picture
  rotation,   ///< tag that says how the picture is turned
  colour,     ///< range, matrix, transfer, primaries, chroma location
  side_data,  ///< stereo 3D, spherical, mastering display, content light level
  chapters,
  language,  ///< language of the sound stream
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
  int frames = 0;  ///< number of frames that ffprobe decodes
  std::string codec;
  std::string format;             ///< pixel format
  std::vector<double> shown_s;    ///< times of all frames that have a time stamp, in seconds,
                                  ///< sorted
  std::optional<double> sound_s;  ///< time of the first frame of sound, in seconds
  int upright_width = 0;
  int upright_height = 0;
  double aspect = 0;        ///< width / height of the upright picture on the screen
  bool has_aspect = false;  ///< whether the pixels aren't square
  int rotation = 0;
  /// holds the file's tags by ffprobe's names; the value is "unknown" if the file has no such tag
  std::map<std::string, std::string> colour;
  std::set<std::string> side_data;
  std::vector<Chapter> chapters;
  std::string language;

  /// Returns the properties of this file that another container could lose, such as pictures at
  /// uneven times, or a start other than 0.
  [[nodiscard]] Properties properties() const;
};

/// Returns the facts about a file. Throws std::runtime_error if ffprobe can't read it or it has no
/// video.
[[nodiscard]] Facts facts_of(const std::filesystem::path& file);

/// Returns text that describes which of the `properties` differ, or "" if all are equal.
/// @param tick_s  the largest error of a time stamp that a container rounds, in seconds
[[nodiscard]] std::string difference(const Facts& found, const Facts& expected,
                                     const Properties& properties, double tick_s);

}  // namespace facepipe::test
