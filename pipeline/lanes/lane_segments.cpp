#include "pipeline/lanes/lane_segments.h"

#include <utility>

#include "core/error.h"

namespace facepipe::pipeline {

std::shared_ptr<Segment> LaneSegments::pop(const std::stop_token& stop) {
  return take(connections_.segments.pop(stop));
}

std::shared_ptr<Segment> LaneSegments::pop_within(Clock::duration patience,
                                                  const std::stop_token& stop) {
  return take(connections_.segments.pop_within(patience, stop));
}

/// Adds the segment to taken_, and removes segments that are done. Returns nullptr for nullopt.
std::shared_ptr<Segment> LaneSegments::take(std::optional<std::shared_ptr<Segment>> segment) {
  if (!segment) return nullptr;
  std::erase_if(taken_,
                [&](const auto& taken) { return connections_.segments.is_done(taken->number()); });
  return taken_.emplace_back(std::move(*segment));
}

void LaneSegments::give_back(const std::string& why) {
  std::vector<std::shared_ptr<Segment>> unfinished;
  for (const std::shared_ptr<Segment>& segment : taken_) {
    const Order::Progress given = connections_.order.leave(segment->number());
    if (given.whole) continue;
    if (!segment->rewind(given))
      throw Error(ErrorKind::device, why +
                                         "; no other device can take over: a segment is too long "
                                         "to keep for it");
    given_back_.insert(segment->number());
    unfinished.push_back(segment);
  }
  connections_.segments.give_back(std::move(unfinished));
}

}  // namespace facepipe::pipeline
