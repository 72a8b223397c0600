// Finds faces that a hidden video still shows. It compares the video with its original, frame by
// frame.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/frame.h"
#include "track/cpu/motion.h"
#include "track/track_file.h"
#include "track/tracker.h"
#include "verify/box_follower.h"
#include "verify/disguises.h"
#include "verify/findings.h"
#include "verify/grey.h"
#include "verify/looks.h"
#include "verify/turned.h"

namespace facepipe::verify {

/// If a detection isn't hidden and has at least this score, it is reported. `hide` itself hides all
/// that it detects with a score over 0.15. All scores here are on the usual scale
/// (core/score_scale.h).
inline constexpr float kVerifyScore = 0.1F;
/// The lowest score of the detections that detectors return. A tracker ignores lower scores.
inline constexpr float kVerifyLeastScore = 0.03F;

struct VerifierOptions {
  float score = kVerifyScore;  ///< 0..1
  bool thumbnails = false;     ///< findings get a Finding::thumbnail
  /// The edit file, or null if there is none. It must outlive the verifier.
  const track::TrackFile* tracks = nullptr;
};
/// The least score that users may choose, as their model scores.
inline constexpr float kLeastVerifyScore = 0.05F;

/// Refers to a frame of the original, and to the frame that the hidden video shows in its place.
/// Both frames must be in host memory. They are read only during push().
struct FramePair {
  const Frame& original;
  const Frame& hidden;      ///< may have another size
  std::int64_t number = 0;  ///< number of the original's frame; must increase
  double time_s = 0;        ///< time of the original's frame; must increase
  bool damaged = false;     ///< the original's frame is damaged
};

struct VerifyCounts {
  std::int64_t detected = 0;   ///< number of boxes of tracks that were measured
  std::int64_t from_file = 0;  ///< number of boxes of the edit file that were measured
};

/// Examines each pair of frames in three ways:
/// * The boxes that the edit file hides must have lost their detail, in all disguises
///   (disguises.h).
/// * Detectors search both pictures, and the original in all turns too (turned.h). A Tracker on the
///   original's pictures gets all detections in the original. It also gets the detections in the
///   hidden picture that are in the same place as a detection in the original (IoU 0.3). Because of
///   the tracker, a face also counts in frames in which it isn't detected. A track is a finding if
///   some of its boxes have kept their detail, and one of these boxes is a detection with a score
///   of at least `score`. A track is also a finding if the hidden picture has, at one of its boxes,
///   a detection with a score of at least kSurelyFace, even if the detail is gone.
/// * Detections that are only in the hidden picture are reported.
///
/// A verifier keeps the planes of the pictures of half a second, at most 2^26 pixels for each
/// video. Not thread-safe.
class Verifier {
 public:
  /// Throws as check_tracker_options() does.
  /// @param turned  if nullopt, the original is searched only upright
  Verifier(const VerifierOptions& options, Looks original, Looks hidden,
           std::optional<TurnedSearch> turned = std::nullopt);

  /// Examines a pair. Errors: as Looks::find() and Tracker.
  void push(const FramePair& pair, const std::stop_token& stop);

  /// Returns all findings. Call it once, as the last function.
  [[nodiscard]] std::vector<Finding> finish();

  [[nodiscard]] const VerifyCounts& counts() const { return counts_; }
  [[nodiscard]] std::int64_t boxes_left_out() const { return findings_.boxes_left_out(); }
  [[nodiscard]] detector::FacesByTurn turned() const {
    return turned_ ? turned_->faces() : detector::FacesByTurn{};
  }

 private:
  struct Waiting {
    std::int64_t number = 0;
    double time_s = 0;
    Planes original;
    Planes hidden;
    std::vector<Box> kept{};  ///< boxes that the edit file keeps
    /// Boxes of faces that a detector finds in the hidden picture with a score of at least
    /// kSurelyFace.
    std::vector<Box> faces{};
  };

  void check_file(const Frame& original, Waiting& pair);
  /// Returns the usual score of a detection.
  [[nodiscard]] float usual(const Detections& found, std::size_t i) const {
    return looks_at_original_.scales().of(found.class_of(i)).usual(found.scores[i]);
  }
  [[nodiscard]] Detections of_original(const FramePair& pair, const std::stop_token& stop);
  [[nodiscard]] Detections together(const FramePair& pair, Waiting& waiting,
                                    const std::stop_token& stop);
  void report_others(const Detections& others, const Waiting& pair);
  void examine(const track::TrackerOutput& known);
  void examine(const track::TrackedBox& tracked, const Waiting& pair);

  const VerifierOptions options_;
  Looks looks_at_original_;
  Looks looks_at_hidden_;
  std::optional<TurnedSearch> turned_;
  track::CpuMotionEstimator motion_;
  std::optional<track::Tracker> tracker_;  // made when the size of the first frame is known
  std::deque<Waiting> waiting_;
  std::optional<Planes> before_;  // planes of the hidden frame before the first waiting pair
  BoxFollower others_;
  Findings findings_;
  VerifyCounts counts_;
};

}  // namespace facepipe::verify
