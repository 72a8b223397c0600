// Makes the page about several inputs: a table with a line for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace facepipe::app {

/// An input's line in the table. A number is NaN if it is unknown. It has more than seven members,
/// because each is a column.
struct FolderLine {
  std::string file;
  std::string status;
  bool good = false;
  std::string why;  ///< why it is not good
  double frames = 0;
  double faces = 0;
  double fps = 0;
  double wall_s = 0;
  double lost = 0;
  double damaged = 0;
  std::string page{};  ///< the input's own page, relative; empty if there is none
};

/// Returns the line of an entry of the report.
[[nodiscard]] FolderLine folder_line(const nlohmann::ordered_json& entry, const std::string& page);

/// The most lines in a table. If there are more inputs, those that need a look come first.
inline constexpr std::size_t kMostFolderLines = 1000;

/// Returns the page as HTML.
/// @param command  run, hide or detect
[[nodiscard]] std::string folder_page(const std::string& command,
                                      const std::vector<FolderLine>& lines);

}  // namespace facepipe::app
