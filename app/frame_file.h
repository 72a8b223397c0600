// A file with something about each frame of all inputs: --detections, --latency.
#pragma once

#include <filesystem>
#include <string>

#include "app/atomic_file.h"
#include "app/frame_format.h"

namespace facepipe {

/// Holds the frames of inputs that came to their end; of one that failed nothing is left.
/// Not thread-safe. Throws Error(output), naming the file.
class FrameFile {
 public:
  FrameFile(const std::filesystem::path& path, FrameFormat format);

  void write(const NamedFrame& frame);

  /// Keeps what was written since the last keep(), or forgets it.
  void keep() { kept_ = file_.position(); }
  void forget() { file_.truncate(kept_); }

  /// Gives the file its name: "NAME.partial.EXT" where `partial`. Called once, last.
  void commit(bool partial);

  /// Where commit() put it; empty before.
  [[nodiscard]] const std::filesystem::path& committed() const { return committed_; }

 private:
  AtomicFile file_;
  FrameFormat format_;
  std::string line_;  ///< kept for its memory
  std::int64_t kept_ = 0;
  std::filesystem::path committed_;
};

}  // namespace facepipe
