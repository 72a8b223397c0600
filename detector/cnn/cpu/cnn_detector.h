// This detector is a network. It puts preprocessing, engine and head together for one frame size.
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

/// Allocates all memory of the detector. A request keeps its detector alive. If a request is
/// destroyed while the network runs, it waits for the network, because the next request will use
/// its memory.
[[nodiscard]] std::shared_ptr<Detector> make_cnn_detector(CnnDetectorParts parts);

}  // namespace facepipe::detector
