// Makes the options of the jobs that the tests of this folder run.
#pragma once

#include <filesystem>

#include "tests/support/job.h"

namespace facepipe::test {

/// Returns the options of a job that draws nothing or, if `hide`, hides a part of each picture.
inline pipeline::JobOptions plain_job(const std::filesystem::path& input,
                                      const std::filesystem::path& output, bool hide) {
  pipeline::JobOptions options = default_job(input, output);
  options.resources.threads = 1;
  if (!hide) return options;
  options.hide.emplace().appearance.style = overlay::HideStyle::solid;
  options.hide->regions.hidden = {{"desk", {8, 8, 24, 24}, {}}};
  return options;
}

}  // namespace facepipe::test
