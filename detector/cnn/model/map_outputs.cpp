#include "detector/cnn/model/map_outputs.h"

#include <algorithm>
#include <optional>
#include <string>

#include "detector/model_file.h"

namespace facepipe::detector {
namespace {

/// A map with its stride, and the cells of a place.
struct FoundMap {
  const LastMap* map = nullptr;
  int stride = 0;
  int anchors = 0;
};

class MapFinder {
 public:
  MapFinder(const std::vector<LastMap>& maps, const graph::Graph& graph, Size trial,
            const std::filesystem::path& file)
      : graph_(graph), trial_(trial), file_(file) {
    for (const LastMap& map : maps) found_.push_back(measured(map));
  }

  [[nodiscard]] std::size_t count() const { return found_.size(); }

  /// Returns the only map with rows of so many values at a stride.
  [[nodiscard]] const FoundMap& find(int channels, int stride) const {
    const FoundMap* result = nullptr;
    for (const FoundMap& found : found_) {
      if (found.map->values != channels || found.stride != stride) continue;
      if (result != nullptr) refuse("two outputs have " + what(channels, stride));
      result = &found;
    }
    if (result == nullptr) refuse("no output has " + what(channels, stride));
    return *result;
  }

  [[noreturn]] void refuse(const std::string& reason) const { refuse_model(file_, reason); }

 private:
  static std::string what(int channels, int stride) {
    return "rows of " + std::to_string(channels) + " at stride " + std::to_string(stride);
  }

  [[nodiscard]] FoundMap measured(const LastMap& map) const {
    const auto output = std::ranges::find(graph_.outputs, map.name, &graph::Output::name);
    if (output == graph_.outputs.end()) refuse("nothing computes its output " + map.name);
    const graph::MapShape shape = graph_.map(output->value);
    const int stride = trial_.height / shape.height;
    const bool even =
        shape.height * stride == trial_.height && shape.width * stride == trial_.width;
    if (!even || map.values < 1 || shape.channels % map.values != 0)
      refuse("its output " + map.name + " has a shape that no head reads");
    return {&map, stride, static_cast<int>(shape.channels / map.values)};
  }

  const graph::Graph& graph_;
  Size trial_;
  const std::filesystem::path& file_;
  std::vector<FoundMap> found_;
};

}  // namespace

std::vector<ModelOutput> find_map_outputs(HeadData& head, const std::vector<LastMap>& maps,
                                          const graph::Graph& graph, Size trial,
                                          const std::filesystem::path& file) {
  const MapFinder finder(maps, graph, trial, file);
  if (finder.count() != head.strides.size() * head.outputs.size())
    finder.refuse("has " + std::to_string(finder.count()) + " outputs, not " +
                  std::to_string(head.strides.size() * head.outputs.size()));
  std::vector<ModelOutput> outputs;
  std::optional<int> anchors;
  for (const int stride : head.strides)
    for (const HeadOutput& output : head.outputs) {
      const FoundMap& found = finder.find(output.channels, stride);
      if (anchors.value_or(found.anchors) != found.anchors)
        finder.refuse("its outputs have different numbers of anchors");
      anchors = found.anchors;
      outputs.push_back({found.map->name, output.channels, stride, found.anchors});
    }
  head.anchors = anchors.value_or(1);
  return outputs;
}

}  // namespace facepipe::detector
