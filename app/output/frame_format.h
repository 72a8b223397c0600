// What one frame is in the files beside the video.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/timing.h"
#include "pipeline/job.h"

namespace facepipe {

/// A frame and what it belongs to.
struct NamedFrame {
  const std::string& name;  ///< of the input, as PlannedInput::name
  const FrameRecord& record;
  Clock::time_point start;  ///< of the input's run
  bool of_several = false;  ///< the input is one of several
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
/// Of faces without landmarks those fields are empty in .csv, and "landmarks" is not there in JSON.
[[nodiscard]] FrameFormat detections_format(const std::filesystem::path& path);

/// CSV, a line a frame: file, frame, pts_s; begin and end of each stage in milliseconds since the
/// input's start, empty where the stage did not run; total_ms, latency_ms, candidates, faces.
[[nodiscard]] FrameFormat latency_format();

}  // namespace facepipe
