#include "detector/cnn/model/model_outputs.h"

#include <algorithm>

namespace facepipe::detector {
namespace {

/// Returns false if the file states both extents and they are not in this ratio.
bool may_have_stride(std::int64_t image, std::int64_t map, int stride) {
  return image < 0 || map < 0 || image == map * stride;
}

bool holds_planes(const DeclaredTensor& output, const ModelOutput& wanted,
                  const DeclaredTensor& image) {
  constexpr std::size_t kRank = 4;
  return output.extents.size() == kRank &&
         output.extents[1] == std::int64_t{wanted.channels} * wanted.anchors &&
         may_have_stride(image.extents[2], output.extents[2], wanted.stride) &&
         may_have_stride(image.extents[3], output.extents[3], wanted.stride);
}

bool holds_cells(const DeclaredTensor& output, const ModelOutput& wanted,
                 const DeclaredTensor& image) {
  constexpr std::size_t kRank = 3;
  if (output.extents.size() != kRank || output.extents[2] != wanted.channels) return false;
  const std::int64_t cells = output.extents[1];
  const std::int64_t height = image.extents[2];
  const std::int64_t width = image.extents[3];
  if (height < 0 || width < 0 || cells < 0) return true;
  return cells == (height / wanted.stride) * (width / wanted.stride) * wanted.anchors;
}

/// Returns the declared output that is the head's output number `index`, or null.
const DeclaredTensor* find(std::span<const DeclaredTensor> outputs, const ModelOutput& wanted,
                           std::size_t index) {
  if (wanted.name.empty()) return &outputs[index];
  const auto found = std::ranges::find(outputs, wanted.name, &DeclaredTensor::name);
  return found == outputs.end() ? nullptr : &*found;
}

std::vector<ModelOutput> outputs_of(const HeadData& head) {
  std::vector<ModelOutput> all;
  for (const int stride : head.strides)
    for (const HeadOutput& output : head.outputs)
      all.push_back({output.name.empty() ? "" : output.name + std::to_string(stride),
                     output.channels, stride, head.anchors});
  return all;
}

}  // namespace

std::optional<std::vector<ModelOutput>> find_outputs(const HeadData& head,
                                                     const DeclaredTensor& image,
                                                     std::span<const DeclaredTensor> outputs) {
  std::vector<ModelOutput> wanted = outputs_of(head);
  if (outputs.size() != wanted.size()) return std::nullopt;
  const auto holds = head.layout == OutputLayout::planes ? holds_planes : holds_cells;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const DeclaredTensor* const output = find(outputs, wanted[i], i);
    if (output == nullptr || !holds(*output, wanted[i], image)) return std::nullopt;
    wanted[i].name = output->name;
  }
  return wanted;
}

std::vector<std::int64_t> output_extents(OutputLayout layout, const ModelOutput& output,
                                         Size network) {
  if (!output.extents.empty()) return output.extents;
  const int rows = network.height / output.stride;
  const int columns = network.width / output.stride;
  switch (layout) {
    case OutputLayout::planes:
      return {1, std::int64_t{output.anchors} * output.channels, rows, columns};
    case OutputLayout::cells:
      break;
  }
  return {1, std::int64_t{rows} * columns * output.anchors, output.channels};
}

}  // namespace facepipe::detector
