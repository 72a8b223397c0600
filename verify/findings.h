// Collects what a verification finds, so that there is one finding for each face, not one for each
// frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/geometry.h"
#include "verify/detail.h"
#include "verify/disguises.h"
#include "verify/grey.h"

namespace facepipe::verify {

enum class FindingKind : std::uint8_t {
  /// A face, or what a detector takes for a face, that still has its detail; or a face that a
  /// detector finds although it should be hidden.
  leak,
  /// In all of its frames the detail is weakened but not gone, or the edit file hides the face by
  /// blur or mosaic.
  cosmetic,
  kept,  ///< the face is visible because the edit file keeps it
  /// Found only in the hidden video; the original shows no face there.
  only_there
};
[[nodiscard]] std::string_view name_of(FindingKind kind);

/// Says where the boxes of a finding come from.
enum class FindingSource : std::uint8_t {
  detection,  ///< from detections, and tracks made of them
  edit_file,  ///< from a box that the edit file hides
  /// From a detection in a picture that belongs to no frame of the original.
  other_picture
};
[[nodiscard]] std::string_view name_of(FindingSource source);

/// If a detection in the hidden video scores at least this on the usual scale (core/score_scale.h),
/// it shows a face, even if the detail is gone. Detectors give lower scores to everything that
/// `hide` draws (measured in README.md).
inline constexpr float kSurelyFace = 0.6F;

/// Describes a finding in one frame.
struct FoundBox {
  std::int64_t frame = 0;  ///< number of the original's frame, from 0
  double time_s = 0;       ///< in seconds of the original
  /// In pixels of the original's upright picture. In findings of LonePictures, boxes are in pixels
  /// of the picture itself.
  Box box;
  /// Score of the detection; 0 if the box comes from a track or the edit file.
  float score = 0;
  DetailLeft detail;  ///< for FindingKind::only_there, all of it is gone
  Disguise disguise = Disguise::none;
  std::uint16_t found_class = 0;  ///< of a detection: its class (Detections::classes)
};

struct Finding {
  FindingKind kind = FindingKind::leak;
  FindingSource source = FindingSource::detection;
  /// The edit file's id, or a number that is unique among the findings of one `place`.
  std::int64_t track = 0;
  /// Names the stream of the hidden video; empty for its video stream.
  std::string place{};
  std::int64_t frames = 0;
  double first_s = 0;
  double last_s = 0;
  float best_score = 0;
  /// The name of the class, and the name of the model that found it. The verifier doesn't know
  /// names of classes, so its caller sets both.
  std::string class_name = "face";
  std::string model{};
  FoundBox clearest;            ///< the box with the highest score; if equal, with the most detail
  std::vector<FoundBox> boxes;  ///< one for each frame, up to kMostFoundBoxes
  Grey thumbnail;  ///< shows the hidden video around `clearest`; empty if no thumbnails are wanted
};

/// Boxes beyond kMostFoundBoxes are counted but not kept. Findings beyond kMostThumbnails have no
/// thumbnail.
inline constexpr std::size_t kMostFoundBoxes = std::size_t{1} << 20;
inline constexpr std::size_t kMostThumbnails = 1000;
inline constexpr int kThumbnailSide = 160;

/// Sorts findings: leaks first, and within each kind by decreasing score.
void sort_by_weight(std::vector<Finding>& findings);

class Findings {
 public:
  explicit Findings(bool thumbnails) : thumbnails_(thumbnails) {}

  /// Adds a box to a finding. The calls come in the order of the frames. If a finding gets several
  /// boxes in one frame, only the clearest box counts. If a finding is cosmetic in some frames and
  /// a leak in other frames, it counts as one leak.
  /// @param hidden    frame of the hidden video
  /// @param original  size of the original's picture, in which the box lies
  void add(FindingKind kind, FindingSource source, std::int64_t track, const FoundBox& found,
           const Grey& hidden, Size original);

  /// Returns all findings in the order of sort_by_weight(), and removes them here.
  [[nodiscard]] std::vector<Finding> take();

  /// Returns how many boxes were counted but not kept.
  [[nodiscard]] std::int64_t boxes_left_out() const { return boxes_left_out_; }

 private:
  void keep_box(Finding& finding, const FoundBox& found);

  const bool thumbnails_;
  std::map<std::tuple<FindingKind, FindingSource, std::int64_t>, Finding> all_;
  std::size_t boxes_ = 0;
  std::size_t pictures_ = 0;
  std::int64_t boxes_left_out_ = 0;
};

}  // namespace facepipe::verify
