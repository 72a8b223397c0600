// Gives a job the faces that other jobs have found in its frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/frame_record.h"
#include "pipeline/parts/part_file.h"
#include "pipeline/parts/part_job.h"
#include "video/frames/frame_timing.h"

namespace facepipe::pipeline {

/// Reads the part files of jobs that only search (PartJob::searches_only), in the order of their
/// frames. Not thread-safe.
class SearchedFrames {
 public:
  /// @param parts  outlives this object
  explicit SearchedFrames(const std::vector<SearchedPart>& parts) : parts_(parts) {}

  /// Returns what was found in the next frame. A file's hash is checked before its last frame is
  /// returned. Throws Error(input) if a part file is missing, incomplete, damaged or of another
  /// plan, and if the search has seen another frame at this place.
  /// @param coded  DecodedPicture::coded of the frame
  [[nodiscard]] FrameRecord next(const video::Timing& coded);

 private:
  void begin_part();
  void end_part();

  const std::vector<SearchedPart>& parts_;
  std::size_t part_ = 0;  // the part that is read, or is read next
  std::optional<PartReader> reader_;
  std::int64_t left_ = 0;  // frames of the reader
};

/// Returns the facts of these parts together: the sums of what was counted, and what the parts
/// tell. Throws Error(input) as SearchedFrames::next() does, and if the parts were not made as
/// `maker` says.
/// @param maker  of the job that follows the faces
[[nodiscard]] PartFacts facts_of_search(const std::vector<SearchedPart>& parts,
                                        const PartMaker& maker);

}  // namespace facepipe::pipeline
