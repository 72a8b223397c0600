// Makes the page about one input of run, hide or detect.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/output/html/run_series.h"
#include "video/write/preview_pictures.h"

namespace facepipe::app {

/// Holds what a page shows besides the report's entry.
struct RunPictures {
  const RunSeries* series = nullptr;              ///< nullptr if no frame was worked on
  std::vector<video::PreviewPicture> previews{};  ///< of the finished output; may be empty
};

/// Returns the page as HTML.
/// @param entry  made by input_json()
[[nodiscard]] std::string run_page(const nlohmann::ordered_json& entry,
                                   const RunPictures& pictures);

}  // namespace facepipe::app
