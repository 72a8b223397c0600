// Compares two cascades member by member.
#pragma once

#include <gtest/gtest.h>

#include "detector/cascade/model/cascade.h"

namespace facepipe::detector::cascade {

inline bool operator==(const Feature& a, const Feature& b) {
  return a.rects == b.rects && a.rect_count == b.rect_count;
}

inline bool operator==(const Node& a, const Node& b) {
  return a.left == b.left && a.right == b.right && a.feature == b.feature &&
         a.threshold == b.threshold;
}

inline bool operator==(const Tree& a, const Tree& b) {
  return a.first_node == b.first_node && a.node_count == b.node_count &&
         a.first_leaf == b.first_leaf && a.leaf_count == b.leaf_count;
}

inline bool operator==(const Stage& a, const Stage& b) {
  return a.first_tree == b.first_tree && a.tree_count == b.tree_count && a.threshold == b.threshold;
}

/// Expects that the trees of all stages are contiguous, and so are the nodes and leaves of all
/// trees.
inline void expect_in_order(const Cascade& cascade) {
  std::size_t trees = 0;
  for (const Stage& stage : cascade.stages) {
    EXPECT_EQ(stage.first_tree, trees);
    trees += stage.tree_count;
  }
  EXPECT_EQ(trees, cascade.trees.size());
  std::size_t nodes = 0;
  std::size_t leaves = 0;
  for (const Tree& tree : cascade.trees) {
    EXPECT_EQ(tree.first_node, nodes);
    EXPECT_EQ(tree.first_leaf, leaves);
    nodes += tree.node_count;
    leaves += tree.leaf_count;
  }
  EXPECT_EQ(nodes, cascade.nodes.size());
  EXPECT_EQ(leaves, cascade.leaves.size());
}

/// Expects that two cascades are equal, but ignores their hashes.
inline void expect_equal(const Cascade& a, const Cascade& b) {
  EXPECT_EQ(a.window, b.window);
  EXPECT_TRUE(a.stages == b.stages);
  EXPECT_TRUE(a.trees == b.trees);
  EXPECT_TRUE(a.nodes == b.nodes);
  EXPECT_TRUE(a.leaves == b.leaves);
  EXPECT_TRUE(a.features == b.features);
}

}  // namespace facepipe::detector::cascade
