// Holds the segments that a lane has taken. The lane must finish them or give them back.
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

/// Used by the thread that decodes, and after the end of that thread by the lane's last thread.
class LaneSegments {
 public:
  explicit LaneSegments(LaneConnections& connections) : connections_(connections) {}

  /// Waits for the next segment and takes it. Returns nullptr if there are no more. `stop` ends the
  /// wait (Segments::pop()).
  [[nodiscard]] std::shared_ptr<Segment> pop(const std::stop_token& stop);
  /// Like pop(), but also returns nullptr if there is no segment after `patience`.
  [[nodiscard]] std::shared_ptr<Segment> pop_within(Clock::duration patience,
                                                    const std::stop_token& stop);
  /// Returns the segments that the lane has taken and may not have finished.
  [[nodiscard]] const std::vector<std::shared_ptr<Segment>>& taken() const { return taken_; }

  /// Gives back the segments that the lane has not finished.
  /// @param why  the failure of the device, for the error's text
  /// Errors: Error(device) if the packets of a segment were too many to be kept.
  void give_back(const std::string& why);
  /// Returns the numbers of the segments that were given back.
  [[nodiscard]] const std::set<std::int64_t>& given_back() const { return given_back_; }

 private:
  [[nodiscard]] std::shared_ptr<Segment> take(std::optional<std::shared_ptr<Segment>> segment);

  LaneConnections& connections_;
  std::vector<std::shared_ptr<Segment>> taken_;
  std::set<std::int64_t> given_back_;
};

}  // namespace facepipe::pipeline
