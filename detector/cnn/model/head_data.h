// Describes a network's outputs as data, which decoders on the host and on the device read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace facepipe::detector {

/// Says how the values of a cell become a candidate. head_cells.h has the arithmetic of each kind,
/// and box_rows.h that of boxes, which have no cells.
enum class HeadKind { centerface, yunet, scrfd, yolo_dfl, yolo_anchors, retinaface, boxes };

/// Says how an output holds its cells.
enum class OutputLayout {
  planes,  ///< 1 x (anchors * channels) x rows x columns
  cells,   ///< 1 x cells x channels; places in raster order, the cells of a place together
};

/// Describes one output of each stride.
struct HeadOutput {
  int channels = 0;  ///< number of floats of a cell
  /// The output of stride S has the name NAME + S. Empty if outputs are identified by their order
  /// in the file.
  std::string name{};
};

/// Holds the size of an anchor, in pixels of the network's input.
struct AnchorSize {
  float width = 0;
  float height = 0;

  friend bool operator==(const AnchorSize&, const AnchorSize&) = default;
};

/// Holds numbers for the arithmetic of some kinds of heads. Kernels take this struct as an
/// argument.
struct HeadNumbers {
  int classes = 1;               ///< classes of a cell, >= 1; the best one gives the score
  int bins = 16;                 ///< number of values of a distribution, >= 1
  int points = 5;                ///< number of landmarks of a cell in the tensors
  int point_values = 2;          ///< 3 if each landmark has a score, which decoders don't read
  float centre_variance = 0.1F;  ///< factor of centres, which are in sizes of the anchor
  float size_variance = 0.2F;    ///< factor of the logarithms of sizes
};

/// Identifies a number of a row: the channel of an output.
struct RowPlace {
  std::size_t output = 0;
  int channel = 0;
};

/// Describes rows of boxes that the network itself has decoded.
struct BoxRows {
  bool centred = false;  ///< whether a box is its centre and size; otherwise two corners
  bool logits = false;   ///< whether scores are logits
  RowPlace box;          ///< first of four numbers, in pixels of the network's input
  RowPlace score;        ///< first of `scores` numbers
  int scores = 1;        ///< if there are several, each class has one
  std::optional<RowPlace> its_class;  ///< the number of the class, if a row has one score
  /// For each class of the file: its number among the classes that facepipe looks for, or -1 if the
  /// class is ignored.
  std::vector<int> classes;
};

/// Describes the head of a network. For each stride, a map has (network height / stride) * (network
/// width / stride) places, and each place has `anchors` cells. A cell holds at most one candidate.
struct HeadData {
  HeadKind kind = HeadKind::centerface;
  OutputLayout layout = OutputLayout::planes;
  std::vector<int> strides;  ///< > 0, ascending
  /// The outputs of one stride, in the order in which decoders read them.
  std::vector<HeadOutput> outputs;
  int anchors = 1;  ///< >= 1
  /// The sizes of the anchors for each stride. Empty for kinds of heads without sizes.
  std::vector<std::vector<AnchorSize>> anchor_sizes{};
  HeadNumbers numbers{};
  BoxRows rows{};         ///< only for the kind boxes, whose `strides` are {1}
  bool landmarks = true;  ///< false: candidates have no landmarks, and decoders read none
};

}  // namespace facepipe::detector
