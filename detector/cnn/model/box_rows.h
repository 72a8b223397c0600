// Reads rows of boxes from networks that decode their boxes themselves. Some of these networks also
// select boxes, or suppress duplicates.
#pragma once

#include "core/detections.h"
#include "detector/cnn/model/card/card.h"
#include "detector/cnn/model/graph/graph.h"
#include "detector/cnn/model/head.h"
#include "detector/cnn/model/map_outputs.h"
#include "detector/cnn/model/model_outputs.h"

namespace facepipe::detector {

/// Returns how rows of the layout of `card` are read. `origin` is the card, for messages. Throws
/// Error(device), naming `origin` and the field, if the card names other outputs than these: `all`
/// alone, or `box` and `score`, and `class` if and only if the layout has a class.
[[nodiscard]] HeadData head_of_rows(const Card& card, const std::string& origin);

/// Finds the outputs that head_of_rows() describes, by the card's names, or takes the file's only
/// output. `graph` has the shapes for the network's only size. All outputs need the same number of
/// rows, which is at most 2^20. Throws Error(device), naming `source` and the reason.
[[nodiscard]] std::vector<ModelOutput> find_row_outputs(const HeadData& head, const Card& card,
                                                        const graph::Graph& graph,
                                                        const ModelSource& source);

/// Decodes rows of boxes. Returns the candidates in the order of the rows, as decode_head() does. A
/// row is also dropped if its class is ignored, or if the file has no such class.
[[nodiscard]] Detections decode_rows(const HeadData& head, const NetworkOutputs& outputs,
                                     const NetworkFit& fit, float score_threshold);

}  // namespace facepipe::detector
