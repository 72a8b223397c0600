#include "pipeline/hide/regions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "video/ffmpeg.h"

namespace facepipe::pipeline {
namespace {

void check(const std::vector<Region>& regions, Size picture) {
  for (const Region& region : regions) {
    const Box& box = region.box;
    const bool inside = box.x2 > 0 && box.y2 > 0 && box.x1 < static_cast<float>(picture.width) &&
                        box.y1 < static_cast<float>(picture.height);
    if (!inside)
      throw Error(ErrorKind::usage,
                  "region " + region.name + ": lies outside of the picture, " + to_string(picture));
  }
}

}  // namespace

RegionClock::RegionClock(Regions regions, Size picture, Rational time_base, std::int64_t origin_us)
    : regions_(std::move(regions)), time_base_(time_base), origin_us_(origin_us) {
  check(regions_.hidden, picture);
  check(regions_.kept, picture);
}

// Uses the same arithmetic as --start and --end.
bool RegionClock::within(const TimeSpan& when, std::int64_t pts) const {
  const auto compared = [&](double seconds) {
    return av_compare_ts(pts, {time_base_.num, time_base_.den},
                         origin_us_ + std::llround(seconds * AV_TIME_BASE), AV_TIME_BASE_Q);
  };
  return (!when.from_s || compared(*when.from_s) >= 0) && (!when.to_s || compared(*when.to_s) < 0);
}

std::vector<Box> RegionClock::boxes_at(const std::vector<Region>& regions, std::int64_t pts) const {
  std::vector<Box> boxes;
  for (const Region& region : regions)
    if (within(region.when, pts)) boxes.push_back(region.box);
  return boxes;
}

RegionClock::Now RegionClock::at(std::int64_t pts) const {
  const bool all = std::ranges::any_of(regions_.all_hidden,
                                       [&](const TimeSpan& when) { return within(when, pts); });
  return {all, boxes_at(regions_.hidden, pts), boxes_at(regions_.kept, pts)};
}

bool lies_in(const Box& inner, const Box& outer, Size picture) {
  const auto width = static_cast<float>(picture.width);
  const auto height = static_cast<float>(picture.height);
  return std::max(inner.x1, 0.0F) >= outer.x1 && std::max(inner.y1, 0.0F) >= outer.y1 &&
         std::min(inner.x2, width) <= outer.x2 && std::min(inner.y2, height) <= outer.y2;
}

}  // namespace facepipe::pipeline
