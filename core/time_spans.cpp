#include "core/time_spans.h"

#include <algorithm>
#include <cmath>

namespace facepipe {

void TimeSpans::add(Span span) {
  if (!std::isfinite(span.from_s) || !std::isfinite(span.to_s) || span.to_s < span.from_s) return;
  // The spans that the new one touches are one sequence.
  const auto begin = std::ranges::find_if(
      spans_, [&](const Span& each) { return each.to_s + near_s_ >= span.from_s; });
  const auto end = std::find_if(
      begin, spans_.end(), [&](const Span& each) { return each.from_s - near_s_ > span.to_s; });
  for (auto each = begin; each != end; ++each) {
    span.from_s = std::min(span.from_s, each->from_s);
    span.to_s = std::max(span.to_s, each->to_s);
  }
  spans_.insert(spans_.erase(begin, end), span);
  if (spans_.size() > most_) merge_nearest();
}

void TimeSpans::merge_nearest() {
  std::size_t nearest = 1;
  const auto gap = [&](std::size_t i) { return spans_[i].from_s - spans_[i - 1].to_s; };
  for (std::size_t i = 2; i < spans_.size(); ++i)
    if (gap(i) < gap(nearest)) nearest = i;
  spans_[nearest - 1].to_s = spans_[nearest].to_s;
  spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(nearest));
}

}  // namespace facepipe
