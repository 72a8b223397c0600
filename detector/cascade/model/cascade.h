// Describes a cascade of boosted classifiers (Viola and Jones 2001), and reads it from OpenCV's XML
// files.
//
// A window slides over a picture. Each stage consists of a few or of hundreds of Haar features, and
// accepts or rejects the window. The first stages reject almost all windows.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry.h"

namespace facepipe::detector::cascade {

/// Describes a rectangle that lies wholly within the window, in the window's pixels.
struct WeightedRect {
  int x = 0;
  int y = 0;
  int width = 0;   ///< > 0
  int height = 0;  ///< > 0
  int weight = 0;  ///< not 0
  friend bool operator==(const WeightedRect&, const WeightedRect&) = default;
};

/// The value of a feature is a sum, multiplied by the window's 1 / deviation. Each rectangle adds
/// the sum of its grey levels, multiplied by its weight. The total is an integer whose magnitude is
/// below 2^24.
struct Feature {
  std::array<WeightedRect, 3> rects{};
  int rect_count = 0;  ///< 2 or 3
};

/// A decision goes left if the feature's value is < threshold, otherwise right. A child > 0 is a
/// node of the same tree, and comes after its parent. A child <= 0 is leaf number -child of the
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

/// A window passes a stage if the sum of its trees' leaves is >= threshold. The leaves are added as
/// doubles, in the order of the trees.
struct Stage {
  std::uint32_t first_tree = 0;  ///< index in Cascade::trees
  std::uint32_t tree_count = 0;  ///< > 0
  float threshold = 0;           ///< the file's threshold as a float, minus 1e-5F
};

struct Cascade {
  Size window;  ///< in pixels at scale 1; 3..128 in each direction
  std::vector<Stage> stages;
  std::vector<Tree> trees;    ///< trees of all stages, in the stages' order
  std::vector<Node> nodes;    ///< nodes of all trees, in the trees' order
  std::vector<float> leaves;  ///< leaves of all trees, in the trees' order
  std::vector<Feature> features;
  std::string sha256;  ///< SHA-256 of the file's bytes, in lower-case hex

  [[nodiscard]] bool only_stumps() const { return nodes.size() == trees.size(); }
};

/// Returns whether the bytes of a model file are XML. If not, read_cascade() can't read the file.
[[nodiscard]] bool looks_like_xml(std::string_view bytes);

/// Returns whether a file is XML, like looks_like_xml(). Reads no more of the file than needed.
/// Returns false if the file is not regular or can't be read. The function that reads the file
/// later reports the reason.
[[nodiscard]] bool is_xml_file(const std::filesystem::path& file);

/// Reads OpenCV's new format (opencv_traincascade's, with Haar features) and its old format
/// (haartraining's, "opencv-haar-classifier"). Stages follow each other in the file's order:
/// `parent` and `next`, which arrange stages in a tree, are ignored, as in OpenCV 4. Throws the
/// error of refuse_model() for a file
/// * that read_model_file() refuses, or that is larger than 64 MiB;
/// * that is not XML in one of these formats, is truncated, or contradicts itself;
/// * with tilted features, LBP or HOG;
/// * with weights that are 0 or not whole, or with which a feature's sum could reach 2^24;
/// * with numbers that are not finite, or with leaves or stages' thresholds beyond 1e9;
/// * with more than 1,000 stages, 200,000 nodes or 200,000 features.
[[nodiscard]] Cascade read_cascade(const std::filesystem::path& file);

}  // namespace facepipe::detector::cascade
