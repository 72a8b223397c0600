// Writes a file with lines about each frame of all inputs: --detections, --latency.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/failure.h"
#include "app/output/input_lines.h"
#include "app/output/line_format.h"
#include "app/output/line_spool.h"
#include "core/frame_record.h"
#include "core/timing.h"
#include "detector/facts.h"

namespace facepipe::app {

/// Refers to a frame, and to the input and the run to which it belongs.
struct NamedFrame {
  const std::string& name;  ///< PlannedInput::name of the input
  const FrameRecord& record;
  Clock::time_point start;                          ///< when the work on the input began
  bool of_several = false;                          ///< whether there are several inputs
  std::span<const detector::FoundClass> classes{};  ///< of FrameRecord::faces; empty: one, faces
};

/// Describes a text format: what lines look like, and which lines each frame adds. If numbers are
/// read back, they have exactly the same value.
struct FrameFormat {
  LineFormat lines;
  void (*append)(std::string& to, const NamedFrame& frame) = nullptr;
  /// returns a name in the form that lines contain
  std::string (*field)(std::string_view name) = nullptr;
  bool needs_faces = false;  ///< frames without faces add no line
};

/// Returns the format that belongs to the path's extension. .csv has a line for each face, with the
/// box, the score and the landmarks. Other files are JSON lines, one object for each frame:
/// {"file", "frame", "pts_s", "width", "height",
///  "faces": [{"box": [x1, y1, x2, y2], "score", "landmarks": [[x, y] x 5]}]}
/// If a face has no landmarks, their fields are empty in .csv, and "landmarks" is null in JSON. A
/// face of a track has its "track". In .csv this is an additional column, which is empty for
/// kNoTrack. If a face's frame was not searched, the face has "tracked": true in JSON. If
/// `columns.tracked` is true, a column in .csv is 1 for such a face and 0 for others. If the models
/// find several classes or other objects than faces, or if there are several models
/// (has_known_classes()), each "face" has its "class" and "model" in JSON. "model" is null if
/// nobody knows which model has found the face. If `columns.classes` is true, these are the last
/// columns in .csv.
[[nodiscard]] FrameFormat detections_format(const std::filesystem::path& path,
                                            FaceColumns columns = {});

/// Returns the format of a CSV file with a line for each frame: file, frame, pts_s; the begin and
/// the end of each stage in milliseconds since the work on the input began, empty if the stage did
/// not run; total_ms, latency_ms, candidates, faces, lane, device, order_wait_ms.
[[nodiscard]] FrameFormat latency_format();

/// Writes lines of inputs (see InputLines). If writing the file fails, this class logs the error
/// and gives the file up: it writes nothing more, and keeps complete inputs under a partial name.
/// Not thread-safe.
class FrameFile {
 public:
  /// Throws the errors of InputLines().
  FrameFile(const std::filesystem::path& path, FrameFormat format, ExistingOutput existing,
            const std::stop_token& stop);

  void write(const NamedFrame& frame);
  /// Appends to a spool what write() would write. write_all() later writes the spool.
  void spool(LineSpool& to, const NamedFrame& frame) const;
  /// Writes all lines of an input.
  void write_all(const LineSpool& lines);

  /// These functions end an input. keep(): the input is complete. keep_unfinished(): the input is
  /// not complete, but its frames stay. forget(): its frames are removed.
  void keep(const std::string& name);
  void keep_unfinished(const std::string& name);
  void forget();

  /// Returns whether the earlier run that is resumed has completed the input.
  [[nodiscard]] bool has(const std::string& name) const { return lines_.has(format_.field(name)); }
  /// Returns whether only faces have lines. Then has() is false for an input without faces.
  [[nodiscard]] bool needs_faces() const { return format_.needs_faces; }
  void drop(const std::string& name) { lines_.drop(format_.field(name)); }
  void take(const std::string& name);
  [[nodiscard]] bool changes_nothing() const { return !failure_ && lines_.changes_nothing(); }

  /// Gives the file its name; a partial name if `partial` is true or the file was given up. If the
  /// file would contain nothing, it gets no name. Must be called once, at the end. Throws
  /// Error(output).
  void commit(bool partial);

  /// Returns why the file was given up; nullopt if it was not.
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  /// Returns where commit() has put the file; empty before commit(), and if there was nothing to
  /// keep.
  [[nodiscard]] const std::filesystem::path& committed() const { return committed_; }

 private:
  template <typename Work>
  void unless_given_up(bool whole_input, const Work& work);

  std::filesystem::path path_;
  FrameFormat format_;
  InputLines lines_;
  std::string line_;  ///< is a member so that its memory is reused
  std::optional<Failure> failure_;
  std::filesystem::path committed_;
};

}  // namespace facepipe::app
