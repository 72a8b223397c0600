// Looks for faces that a hidden video still shows, frame by frame, beside its original.
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

/// What a detection that is not hidden must score to be told. Hiding by itself leaves nothing over
/// 0.15 that it has seen.
inline constexpr float kVerifyScore = 0.1F;
/// What detectors are asked for: the least that a tracker makes anything of.
inline constexpr float kVerifyLeastScore = 0.03F;

struct VerifierOptions {
  float score = kVerifyScore;  ///< 0.05..1
  bool thumbnails = false;     ///< Finding::thumbnail
  const track::TrackFile* tracks =
      nullptr;  ///< the edit file, if there is one; outlives the verifier
};
inline constexpr float kLeastVerifyScore = 0.05F;

/// A frame of the original and the one that the hidden video shows in its place; both in host
/// memory, read during push() only.
struct FramePair {
  const Frame& original;
  const Frame& hidden;      ///< may be of another size
  std::int64_t number = 0;  ///< of the original's frame, rising
  double time_s = 0;        ///< of the original, rising
  bool damaged = false;     ///< the original's frame is
};

/// Counts what was looked at.
struct VerifyCounts {
  std::int64_t detected = 0;   ///< boxes of tracks that were measured
  std::int64_t from_file = 0;  ///< boxes of the edit file that were measured
};

/// For each pair: the boxes that the edit file hides must have lost their detail, in all disguises
/// (disguises.h). Both pictures are looked at, the original turned, too (turned.h); what is found
/// in the hidden one where the original has a detection (IoU 0.3), and all of the original's, go to
/// a Tracker on the original's pictures, so that a face counts where it isn't detected, too. A
/// track of which boxes have kept their detail, one of them a detection of `score`, is a finding.
/// So is one of which a box lies where the hidden picture has a detection of kSurelyFace, whatever
/// its detail. What is found in the hidden picture alone is told.
///
/// Keeps the planes of the pictures in half a second, of 2^26 pixels each at most. Not thread-safe.
class Verifier {
 public:
  /// Throws as check_tracker_options().
  /// @param turned  none: the original is looked at upright alone
  Verifier(const VerifierOptions& options, Looks original, Looks hidden,
           std::optional<TurnedSearch> turned = std::nullopt);

  /// Errors: as Looks::find() and Tracker.
  void push(const FramePair& pair, const std::stop_token& stop);

  /// Returns all findings; called once, last.
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
    std::vector<Box> kept{};   ///< by the edit file
    std::vector<Box> faces{};  ///< that a detector surely finds in the hidden picture
  };

  void check_file(const Frame& original, Waiting& pair);
  [[nodiscard]] Detections of_original(const FramePair& pair, const std::stop_token& stop);
  [[nodiscard]] Detections together(const FramePair& pair, Waiting& waiting,
                                    const std::stop_token& stop);
  void tell_others(const Detections& others, const Waiting& pair);
  void examine(const track::TrackerOutput& known);
  void examine(const track::TrackedBox& tracked, const Waiting& pair);

  const VerifierOptions options_;
  Looks looks_at_original_;
  Looks looks_at_hidden_;
  std::optional<TurnedSearch> turned_;
  track::CpuMotionEstimator motion_;
  std::optional<track::Tracker> tracker_;  // made for the first frame's size
  std::deque<Waiting> waiting_;
  std::optional<Planes> before_;  // what the hidden frame before waiting_ shows
  BoxFollower others_;
  Findings findings_;
  VerifyCounts counts_;
};

}  // namespace facepipe::verify
