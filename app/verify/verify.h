// Implements `facepipe verify`, which checks a hidden video without knowing how it was made.
#pragma once

#include <stop_token>

#include "app/options/options.h"
#include "app/verify/comparison.h"
#include "app/verify/report.h"
#include "detector/facts.h"

namespace facepipe::app {

/// Holds the outcome of a comparison, and which model has looked for faces.
struct Verified {
  VerifyResult result;
  detector::ModelInfo model;
};

/// Compares the two videos, and writes the thumbnails that the user wants. Throws Error. Throws
/// Stopped if `stop` is requested.
[[nodiscard]] Verified compare_videos(const VerifyOptions& options, const VerifyProgress& progress,
                                      const std::stop_token& stop);

/// Compares the two videos, prints what it finds, and writes the files that the user wants. Returns
/// the exit code:
/// * kExitLeak if a face may be visible, or if not everything could be examined;
/// * otherwise kExitDamaged if frames or time stamps differ or an input is damaged;
/// * otherwise 0.
/// Throws Error. Throws Stopped if `stop` is requested.
[[nodiscard]] int verify(const VerifyOptions& options, const std::stop_token& stop);

}  // namespace facepipe::app
