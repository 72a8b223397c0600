// What a user has said is to be hidden, and whether there was a frame to which it applied: a region
// behind the video's end hides nobody, and nobody is to take that video for a hidden one.
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
  std::size_t applied = 0;          ///< of them: to one frame or more
  std::vector<std::string> unused;  ///< that applied to none: their names, of all kinds
};

/// Which regions and spans apply to a frame. Used by one thread.
class RegionUse {
 public:
  /// @param clock  of the same regions; both outlive it
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
  /// @param whole  all of the input is worked on: else what lies outside of the frames that were
  ///               seen says nothing about them
  TrackUse(const KnownTracks& known, bool whole);

  /// @param hidden  of the file, at `pts`
  void see(std::int64_t pts, const std::vector<track::HiddenBox>& hidden);
  [[nodiscard]] InstructionUse sum() const;

 private:
  [[nodiscard]] bool could_apply(const track::FileTrack& track) const;

  const KnownTracks& known_;
  const bool whole_;
  std::vector<bool> applied_;  // by the file's order
  // Of the frames' stamps; the other way round while there was none.
  std::int64_t first_ = INT64_MAX;
  std::int64_t last_ = INT64_MIN;
};

/// Tells what applied to no frame. Error(usage), naming the input, where that is all of one place's
/// instructions that hide, and with `strict` where it is any.
void tell_unused(const std::vector<InstructionUse>& uses, const std::string& input, bool strict,
                 video::Notices& notices);

}  // namespace facepipe::pipeline
