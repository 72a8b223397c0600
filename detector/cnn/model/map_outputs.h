// Finds the outputs that a head's decoders read among the maps that remain after the tail was cut
// off.
#pragma once

#include <filesystem>
#include <vector>

#include "detector/cnn/model/canonical/tail.h"
#include "detector/cnn/model/graph/graph.h"
#include "detector/cnn/model/head_data.h"
#include "detector/cnn/model/model_outputs.h"

namespace facepipe::detector {

/// Says where the model is from, for messages.
struct ModelSource {
  std::filesystem::path file;
  std::filesystem::path card{};  ///< the card that describes the outputs; empty if the file does
};

/// Finds the map of each output of `head`, by the number of values in a row of the file's output
/// and by the map's extents. If a row isn't known, head.anchors and the number of channels decide.
/// `graph` has the shapes for a picture of the size `trial`, which all strides divide. Sets
/// head.anchors if it is 0. Returns the outputs in the order in which decoders read them. Throws
/// Error(device), naming `source` and the reason, unless each output has one map and each map is
/// one output.
[[nodiscard]] std::vector<ModelOutput> find_map_outputs(HeadData& head,
                                                        const std::vector<LastMap>& maps,
                                                        const graph::Graph& graph, Size trial,
                                                        const ModelSource& source);

}  // namespace facepipe::detector
