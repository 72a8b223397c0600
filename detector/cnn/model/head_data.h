// What a network gives, as data: decoders on the host and on the device read it.
#pragma once

#include <string>
#include <vector>

namespace facepipe::detector {

/// How the values of a cell become a candidate. head_cells.h has the arithmetic of each kind.
enum class HeadKind { centerface, yunet, scrfd, yolo_dfl, yolo_anchors, retinaface };

/// Tells how an output holds its cells.
enum class OutputLayout {
  planes,  ///< 1 x (anchors * channels) x rows x columns
  cells,   ///< 1 x cells x channels; places in raster order, the cells of a place together
};

/// One output of each stride.
struct HeadOutput {
  int channels = 0;  ///< floats of a cell
  /// The output of stride S is called NAME + S. It is empty if outputs are known by their order in
  /// the file.
  std::string name{};
};

/// The size of an anchor, in pixels of the network's input.
struct AnchorSize {
  float width = 0;
  float height = 0;

  friend bool operator==(const AnchorSize&, const AnchorSize&) = default;
};

/// Numbers that the arithmetic of some kinds of heads needs. Kernels take them as they are.
struct HeadNumbers {
  int classes = 1;               ///< of a cell, >= 1; the score is that of the best one
  int bins = 16;                 ///< numbers of a distribution, >= 1
  int points = 5;                ///< landmarks of a cell in the tensors
  int point_values = 2;          ///< 3 if each landmark has a score, which decoders don't read
  float centre_variance = 0.1F;  ///< by which centres are multiplied, in sizes of the anchor
  float size_variance = 0.2F;    ///< by which the logarithms of sizes are multiplied
};

/// The head of a network. For each stride, a map has (network height / stride) * (network width /
/// stride) places, and each place has `anchors` cells. A cell holds at most one candidate.
struct HeadData {
  HeadKind kind = HeadKind::centerface;
  OutputLayout layout = OutputLayout::planes;
  std::vector<int> strides;  ///< > 0, rising
  /// The outputs of one stride, in the order in which decoders read them.
  std::vector<HeadOutput> outputs;
  int anchors = 1;  ///< >= 1
  /// The sizes of the anchors for each stride. It is empty for kinds of heads without sizes.
  std::vector<std::vector<AnchorSize>> anchor_sizes{};
  HeadNumbers numbers{};
  bool landmarks = true;  ///< false: candidates have none, and decoders read none
};

}  // namespace facepipe::detector
