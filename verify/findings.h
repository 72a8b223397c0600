// Gathers over time what a verification finds: one finding a face rather than one a frame.
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
  leak,       ///< a face, or what a detector takes for one, that still has its detail, or is found
              ///< by a detector where it should be hidden
  cosmetic,   ///< its detail is weakened, as by blur or mosaic, but not gone: in all its frames
  kept,       ///< shown because the edit file says so
  only_there  ///< found in the hidden video alone: nothing of the original shows there
};
[[nodiscard]] std::string_view name_of(FindingKind kind);

/// Says what told of the place.
enum class FindingSource : std::uint8_t {
  detection,     ///< detections and what tracks make of them
  edit_file,     ///< a box that the edit file hides
  other_picture  ///< a detection in a picture that no frame of the original stands beside
};
[[nodiscard]] std::string_view name_of(FindingSource source);

/// A detection in the hidden video that scores so much shows a face, whatever is left of its
/// detail: it is more than a detector gives to what `hide` draws (measured in README.md).
inline constexpr float kSurelyFace = 0.6F;

/// Tells of a finding in one frame.
struct FoundBox {
  std::int64_t frame = 0;  ///< of the original, from 0
  double time_s = 0;       ///< where the original's seconds count from
  Box box;                 ///< pixels of the original's upright picture; but see LonePictures
  float score = 0;         ///< of the detection there; 0 where a track or file tells of the place
  DetailLeft detail;       ///< FindingKind::only_there: all gone
  Disguise disguise = Disguise::none;
};

struct Finding {
  FindingKind kind = FindingKind::leak;
  FindingSource source = FindingSource::detection;
  std::int64_t track = 0;  ///< the file's id, or a number among the findings of one place
  std::string place{};     ///< in which of the hidden video's streams; empty: its video
  std::int64_t frames = 0;
  double first_s = 0;
  double last_s = 0;
  float best_score = 0;
  FoundBox clearest;            ///< the highest score, then the most detail
  std::vector<FoundBox> boxes;  ///< one a frame; but see kMostFoundBoxes
  Grey thumbnail;               ///< of the hidden video around `clearest`; empty if not asked for
};

/// More boxes are counted, but not kept, and more findings have no thumbnail.
inline constexpr std::size_t kMostFoundBoxes = std::size_t{1} << 20;
inline constexpr std::size_t kMostThumbnails = 1000;
inline constexpr int kThumbnailSide = 160;

/// Sorts leaks first, then by score, falling.
void sort_by_weight(std::vector<Finding>& findings);

class Findings {
 public:
  explicit Findings(bool thumbnails) : thumbnails_(thumbnails) {}

  /// Frames come in their order. Of several boxes in one frame the clearest counts. What is
  /// cosmetic in some frames and a leak in others is one finding, a leak.
  /// @param hidden    the hidden video's frame
  /// @param original  size of the original's picture, which the box is in
  void add(FindingKind kind, FindingSource source, std::int64_t track, const FoundBox& found,
           const Grey& hidden, Size original);

  /// Returns all, as sort_by_weight() has them; nothing is left here.
  [[nodiscard]] std::vector<Finding> take();

  /// Tells how many boxes were counted, but not kept.
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
