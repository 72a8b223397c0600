// A cascade of boosted classifiers (Viola and Jones 2001) as OpenCV's XML files hold it.
//
// A window slides over a picture, and each of its stages, a few Haar features or hundreds, lets it
// pass or not: almost all windows are out after the first ones.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry.h"

namespace facepipe::detector::cascade {

/// In pixels of the window, wholly inside of it.
struct WeightedRect {
  int x = 0;
  int y = 0;
  int width = 0;   ///< > 0
  int height = 0;  ///< > 0
  int weight = 0;  ///< not 0
  friend bool operator==(const WeightedRect&, const WeightedRect&) = default;
};

/// Its value is the sum over its rectangles of weight * sum of the grey levels, an integer below
/// 2^24, times the window's 1 / deviation.
struct Feature {
  std::array<WeightedRect, 3> rects{};
  int rect_count = 0;  ///< 2 or 3
};

/// A decision: left where the feature's value < threshold, else right. A child > 0 is a node of the
/// same tree, and comes after its parent; a child <= 0 is leaf number -child of the tree.
struct Node {
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::uint32_t feature = 0;
  float threshold = 0;
};

/// Node 0 is the root. One of a single node is a stump.
struct Tree {
  std::uint32_t first_node = 0;  ///< in Cascade::nodes
  std::uint32_t node_count = 0;  ///< > 0
  std::uint32_t first_leaf = 0;  ///< in Cascade::leaves
  std::uint32_t leaf_count = 0;  ///< node_count + 1
};

/// Passed unless the sum of its trees' leaves, added in their order as doubles, is < threshold.
struct Stage {
  std::uint32_t first_tree = 0;  ///< in Cascade::trees
  std::uint32_t tree_count = 0;  ///< > 0
  float threshold = 0;           ///< the file's, as float, less 1e-5F
};

struct Cascade {
  Size window;  ///< pixels at scale 1; 3..128 each way
  std::vector<Stage> stages;
  std::vector<Tree> trees;    ///< of all stages, in their order
  std::vector<Node> nodes;    ///< of all trees, in their order
  std::vector<float> leaves;  ///< of all trees, in their order
  std::vector<Feature> features;
  std::string sha256;  ///< of the file, lower-case hex

  [[nodiscard]] bool only_stumps() const { return nodes.size() == trees.size(); }
};

/// Whether bytes of a model file are XML: then only read_cascade() can make anything of them.
[[nodiscard]] bool looks_like_xml(std::string_view bytes);

/// The same of a file, of which no more is read than that needs. False for what is no regular file
/// or can't be read: whoever reads it tells why.
[[nodiscard]] bool is_xml_file(const std::filesystem::path& file);

/// Reads OpenCV's new format (opencv_traincascade's, Haar features) and its old one
/// (haartraining's, "opencv-haar-classifier"). `parent` and `next` of stages in a tree of them are
/// ignored, as OpenCV 4 does: the stages follow each other in a row.
/// Errors: as refuse_model(), for a file that read_model_file() refuses; that is no such XML, cut
/// or contradicts itself; with tilted features, LBP or HOG; weights that are no whole numbers
/// or 0, or with which a feature's sum could reach 2^24; numbers that are not finite; leaves or
/// stages' thresholds beyond 1e9; more than 1,000 stages, 200,000 nodes or as many features; files
/// of more than 64 MiB.
[[nodiscard]] Cascade read_cascade(const std::filesystem::path& file);

}  // namespace facepipe::detector::cascade
