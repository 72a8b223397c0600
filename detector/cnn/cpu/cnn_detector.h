// Implements a detector that is a network: combines preprocessing, engine and head for one frame
// size.
#pragma once

#include <memory>

#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/model/head.h"
#include "detector/cnn/model/known_models.h"
#include "detector/detector.h"
#include "detector/network_fit.h"

namespace facepipe::detector {

struct CnnDetectorParts {
  NetworkFit fit;
  InputData input;
  std::unique_ptr<Engine> engine;
  HeadData head;
  float score_threshold = 0.5F;
  int requests = 1;
};

/// Makes a detector and allocates all of its memory. A request keeps its detector alive. If a
/// request is destroyed while the network runs, its destructor waits for the network, because the
/// next request will use the same memory.
[[nodiscard]] std::shared_ptr<Detector> make_cnn_detector(CnnDetectorParts parts);

}  // namespace facepipe::detector
