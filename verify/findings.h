// Gathers over time what a verification finds, so that there is one finding for each face instead
// of one for each frame.
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
  /// A face, or what a detector takes for one, that still has its detail, or that a detector finds
  /// where it should be hidden.
  leak,
  /// In all of its frames the detail is weakened, as by blur or mosaic, but not gone.
  cosmetic,
  kept,  ///< shown because the edit file says so
  /// Found only in the hidden video; nothing of the original shows there.
  only_there
};
[[nodiscard]] std::string_view name_of(FindingKind kind);

/// Says where the place of a finding comes from.
enum class FindingSource : std::uint8_t {
  detection,  ///< detections, and the tracks made of them
  edit_file,  ///< a box that the edit file hides
  /// A detection in a picture that belongs to no frame of the original.
  other_picture
};
[[nodiscard]] std::string_view name_of(FindingSource source);

/// A detection in the hidden video that scores this much shows a face, whatever is left of its
/// detail. It is more than a detector gives to anything that `hide` draws (measured in README.md).
inline constexpr float kSurelyFace = 0.6F;

/// Describes a finding in one frame.
struct FoundBox {
  std::int64_t frame = 0;  ///< number of the original's frame, from 0
  double time_s = 0;       ///< in seconds of the original
  /// In pixels of the original's upright picture, except for LonePictures.
  Box box;
  /// Score of the detection there; 0 if a track or the edit file gave the place.
  float score = 0;
  DetailLeft detail;  ///< all gone for FindingKind::only_there
  Disguise disguise = Disguise::none;
};

struct Finding {
  FindingKind kind = FindingKind::leak;
  FindingSource source = FindingSource::detection;
  std::int64_t track = 0;  ///< the file's id, or a number among the findings of one place
  /// Names the stream of the hidden video; empty for its video stream.
  std::string place{};
  std::int64_t frames = 0;
  double first_s = 0;
  double last_s = 0;
  float best_score = 0;
  FoundBox clearest;            ///< the box with the highest score, then with the most detail
  std::vector<FoundBox> boxes;  ///< one for each frame, up to kMostFoundBoxes
  Grey thumbnail;  ///< shows the hidden video around `clearest`; empty if not asked for
};

/// More boxes than this are counted but not kept. More findings than this have no thumbnail.
inline constexpr std::size_t kMostFoundBoxes = std::size_t{1} << 20;
inline constexpr std::size_t kMostThumbnails = 1000;
inline constexpr int kThumbnailSide = 160;

/// Sorts findings: leaks first, then by falling score.
void sort_by_weight(std::vector<Finding>& findings);

class Findings {
 public:
  explicit Findings(bool thumbnails) : thumbnails_(thumbnails) {}

  /// Adds a box to a finding. Frames come in their order. Of several boxes in one frame the
  /// clearest counts. If a finding is cosmetic in some frames and a leak in others, it is one leak.
  /// @param hidden    the hidden video's frame
  /// @param original  size of the original's picture, in which the box is
  void add(FindingKind kind, FindingSource source, std::int64_t track, const FoundBox& found,
           const Grey& hidden, Size original);

  /// Returns all findings, sorted by sort_by_weight(), and keeps none.
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
