#include "pipeline/hide/instructions.h"

#include <algorithm>
#include <sstream>

#include "core/error.h"

namespace facepipe::pipeline {
namespace {

// The largest number of unused instructions that notices name. There is a limit because a file may
// have 100,000 tracks.
constexpr std::size_t kMostNamed = 20;

std::string text_of(const TimeSpan& when) {
  std::ostringstream text;
  if (when.from_s) text << *when.from_s;
  text << '-';
  if (when.to_s) text << *when.to_s;
  return text.str();
}

std::string name_of(const track::FileTrack& track) {
  return "track " + std::to_string(track.id) + " (pts " + std::to_string(track.start_pts) + " to " +
         std::to_string(track.end_pts) + ")";
}

}  // namespace

RegionUse::RegionUse(const Regions& regions, const RegionClock& clock) : clock_(clock) {
  const auto add = [&](const std::string& name, const TimeSpan& when, bool hides) {
    instructions_.push_back({name, when, hides, false});
  };
  for (const Region& region : regions.hidden) add("--region " + region.name, region.when, true);
  for (const TimeSpan& when : regions.all_hidden) add("--hide-all " + text_of(when), when, true);
  for (const Region& region : regions.kept) add("--keep-region " + region.name, region.when, false);
}

void RegionUse::see(std::int64_t pts) {
  for (Instruction& each : instructions_)
    each.applied = each.applied || clock_.within(each.when, pts);
}

InstructionUse RegionUse::sum() const {
  InstructionUse use;
  use.source = "--region and --hide-all";
  for (const Instruction& each : instructions_) {
    if (!each.applied) use.unused.push_back(each.name);
    if (!each.hides) continue;
    ++use.hiding;
    if (each.applied) ++use.applied;
  }
  return use;
}

TrackUse::TrackUse(const KnownTracks& known, bool whole)
    : known_(known), whole_(whole), applied_(known.file.tracks.size()) {}

void TrackUse::see(std::int64_t pts, const std::vector<track::HiddenBox>& hidden) {
  first_ = std::min(first_, pts);
  last_ = std::max(last_, pts);
  for (const track::HiddenBox& box : hidden)
    applied_[static_cast<std::size_t>(box.track - known_.file.tracks.data())] = true;
}

bool TrackUse::could_apply(const track::FileTrack& track) const {
  const bool any = first_ <= last_;
  const bool among_frames = any && track.end_pts >= first_ && track.start_pts <= last_;
  return track.action == track::TrackAction::hide && (whole_ || among_frames);
}

InstructionUse TrackUse::sum() const {
  InstructionUse use;
  use.source = known_.name;
  for (std::size_t i = 0; i < known_.file.tracks.size(); ++i) {
    const track::FileTrack& track = known_.file.tracks[i];
    if (!could_apply(track)) continue;
    ++use.hiding;
    if (applied_[i])
      ++use.applied;
    else
      use.unused.push_back(known_.name + ": " + name_of(track));
  }
  return use;
}

void warn_of_unused(const std::vector<InstructionUse>& uses, const std::string& input, bool strict,
                    video::Notices& notices) {
  for (const InstructionUse& use : uses) {
    for (std::size_t i = 0; i < std::min(use.unused.size(), kMostNamed); ++i)
      notices.add(use.unused[i] + " applies to no frame: no frame's time lies within it");
    if (use.unused.size() > kMostNamed)
      notices.add(std::to_string(use.unused.size() - kMostNamed) + " more entries of " +
                  use.source + " apply to no frame");
  }
  for (const InstructionUse& use : uses) {
    if (use.hiding > 0 && use.applied == 0)
      throw Error(ErrorKind::usage, input + ": no entry of " + use.source +
                                        " applies to any of its frames, so nothing is written");
    if (strict && !use.unused.empty())
      throw Error(ErrorKind::usage,
                  input + ": --strict: " + use.unused.front() + " applies to no frame");
  }
}

}  // namespace facepipe::pipeline
