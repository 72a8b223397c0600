#include "app/output/time_spans.h"

#include <algorithm>
#include <cmath>

namespace facepipe::app {

void TimeSpans::add(double time_s) {
  if (!std::isfinite(time_s)) return;
  // The first span that does not end before the time.
  const auto after =
      std::ranges::find_if(spans_, [&](const Span& span) { return span.to_s + near_s_ >= time_s; });
  if (after != spans_.end() && after->from_s - near_s_ <= time_s) {
    after->from_s = std::min(after->from_s, time_s);
    after->to_s = std::max(after->to_s, time_s);
    return;
  }
  spans_.insert(after, {time_s, time_s});
  if (spans_.size() > most_) merge_nearest();
}

void TimeSpans::merge_nearest() {
  std::size_t nearest = 1;
  const auto gap = [&](std::size_t i) { return spans_[i].from_s - spans_[i - 1].to_s; };
  for (std::size_t i = 2; i < spans_.size(); ++i)
    if (gap(i) < gap(nearest)) nearest = i;
  spans_[nearest - 1].to_s = std::max(spans_[nearest - 1].to_s, spans_[nearest].to_s);
  spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(nearest));
}

}  // namespace facepipe::app
