// Cascades in OpenCV's XML: what is accepted can be scanned.
#include "detector/cascade/model/cascade.h"

#include <utility>
#include <vector>

#include "detector/cascade/cpu/scan.h"
#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {
namespace {

namespace cascade = detector::cascade;

/// Checks what Cascade promises. A scan relies on it: it follows indices without checking again.
void check(const cascade::Cascade& read) {
  for (const cascade::Stage& stage : read.stages)
    require(stage.tree_count > 0 && stage.first_tree + stage.tree_count <= read.trees.size(),
            "a stage has trees that don't exist");
  for (const cascade::Tree& tree : read.trees) {
    require(tree.node_count > 0 && tree.first_node + tree.node_count <= read.nodes.size() &&
                tree.leaf_count == tree.node_count + 1 &&
                tree.first_leaf + tree.leaf_count <= read.leaves.size(),
            "a tree has nodes or leaves that don't exist");
    for (std::uint32_t i = 0; i < tree.node_count; ++i) {
      const cascade::Node& node = read.nodes[tree.first_node + i];
      require(node.feature < read.features.size(), "a node has a feature that doesn't exist");
      for (const std::int64_t child : {node.left, node.right})
        require(child > 0 ? std::cmp_greater(child, i) && std::cmp_less(child, tree.node_count)
                          : std::cmp_less(-child, tree.leaf_count),
                "a node has a child that doesn't exist");
    }
  }
}

/// Scans a grey picture, in which the window fits a few times.
void scan(cascade::Cascade read) {
  const Size picture{read.window.width + 5, read.window.height + 3};
  const auto levels = cascade::plan_levels(read.window, picture, {});
  const cascade::Scanner scanner(std::move(read));
  cascade::ScanMemory memory;
  for (const cascade::Level& level : levels) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(level.size.width) *
                                     static_cast<std::size_t>(level.size.height));
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 37);
    std::vector<cascade::Place> passed;
    scanner.scan(level, {pixels.data(), level.size.width, level.size}, 0, level.places.height,
                 memory, passed);
    for (const cascade::Place& place : passed)
      require(place.x <= picture.width && place.y <= picture.height,
              "a window lies outside of the picture");
  }
}

}  // namespace

void fuzz_cascade(Bytes input) {
  static const MemoryFile file;
  file.hold(text_of(input));
  auto read = parsed(ErrorKind::device, [&] { return cascade::read_cascade(file.path()); });
  if (!read) return;
  check(*read);
  scan(std::move(*read));
}

}  // namespace facepipe::fuzz
