// Lists the containers into which FFmpeg writes video. Each row has a clip with everything that the
// container can hold.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tests/pipeline/container_table/facts.h"

namespace facepipe::test {

/// Holds properties of the clip that another container can't store. A notice must report the loss.
struct Loss {
  std::string extension;
  Properties properties;
  const char* why;
};

/// Members that most rows leave at their defaults.
struct RowExtras {
  bool turned = false;       ///< whether mark_turned() changes the clip's header
  double tick_s = 0.001;     ///< precision of the container's time stamps, in seconds
  const char* refused = "";  ///< reason why facepipe doesn't write such files; empty: it does
  std::vector<Loss> losses = {};
};

struct ContainerRow {
  const char* name;
  const char* file;       ///< clip's name, by which FFmpeg chooses the container
  std::string arguments;  ///< ffmpeg's arguments to make the clip
  Properties carries;     ///< all properties that ffprobe finds in the clip
  const char* why_not;    ///< reason why the container can't hold the other properties
  RowExtras extras = {};
};

void PrintTo(const ContainerRow& row, std::ostream* out);

/// Returns the containers that store time stamps and most other properties.
[[nodiscard]] const std::vector<ContainerRow>& rows_with_stamps();
/// Returns the containers that count pictures at a fixed rate, and streams without a container.
[[nodiscard]] const std::vector<ContainerRow>& rows_at_fixed_rate();

/// Returns a file with two chapters in ffmpeg's format ffmetadata.
[[nodiscard]] std::string chapters_file();

}  // namespace facepipe::test
