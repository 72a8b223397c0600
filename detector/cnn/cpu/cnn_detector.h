// The detector that is a network: preprocessing, engine and head put together for one frame size.
#pragma once

#include <memory>

#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/model/head.h"
#include "detector/cnn/model/network_fit.h"
#include "detector/detector.h"

namespace facepipe::detector {

struct CnnDetectorParts {
  NetworkFit fit;
  ChannelOrder order = ChannelOrder::rgb;
  std::size_t outputs = 0;  ///< how many the model has
  std::unique_ptr<Engine> engine;
  Head head = nullptr;
  float score_threshold = 0.5F;
  int requests = 1;
};

/// All memory is allocated here. A request holds its detector; a request destroyed while the
/// network runs waits for it, because its memory is the next request's.
[[nodiscard]] std::shared_ptr<Detector> make_cnn_detector(CnnDetectorParts parts);

}  // namespace facepipe::detector
