// Finds out whether the user's instructions to hide something applied to any frame. For example, a
// region whose time is after the video's end is never hidden. The user must know this.
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

/// Counts the instructions of one source that were used in a job.
struct InstructionUse {
  std::string source;               ///< "--region and --hide-all", or a file's name: "t.json"
  std::size_t hiding = 0;           ///< number of instructions that hide something and could apply
  std::size_t applied = 0;          ///< how many of `hiding` applied to at least one frame
  std::vector<std::string> unused;  ///< names of instructions of all kinds that applied to no frame
};

/// Finds out which regions and time spans apply to any frame. Used by one thread.
class RegionUse {
 public:
  /// @param clock  made with the same regions; both arguments outlive this object
  RegionUse(const Regions& regions, const RegionClock& clock);

  /// Must be called for each frame.
  /// @param pts  the frame's time stamp
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

/// Finds out which tracks of a file apply to any frame. Used by one thread.
class TrackUse {
 public:
  /// @param whole  whether the job works on the whole input; if not, only those tracks count whose
  ///               time overlaps the time of the job's frames
  TrackUse(const KnownTracks& known, bool whole);

  /// Must be called for each frame.
  /// @param pts     the frame's time stamp
  /// @param hidden  the file's hidden boxes at `pts`
  void see(std::int64_t pts, const std::vector<track::HiddenBox>& hidden);
  [[nodiscard]] InstructionUse sum() const;

 private:
  [[nodiscard]] bool could_apply(const track::FileTrack& track) const;

  const KnownTracks& known_;
  const bool whole_;
  std::vector<bool> applied_;  // by index in TrackFile::tracks
  // The lowest and the highest time stamp so far; first_ > last_ if there was no frame.
  std::int64_t first_ = INT64_MAX;
  std::int64_t last_ = INT64_MIN;
};

/// Adds notices about instructions that applied to no frame. Throws Error(usage), which names the
/// input, if no hiding instruction of a source applied. With `strict`, the function also throws
/// this error if any instruction did not apply.
void warn_of_unused(const std::vector<InstructionUse>& uses, const std::string& input, bool strict,
                    video::Notices& notices);

}  // namespace facepipe::pipeline
