// A file with something about each frame of all inputs: --detections, --latency.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/failure.h"
#include "app/output/input_lines.h"
#include "app/output/line_format.h"
#include "app/output/line_spool.h"
#include "core/frame_record.h"
#include "core/timing.h"

namespace facepipe::app {

/// A frame, and the input and run to which it belongs.
struct NamedFrame {
  const std::string& name;  ///< PlannedInput::name of the input
  const FrameRecord& record;
  Clock::time_point start;          ///< when the work on the input began
  bool of_several = false;          ///< the input is one of several
  std::string class_name = "face";  ///< names what was found
};

/// A text format: what lines look like, and which of them each frame adds. Numbers read back
/// exactly.
struct FrameFormat {
  LineFormat lines;
  void (*append)(std::string& to, const NamedFrame& frame) = nullptr;
  std::string (*field)(std::string_view name) = nullptr;  ///< returns a name as lines have it
  bool needs_faces = false;                               ///< a frame without faces adds nothing
};

/// Returns the format that belongs to the path's extension. .csv has a line for each face, with the
/// box, the score and the landmarks. Anything else is JSON lines, one object for each frame:
/// {"file", "frame", "pts_s", "width", "height",
///  "faces": [{"box": [x1, y1, x2, y2], "score", "landmarks": [[x, y] x 5]}]}
/// A face without landmarks has empty fields for them in .csv, and null in JSON. If the detector
/// looks for something else than faces, each "face" has its "class" in JSON. A face of a track has
/// its "track", in .csv in an additional column, which is empty for kNoTrack. A face of a frame
/// that was not searched is "tracked": true in JSON. In .csv the last column has 1 for it and 0 for
/// the others, if `columns` has this column.
[[nodiscard]] FrameFormat detections_format(const std::filesystem::path& path,
                                            FaceColumns columns = {});

/// Returns CSV with a line for each frame: file, frame, pts_s; begin and end of each stage in
/// milliseconds since the work on the input began, empty if the stage did not run; total_ms,
/// latency_ms, candidates, faces, lane, device, order_wait_ms.
[[nodiscard]] FrameFormat latency_format();

/// Writes lines of inputs (InputLines). If the file can't be written, it is given up, which is
/// logged. Then nothing more is written, and complete inputs are kept under a partial name. Not
/// thread-safe.
class FrameFile {
 public:
  /// Errors: as InputLines().
  FrameFile(const std::filesystem::path& path, FrameFormat format, ExistingOutput existing,
            const std::stop_token& stop);

  void write(const NamedFrame& frame);
  /// Appends what write() would write to a spool, for write_all().
  void spool(LineSpool& to, const NamedFrame& frame) const;
  /// Writes all lines of an input.
  void write_all(const LineSpool& lines);

  /// These end an input: it is complete; or it is not, and its frames stay; or they go.
  void keep(const std::string& name);
  void keep_unfinished(const std::string& name);
  void forget();

  /// Tells whether the earlier run that is resumed has completed the input.
  [[nodiscard]] bool has(const std::string& name) const { return lines_.has(format_.field(name)); }
  /// Tells whether only faces have lines. Then has() can't know an input without faces.
  [[nodiscard]] bool needs_faces() const { return format_.needs_faces; }
  void drop(const std::string& name) { lines_.drop(format_.field(name)); }
  void take(const std::string& name);
  [[nodiscard]] bool changes_nothing() const { return !failure_ && lines_.changes_nothing(); }

  /// Gives the file its name. It gets a partial name if `partial` or if it was given up, and none
  /// if it holds nothing then. Called once, last. Errors: Error(output).
  void commit(bool partial);

  /// Returns why the file was given up; nullopt if it was not.
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  /// Returns where commit() has put the file; empty before, and if there was nothing to keep.
  [[nodiscard]] const std::filesystem::path& committed() const { return committed_; }

 private:
  template <typename Work>
  void unless_given_up(bool whole_input, const Work& work);

  std::filesystem::path path_;
  FrameFormat format_;
  InputLines lines_;
  std::string line_;  ///< stays a member so that its memory is used again
  std::optional<Failure> failure_;
  std::filesystem::path committed_;
};

}  // namespace facepipe::app
