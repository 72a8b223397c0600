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

/// Describes an input that was found, or that the user named but that can't be worked on.
struct PlannedInput {
  std::string input;  ///< path or URL, as FFmpeg gets it
  /// Its name in the files besides the video. It is relative to the directory that the user named;
  /// otherwise it is as the user wrote it.
  std::string name;
  std::filesystem::path output;    ///< empty if there is no video output
  std::optional<Failure> failure;  ///< why it can't be worked on; nullopt if it can
};

/// Says where outputs are written.
struct OutputPlace {
  std::string path;  ///< the value of --output: empty, a file, or a directory
  bool video = true;
  /// end of an output's name, if it is next to its input or in a directory
  std::string_view suffix = kDrawnSuffix;
};

/// Returns the extension, with the dot, of an input's output. Throws Error if the input can't be
/// opened.
using ExtensionOf = std::function<std::string(const std::string&)>;

/// Returns the jobs of `inputs`, in order. Reads directories, whose files are sorted, and calls
/// `extension_of`, but makes no file or directory. A bad input is an entry with its failure. Throws
/// Error(usage) for what concerns all inputs: an input that is also an output (under its final or
/// its partial name), or two inputs with the same output.
[[nodiscard]] std::vector<PlannedInput> plan_inputs(const std::vector<std::string>& inputs,
                                                    const OutputPlace& place,
                                                    const ExtensionOf& extension_of);

}  // namespace facepipe::app
