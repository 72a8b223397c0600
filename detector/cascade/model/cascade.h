// A cascade of boosted classifiers (Viola and Jones 2001), as OpenCV's XML files describe it.
//
// A window slides over a picture. Each stage consists of a few Haar features, or of hundreds, and
// lets the window pass or not. Almost all windows are out after the first stages.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry.h"

namespace facepipe::detector::cascade {

/// A rectangle wholly inside of the window, in the window's pixels.
struct WeightedRect {
  int x = 0;
  int y = 0;
  int width = 0;   ///< > 0
  int height = 0;  ///< > 0
  int weight = 0;  ///< not 0
  friend bool operator==(const WeightedRect&, const WeightedRect&) = default;
};

/// The value of a feature is a sum times the window's 1 / deviation. Each rectangle adds its weight
/// times the sum of its grey levels; the total is an integer below 2^24.
struct Feature {
  std::array<WeightedRect, 3> rects{};
  int rect_count = 0;  ///< 2 or 3
};

/// A decision. It goes left if the feature's value is < threshold, else right. A child > 0 is a
/// node of the same tree, which comes after its parent. A child <= 0 is leaf number -child of the
/// tree.
struct Node {
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::uint32_t feature = 0;
  float threshold = 0;
};

/// Node 0 is the root. A tree with a single node is a stump.
struct Tree {
  std::uint32_t first_node = 0;  ///< index in Cascade::nodes
  std::uint32_t node_count = 0;  ///< > 0
  std::uint32_t first_leaf = 0;  ///< index in Cascade::leaves
  std::uint32_t leaf_count = 0;  ///< node_count + 1
};

/// A window passes a stage unless the sum of the leaves of its trees is < threshold. The leaves are
/// added as doubles, in the order of the trees.
struct Stage {
  std::uint32_t first_tree = 0;  ///< index in Cascade::trees
  std::uint32_t tree_count = 0;  ///< > 0
  float threshold = 0;           ///< the file's threshold as a float, less 1e-5F
};

struct Cascade {
  Size window;  ///< in pixels at scale 1; 3..128 each way
  std::vector<Stage> stages;
  std::vector<Tree> trees;    ///< trees of all stages, in the stages' order
  std::vector<Node> nodes;    ///< nodes of all trees, in the trees' order
  std::vector<float> leaves;  ///< leaves of all trees, in the trees' order
  std::vector<Feature> features;
  std::string sha256;  ///< of the file's bytes, in lower-case hex

  [[nodiscard]] bool only_stumps() const { return nodes.size() == trees.size(); }
};

/// Tells whether bytes of a model file are XML. Only read_cascade() can then read the file.
[[nodiscard]] bool looks_like_xml(std::string_view bytes);

/// Tells the same about a file, and reads no more of it than needed. Returns false for a file that
/// is not regular or can't be read: whoever reads it later reports why.
[[nodiscard]] bool is_xml_file(const std::filesystem::path& file);

/// Reads OpenCV's new format (opencv_traincascade's, with Haar features) and its old one
/// (haartraining's, "opencv-haar-classifier"). The stages form a row: `parent` and `next`, which
/// arrange stages in a tree, are ignored, as in OpenCV 4. Throws the error of refuse_model() for a
/// file
/// * that read_model_file() refuses, or that is larger than 64 MiB;
/// * that is no such XML, is cut off, or contradicts itself;
/// * with tilted features, LBP or HOG;
/// * with weights that are 0 or not whole, or with which a feature's sum could reach 2^24;
/// * with numbers that are not finite, or with leaves or stages' thresholds beyond 1e9;
/// * with more than 1,000 stages, 200,000 nodes or 200,000 features.
[[nodiscard]] Cascade read_cascade(const std::filesystem::path& file);

}  // namespace facepipe::detector::cascade
