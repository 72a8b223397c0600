#include "pipeline/detection_report.h"

#include <spdlog/spdlog.h>

#include <string>

namespace facepipe::pipeline {

void log_tiles(const std::optional<detector::Tiling>& tiling) {
  if (!tiling) return;
  spdlog::info(
      "frames are searched in {} x {} tiles of {} that overlap by {}, and as a whole at {}",
      tiling->columns, tiling->rows, to_string(tiling->tile.frame), tiling->overlap,
      to_string(tiling->whole.content));
}

void note_ignored(std::int64_t ignored, std::uint32_t capacity, video::Notices& notices) {
  if (ignored > 0)
    notices.add(std::to_string(ignored) + " candidates ignored: suppression takes " +
                std::to_string(capacity) + " per frame (a higher --score gives fewer)");
}

}  // namespace facepipe::pipeline
