// Makes the list of jobs from the named inputs: what is read, and where its output is written.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/failure.h"
#include "app/run/media_files.h"

namespace facepipe::app {

/// Describes an input that was found, or an input that the user named and that can't be worked on.
struct PlannedInput {
  std::string input;  ///< path or URL, as FFmpeg gets it
  /// The input's name in the files besides the video: relative to the directory that the user
  /// named, or as the user wrote it if the user named the input itself. A URL loses what may give
  /// access (without_queries()).
  std::string name;
  std::filesystem::path output;    ///< empty if there is no video output
  std::optional<Failure> failure;  ///< why facepipe can't work on it; nullopt if it can
};

/// Says where outputs are written.
struct OutputPlace {
  std::string path;  ///< the value of --output: empty, a file, or a directory
  bool video = true;
  /// end of an output's name, if the output is written next to its input or into a directory
  std::string_view suffix = kDrawnSuffix;
};

/// Returns whether --output with this value means a folder: it exists, or the value ends in '/'.
[[nodiscard]] bool names_directory(const std::string& path);

/// Returns the extension, with the dot, of an input's output. Throws Error if the input can't be
/// opened.
using ExtensionOf = std::function<std::string(const std::string&)>;

/// Returns the jobs of `inputs`, in order. Reads directories and sorts their files. Calls
/// `extension_of`. Makes no file or directory. A bad input is an entry with its failure. Throws
/// Error(usage) for problems that concern all inputs: an input that is also an output (under its
/// final or its partial name), or two inputs with the same output.
[[nodiscard]] std::vector<PlannedInput> plan_inputs(const std::vector<std::string>& inputs,
                                                    const OutputPlace& place,
                                                    const ExtensionOf& extension_of);

}  // namespace facepipe::app
