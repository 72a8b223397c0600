// The segments that a lane has taken, which it finishes or gives back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/timing.h"
#include "pipeline/lanes/lane_connections.h"

namespace facepipe::pipeline {

/// Used by the lane's thread that decodes, and after all of its threads by the last one.
class LaneSegments {
 public:
  explicit LaneSegments(LaneConnections& connections) : connections_(connections) {}

  /// Takes the next segment: from now on the lane finishes it or gives it back. Returns nullptr if
  /// there will be no more. `stop` ends the wait (Segments::pop()).
  [[nodiscard]] std::shared_ptr<Segment> pop(const std::stop_token& stop);
  /// The same; also returns nullptr if no segment has come after `patience`.
  [[nodiscard]] std::shared_ptr<Segment> pop_within(Clock::duration patience,
                                                    const std::stop_token& stop);
  /// Returns the segments that may not be done yet.
  [[nodiscard]] const std::vector<std::shared_ptr<Segment>>& taken() const { return taken_; }

  /// Gives back what the lane has not finished.
  /// @param why  what has failed
  /// Errors: Error(device) for a segment that was too long to be kept.
  void give_back(const std::string& why);
  /// The numbers of the segments that were given back.
  [[nodiscard]] const std::set<std::int64_t>& given_back() const { return given_back_; }

 private:
  [[nodiscard]] std::shared_ptr<Segment> take(std::optional<std::shared_ptr<Segment>> segment);

  LaneConnections& connections_;
  std::vector<std::shared_ptr<Segment>> taken_;
  std::set<std::int64_t> given_back_;
};

}  // namespace facepipe::pipeline
