// The maps behind which a tail was cut off, as the outputs that a head's decoders read.
#pragma once

#include <filesystem>
#include <vector>

#include "detector/cnn/model/canonical/tail.h"
#include "detector/cnn/model/graph/graph.h"
#include "detector/cnn/model/head_data.h"
#include "detector/cnn/model/model_outputs.h"

namespace facepipe::detector {

/// Where the model is from, for messages.
struct ModelSource {
  std::filesystem::path file;
  std::filesystem::path card{};  ///< which says what outputs there are; empty: the file does
};

/// Finds which map is which output of `head`, by the values in a row of the file's output and by
/// the map's extents. If a row isn't known, head.anchors and the channels tell. `graph` has the
/// shapes for a picture of the size `trial`, which all strides divide. Sets head.anchors if it is
/// 0.
/// @return the outputs in the order in which decoders read them
/// Errors: device, naming `source` and the reason, unless each output has one map and each map is
/// one.
[[nodiscard]] std::vector<ModelOutput> find_map_outputs(HeadData& head,
                                                        const std::vector<LastMap>& maps,
                                                        const graph::Graph& graph, Size trial,
                                                        const ModelSource& source);

}  // namespace facepipe::detector
