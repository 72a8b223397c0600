// What `facepipe verify` tells: a summary for people, and a report for programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "core/geometry.h"
#include "detector/facts.h"
#include "detector/turned_faces.h"
#include "verify/findings.h"
#include "verify/pairing.h"
#include "verify/verifier.h"
#include "video/read/ledger.h"

namespace facepipe::app {

/// Tells of one of the two videos.
struct VerifiedVideo {
  std::string name;
  Size size;  ///< upright
  video::FrameLedger ledger;
  std::int64_t frames = 0;
};

/// Tells of one thing that shows pictures beside the hidden video: a second stream, a cover.
struct BesideVideo {
  std::string name;
  std::int64_t frames = 0;    ///< that were looked at
  std::string not_looked_at;  ///< why; empty: they were
};

struct VerifyResult {
  VerifiedVideo original;
  VerifiedVideo hidden;
  verify::FrameComparison frames;
  verify::VerifyCounts counts;
  detector::FacesByTurn turned{};  ///< in some of the original's pictures
  std::vector<verify::Finding> findings;
  std::vector<BesideVideo> beside;
  std::vector<std::filesystem::path> thumbnails;  ///< one a finding, or none; empty: of this none
  std::int64_t boxes_left_out = 0;
  int exit_code = 0;

  [[nodiscard]] std::int64_t count(verify::FindingKind kind) const;
  [[nodiscard]] bool has_looked_at_all() const;
  /// Frames, stamps and sizes are equal, and neither video is damaged.
  [[nodiscard]] bool sound() const;
};

/// Returns lines for stderr, the last with a line break: what was compared, the worst findings, the
/// verdict.
[[nodiscard]] std::string verify_summary(const VerifyResult& result, const VerifyOptions& options);

/// Returns one JSON object.
[[nodiscard]] std::string verify_json(const VerifyResult& result, const VerifyOptions& options,
                                      const detector::DetectorOrigin& detector);

}  // namespace facepipe::app
