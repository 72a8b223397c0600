// Whether what a user said is to be hidden applied to any frame. A region behind the video's end
// hides nobody, and nobody must take that video for a hidden one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/hide/regions.h"
#include "pipeline/job_options.h"
#include "track/track_file.h"
#include "video/notices.h"

namespace facepipe::pipeline {

/// Instructions from one place, at the end of a job.
struct InstructionUse {
  std::string source;               ///< "--region and --hide-all", "t.json"
  std::size_t hiding = 0;           ///< instructions that hide and could apply
  std::size_t applied = 0;          ///< those of them that applied to at least one frame
  std::vector<std::string> unused;  ///< names of instructions of all kinds that applied to no frame
};

/// Which regions and spans apply to a frame. Used by one thread.
class RegionUse {
 public:
  /// @param clock  has the same regions; both outlive this
  RegionUse(const Regions& regions, const RegionClock& clock);

  /// @param pts  of a frame
  void see(std::int64_t pts);
  [[nodiscard]] InstructionUse sum() const;

 private:
  struct Instruction {
    std::string name;
    TimeSpan when;
    bool hides = false;
    bool applied = false;
  };
  const RegionClock& clock_;
  std::vector<Instruction> instructions_;
};

/// Which tracks of a file apply to a frame. Used by one thread.
class TrackUse {
 public:
  /// @param whole  the job works on all of the input; if not, only tracks within the frames that
  ///               were seen count
  TrackUse(const KnownTracks& known, bool whole);

  /// @param hidden  of the file, at `pts`
  void see(std::int64_t pts, const std::vector<track::HiddenBox>& hidden);
  [[nodiscard]] InstructionUse sum() const;

 private:
  [[nodiscard]] bool could_apply(const track::FileTrack& track) const;

  const KnownTracks& known_;
  const bool whole_;
  std::vector<bool> applied_;  // by the file's order
  // The first and the last stamp of the frames so far; first_ > last_ while there was no frame.
  std::int64_t first_ = INT64_MAX;
  std::int64_t last_ = INT64_MIN;
};

/// Tells which instructions applied to no frame. Throws Error(usage), which names the input, if
/// these are all instructions of one place that hide, or with `strict` if there are any.
void tell_unused(const std::vector<InstructionUse>& uses, const std::string& input, bool strict,
                 video::Notices& notices);

}  // namespace facepipe::pipeline
