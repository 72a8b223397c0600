// A file with something about each frame of all inputs: --detections, --latency.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "app/outcome.h"
#include "app/output/frame_format.h"
#include "app/output/input_lines.h"

namespace facepipe {

/// Lines of inputs (InputLines). Once the file can't be written, it is given up, which is told, and
/// nothing more is written: what is complete is kept under a partial name. Not thread-safe.
class FrameFile {
 public:
  /// Errors: as InputLines().
  FrameFile(const std::filesystem::path& path, FrameFormat format, ExistingOutput existing,
            const std::stop_token& stop);

  void write(const NamedFrame& frame);

  /// The input `name` is complete; or it is not, and its frames stay or go.
  void keep(const std::string& name);
  void keep_unfinished(const std::string& name);
  void forget();

  /// Frames of an earlier run, which is resumed.
  [[nodiscard]] bool has(const std::string& name) const { return lines_.has(format_.field(name)); }
  /// An input without faces has no lines, so that has() can't tell whether it is done.
  [[nodiscard]] bool needs_faces() const { return format_.needs_faces; }
  void drop(const std::string& name) { lines_.drop(format_.field(name)); }
  void take(const std::string& name);
  [[nodiscard]] bool changes_nothing() const { return !failure_ && lines_.changes_nothing(); }

  /// Gives the file its name: a partial one where `partial`, or where it was given up, if it holds
  /// anything. Called once, last. Errors: Error(output).
  void commit(bool partial);

  /// Why it was given up.
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  /// Where commit() put it; empty before, and where there was nothing to keep.
  [[nodiscard]] const std::filesystem::path& committed() const { return committed_; }

 private:
  template <typename Work>
  void unless_given_up(bool whole_input, const Work& work);

  std::filesystem::path path_;
  FrameFormat format_;
  InputLines lines_;
  std::string line_;  ///< kept for its memory
  std::optional<Failure> failure_;
  std::filesystem::path committed_;
};

}  // namespace facepipe
