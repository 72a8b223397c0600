#include "detector/cnn/model/map_outputs.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/terminal_text.h"
#include "detector/model_file.h"

namespace facepipe::detector {
namespace {

struct FoundMap {
  const LastMap* map = nullptr;
  int stride = 0;
  int channels = 0;  ///< channels of all cells of a place
};

class MapFinder {
 public:
  MapFinder(const std::vector<LastMap>& maps, const graph::Graph& graph, Size trial,
            const ModelSource& source)
      : graph_(graph), trial_(trial), source_(source) {
    for (const LastMap& map : maps) found_.push_back(measured(map));
  }

  [[nodiscard]] std::size_t count() const { return found_.size(); }

  /// Returns the only map at this stride that has `channels` values in a row. If a map's row isn't
  /// known, the map must have `channels` values for each of `anchors` cells.
  [[nodiscard]] const FoundMap& find(int channels, int anchors, int stride) const {
    const FoundMap* result = nullptr;
    for (const FoundMap& found : found_) {
      const bool fits = found.map->values > 0 ? found.map->values == channels
                                              : found.channels == channels * anchors;
      if (!fits || found.stride != stride) continue;
      if (result != nullptr) refuse("two outputs have " + what(channels, stride));
      result = &found;
    }
    if (result == nullptr) refuse("no output has " + what(channels, stride));
    return *result;
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    const std::string card = source_.card.string();
    refuse_model(source_.file, card.empty() ? reason : reason + "; see head in its card " + card);
  }

 private:
  static std::string what(int channels, int stride) {
    return "rows of " + std::to_string(channels) + " at stride " + std::to_string(stride);
  }

  [[nodiscard]] FoundMap measured(const LastMap& map) const {
    const auto output = std::ranges::find(graph_.outputs, map.name, &graph::Output::name);
    if (output == graph_.outputs.end())
      refuse("nothing computes its output " + shown_name(map.name));
    const graph::MapShape shape = graph_.map(output->value);
    const int stride = trial_.height / shape.height;
    const bool even =
        shape.height * stride == trial_.height && shape.width * stride == trial_.width;
    if (!even || map.values < 0 || (map.values > 0 && shape.channels % map.values != 0))
      refuse("its output " + shown_name(map.name) + " has a shape that no head reads");
    return {&map, stride, shape.channels};
  }

  const graph::Graph& graph_;
  Size trial_;
  const ModelSource& source_;
  std::vector<FoundMap> found_;
};

}  // namespace

std::vector<ModelOutput> find_map_outputs(HeadData& head, const std::vector<LastMap>& maps,
                                          const graph::Graph& graph, Size trial,
                                          const ModelSource& source) {
  const MapFinder finder(maps, graph, trial, source);
  if (finder.count() != head.strides.size() * head.outputs.size())
    finder.refuse("has " + std::to_string(finder.count()) + " outputs, not " +
                  std::to_string(head.strides.size() * head.outputs.size()));
  std::vector<ModelOutput> outputs;
  std::optional<int> anchors;
  for (const int stride : head.strides)
    for (const HeadOutput& output : head.outputs) {
      const FoundMap& found = finder.find(output.channels, head.anchors, stride);
      const int cells = found.channels / output.channels;
      if (anchors.value_or(cells) != cells)
        finder.refuse("its outputs have different numbers of anchors");
      if (head.anchors > 0 && cells != head.anchors)
        finder.refuse("has " + std::to_string(cells) + " anchors at a place, not " +
                      std::to_string(head.anchors));
      anchors = cells;
      outputs.push_back({found.map->name, output.channels, stride, cells});
    }
  head.anchors = anchors.value_or(1);
  return outputs;
}

}  // namespace facepipe::detector
