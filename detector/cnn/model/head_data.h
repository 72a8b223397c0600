// What a network gives, as data: decoders on the host and on the device read it.
#pragma once

#include <string>
#include <vector>

namespace facepipe::detector {

/// How the values of a cell become a candidate. head_cells.h has the arithmetic of each kind.
enum class HeadKind { centerface, yunet, scrfd };

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

/// The head of a network. For each stride, a map has (network height / stride) * (network width /
/// stride) places, and each place has `anchors` cells. A cell holds at most one candidate.
struct HeadData {
  HeadKind kind = HeadKind::centerface;
  OutputLayout layout = OutputLayout::planes;
  std::vector<int> strides;  ///< > 0, rising
  /// The outputs of one stride, in the order in which decoders read them.
  std::vector<HeadOutput> outputs;
  int anchors = 1;        ///< >= 1
  bool landmarks = true;  ///< false: candidates have none, and decoders read none
};

}  // namespace facepipe::detector
