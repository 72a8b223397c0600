// Makes what `facepipe verify` writes: a summary for people, and a report for programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "core/geometry.h"
#include "core/time_spans.h"
#include "detector/facts.h"
#include "detector/turned_faces.h"
#include "verify/findings.h"
#include "verify/pairing.h"
#include "verify/verifier.h"
#include "video/read/ledger.h"

namespace facepipe::app {

/// Holds what verify knows about one of the two videos.
struct VerifiedVideo {
  std::string name;
  Size size;  ///< upright
  video::FrameLedger ledger;
  std::int64_t frames = 0;
  TimeSpans damaged{};   ///< when frames were damaged
  std::string sha256{};  ///< of a regular file, if a report is wanted; otherwise empty
};

/// Describes pictures in the hidden file that don't belong to its video: a second stream, or a
/// cover.
struct OtherVideo {
  std::string name;
  std::int64_t frames = 0;  ///< number of frames that were examined
  /// why its pictures were not examined; empty if the pictures were examined
  std::string reason_not_searched;
};

/// Holds everything that the report contains. It has more than seven members, because the report
/// has these fields.
struct VerifyResult {
  VerifiedVideo original;
  VerifiedVideo hidden;
  verify::FrameComparison frames;
  verify::VerifyCounts counts;
  detector::FacesByTurn turned{};  ///< numbers of faces in some of the original's pictures
  std::vector<verify::Finding> findings;
  std::vector<OtherVideo> beside;
  /// Paths, one for each finding. A path is empty if the finding has no thumbnail. The list is
  /// empty if no thumbnails were written.
  std::vector<std::filesystem::path> thumbnails;
  std::int64_t boxes_left_out = 0;
  std::string begun{};        ///< when the work began, as utc_text() writes it
  double wall_s = 0;          ///< how long the work took
  std::string edit_sha256{};  ///< of the edit file, if there is one and a report is wanted
  int exit_code = 0;

  [[nodiscard]] std::int64_t count(verify::FindingKind kind) const;
  [[nodiscard]] bool has_looked_at_all() const;
  /// Returns whether frames, time stamps and sizes are equal, and neither video is damaged.
  [[nodiscard]] bool sound() const;
};

/// Returns lines for stderr: what was compared, the worst findings, and the verdict. The last line
/// ends with a line break.
[[nodiscard]] std::string verify_summary(const VerifyResult& result, const VerifyOptions& options);

/// Returns the report, one JSON object.
[[nodiscard]] nlohmann::ordered_json verify_report(const VerifyResult& result,
                                                   const VerifyOptions& options,
                                                   const detector::ModelInfo& detector);
/// Returns the report's text.
[[nodiscard]] std::string verify_json(const VerifyResult& result, const VerifyOptions& options,
                                      const detector::ModelInfo& detector);

}  // namespace facepipe::app
