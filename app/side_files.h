// The files beside the video of one run: opened before any work, named when all is done.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/atomic_file.h"
#include "app/frame_file.h"
#include "app/inputs.h"
#include "app/options.h"

namespace facepipe {

/// Throws Error(usage) where two of `files` are one file, or one is an input or a video output.
void check_side_files(const SideFiles& files, const std::vector<PlannedInput>& planned);

/// Owns the open files. Not thread-safe. Throws Error(output), naming the file.
class SideOutputs {
 public:
  /// Makes their temporary files. An existing file is refused unless `overwrite`.
  SideOutputs(const SideFiles& files, bool overwrite);

  void write(const NamedFrame& frame);
  /// Ends an input: its frames stay, or are forgotten.
  void keep();
  void forget();

  /// Gives the frames' files their names, or their partial names. Called once.
  void commit_frames(bool partial);
  void commit_report(const std::string& json);

  /// What has been committed so far.
  [[nodiscard]] const std::vector<std::filesystem::path>& committed() const { return committed_; }

 private:
  std::optional<FrameFile> detections_;
  std::optional<FrameFile> latency_;
  std::optional<AtomicFile> report_;
  std::vector<std::filesystem::path> committed_;
};

}  // namespace facepipe
