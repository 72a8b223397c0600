// The containers that FFmpeg writes video into. Each has a clip with everything that it can carry.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tests/pipeline/container_table/facts.h"

namespace facepipe::test {

/// Properties of the clip that another container can't hold; a notice says so.
struct Loss {
  std::string extension;
  Properties properties;
  const char* why;
};

/// Values that most rows don't need.
struct RowExtras {
  bool turned = false;       ///< mark_turned() marks the clip's header
  double tick_s = 0.001;     ///< the precision of the container's stamps, in seconds
  const char* refused = "";  ///< the reason why facepipe doesn't write such files; empty if it does
  std::vector<Loss> losses = {};
};

struct ContainerRow {
  const char* name;
  const char* file;       ///< the clip's name; FFmpeg chooses the container by it
  std::string arguments;  ///< ffmpeg's arguments that make the clip
  Properties carries;     ///< exactly the properties that ffprobe finds in the clip
  const char* why_not;    ///< why the container can't carry the other properties
  RowExtras extras = {};
};

void PrintTo(const ContainerRow& row, std::ostream* out);

/// Containers that store stamps and most other properties.
[[nodiscard]] const std::vector<ContainerRow>& rows_with_stamps();
/// Containers that count pictures at a fixed rate, and streams without a container.
[[nodiscard]] const std::vector<ContainerRow>& rows_at_fixed_rate();

/// Returns a file of two chapters in ffmpeg's format ffmetadata.
[[nodiscard]] std::string chapters_file();

}  // namespace facepipe::test
