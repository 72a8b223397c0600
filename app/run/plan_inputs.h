// From the inputs that were named to the list of jobs: what is read, and where its output goes.
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

/// One input that was found, or one that was named but can't be worked on.
struct PlannedInput {
  std::string input;  ///< path or URL, as FFmpeg gets it
  /// The name in the files beside the video: relative to the directory that was named, else as the
  /// user named the input.
  std::string name;
  std::filesystem::path output;    ///< empty without video
  std::optional<Failure> failure;  ///< why it can't be worked on
};

/// Where outputs go.
struct OutputPlace {
  std::string path;  ///< of --output: empty, a file, or a directory
  bool video = true;
  std::string_view suffix = kDrawnSuffix;  ///< of names beside the inputs, and in a directory
};

/// Returns the extension, with the dot, of an input's output. Throws Error if the input can't be
/// opened.
using ExtensionOf = std::function<std::string(const std::string&)>;

/// Returns the jobs of `inputs`, in order. It walks directories, whose files are sorted, and asks
/// `extension_of`; it makes nothing. A bad input is an entry with its failure. Throws Error(usage)
/// for what concerns all: an input to which an output's name, final or partial, leads, or two
/// inputs with one output.
[[nodiscard]] std::vector<PlannedInput> plan_inputs(const std::vector<std::string>& inputs,
                                                    const OutputPlace& place,
                                                    const ExtensionOf& extension_of);

}  // namespace facepipe::app
