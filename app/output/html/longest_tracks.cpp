#include "app/output/html/longest_tracks.h"

#include <algorithm>
#include <cmath>

namespace facepipe::app {
namespace {

constexpr std::size_t kMostTracks = 4096;
// A track that wasn't seen for this long has ended.
constexpr double kEnded_s = 30;

void sort_by_length(std::vector<TrackBar>& bars) {
  std::ranges::sort(bars, [](const TrackBar& a, const TrackBar& b) {
    return a.length_s() != b.length_s() ? a.length_s() > b.length_s() : a.id < b.id;
  });
}

}  // namespace

void LongestTracks::add(std::int64_t track, double time_s, float score) {
  if (!std::isfinite(time_s)) return;
  const auto [place, is_new] = tracks_.try_emplace(track, TrackBar{track, time_s, time_s, 0});
  TrackBar& bar = place->second;
  bar.from_s = std::min(bar.from_s, time_s);
  bar.to_s = std::max(bar.to_s, time_s);
  bar.best_score = std::max(bar.best_score, score);
  if (!is_new) return;
  ++count_;
  if (tracks_.size() > kMostTracks) forget_short_ones();
}

/// Removes the shorter half of the tracks that have ended. If none has ended, removes the shorter
/// half of all, because a stream may be made so that no track ever ends.
void LongestTracks::forget_short_ones() {
  double now = 0;
  for (const auto& [id, bar] : tracks_) now = std::max(now, bar.to_s);
  std::vector<TrackBar> ended;
  for (const auto& [id, bar] : tracks_)
    if (bar.to_s < now - kEnded_s) ended.push_back(bar);
  if (ended.size() < kMostTracks / 2) {
    ended.clear();
    for (const auto& [id, bar] : tracks_) ended.push_back(bar);
  }
  sort_by_length(ended);
  for (std::size_t i = ended.size() / 2; i < ended.size(); ++i) tracks_.erase(ended[i].id);
}

std::vector<TrackBar> LongestTracks::longest(std::size_t most) const {
  std::vector<TrackBar> bars;
  for (const auto& [id, bar] : tracks_) bars.push_back(bar);
  sort_by_length(bars);
  if (bars.size() > most) bars.resize(most);
  std::ranges::sort(bars, [](const TrackBar& a, const TrackBar& b) {
    return a.from_s != b.from_s ? a.from_s < b.from_s : a.id < b.id;
  });
  return bars;
}

}  // namespace facepipe::app
