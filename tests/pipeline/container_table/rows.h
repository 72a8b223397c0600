// The containers that FFmpeg writes video into, each with a clip that has all that it can carry.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tests/pipeline/container_table/facts.h"

namespace facepipe::test {

/// What a container can't hold of the clip's, which a notice tells.
struct Loss {
  std::string extension;
  Properties properties;
  const char* why;
};

/// What most rows don't have.
struct RowExtras {
  bool turned = false;       ///< its header is marked (mark_turned())
  double tick_s = 0.001;     ///< how exactly it stores a stamp
  const char* refused = "";  ///< what is said where facepipe writes no such file; empty: it does
  std::vector<Loss> losses = {};
};

/// A container.
struct ContainerRow {
  const char* name;
  const char* file;       ///< the clip's name, by which FFmpeg chooses the container
  std::string arguments;  ///< of ffmpeg, that make it
  Properties carries;     ///< all of these has the clip, and no others: ffprobe says so
  const char* why_not;    ///< where it carries less: why that can't be otherwise
  RowExtras extras = {};
};

void PrintTo(const ContainerRow& row, std::ostream* out);

/// Those that store stamps, and most of what else there is.
[[nodiscard]] const std::vector<ContainerRow>& rows_with_stamps();
/// Those that count pictures at a fixed rate, and streams without a container.
[[nodiscard]] const std::vector<ContainerRow>& rows_at_fixed_rate();

/// A file of two chapters for ffmpeg (its format ffmetadata).
[[nodiscard]] std::string chapters_file();

}  // namespace facepipe::test
