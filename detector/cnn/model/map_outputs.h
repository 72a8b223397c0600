// The maps behind which a tail was cut off, as the outputs that a head's decoders read.
#pragma once

#include <filesystem>
#include <vector>

#include "detector/cnn/model/canonical/tail.h"
#include "detector/cnn/model/graph/graph.h"
#include "detector/cnn/model/head_data.h"
#include "detector/cnn/model/model_outputs.h"

namespace facepipe::detector {

/// Finds which map is which output of `head`, by the values in a row of the file's output and by
/// the map's extents. `graph` has the shapes for a picture of the size `trial`, which all strides
/// divide. Sets head.anchors, unless it is a number that the maps have.
/// @return the outputs in the order in which decoders read them
/// Errors: device, naming `file` and the reason, unless each output has one map and each map is
/// one.
[[nodiscard]] std::vector<ModelOutput> find_map_outputs(HeadData& head,
                                                        const std::vector<LastMap>& maps,
                                                        const graph::Graph& graph, Size trial,
                                                        const std::filesystem::path& file);

}  // namespace facepipe::detector
