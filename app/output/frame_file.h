// A file with something about each frame of all inputs: --detections, --latency.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/failure.h"
#include "app/output/input_lines.h"
#include "app/output/line_spool.h"
#include "core/frame_record.h"
#include "core/timing.h"

namespace facepipe::app {

/// A frame and what it belongs to.
struct NamedFrame {
  const std::string& name;  ///< of the input, as PlannedInput::name
  const FrameRecord& record;
  Clock::time_point start;          ///< of the input's run
  bool of_several = false;          ///< the input is one of several
  std::string class_name = "face";  ///< of what was found
};

/// A text format: what stands first, and what each frame adds. Numbers read back exactly.
struct FrameFormat {
  std::string header;
  void (*append)(std::string& to, const NamedFrame& frame) = nullptr;
  std::string (*field)(std::string_view name) = nullptr;  ///< an input's name as lines have it
  std::optional<std::string_view> (*input_of)(std::string_view line) = nullptr;  ///< see LineFormat
  bool needs_faces = false;  ///< a frame without faces adds nothing
};

/// By the path's extension. .csv has a line a face (a frame without faces has none) with the box,
/// the score and the landmarks; anything else is JSON lines, one object a frame:
/// {"file", "frame", "pts_s", "width", "height",
///  "faces": [{"box": [x1, y1, x2, y2], "score", "landmarks": [[x, y] x 5]}]}
/// Of faces without landmarks those fields are empty in .csv, and "landmarks" is null in JSON.
/// Where something else than faces was looked for, each "face" has its "class" in JSON.
/// Where faces have tracks, each has its "track", in .csv in a last column; one of kNoTrack has
/// none. A face of a frame that was not searched is "tracked": true; in .csv, where there may be
/// some, 1 in the very last column, which else is 0.
[[nodiscard]] FrameFormat detections_format(const std::filesystem::path& path,
                                            FaceFields fields = {});

/// CSV, a line a frame: file, frame, pts_s; begin and end of each stage in milliseconds since the
/// input's start, empty where the stage did not run; total_ms, latency_ms, candidates, faces.
[[nodiscard]] FrameFormat latency_format();

/// Lines of inputs (InputLines). Once the file can't be written, it is given up, which is told, and
/// nothing more is written: what is complete is kept under a partial name. Not thread-safe.
class FrameFile {
 public:
  /// Errors: as InputLines().
  FrameFile(const std::filesystem::path& path, FrameFormat format, ExistingOutput existing,
            const std::stop_token& stop);

  void write(const NamedFrame& frame);
  /// What write() would write is kept for write_all(), which writes all lines of an input.
  void spool(LineSpool& to, const NamedFrame& frame) const;
  void write_all(const LineSpool& lines);

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

}  // namespace facepipe::app
