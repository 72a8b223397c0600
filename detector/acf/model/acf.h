// Describes a detector of aggregate channel features, and reads it from its JSON file. The detector
// consists of trees of depth 2, which compare cells of a window.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry.h"

namespace facepipe::detector::acf {

/// Sums of leaves, and the values with which they are compared, are whole numbers in units of 1 /
/// kUnit. So the order of the additions doesn't matter.
inline constexpr std::int32_t kUnit = 65536;

/// A tree makes three decisions. Each decision goes left if the cell at `features` is < threshold,
/// otherwise right. The first decision is the root's, the second is the left child's, and the third
/// is the right child's. `leaves` are ordered from left to right. A feature is channel * C + column
/// * R + row, as in the authors' files. C is the window's number of cells in a channel, and R is
/// its number of rows.
struct Tree {
  std::array<std::uint32_t, 3> features{};
  std::array<float, 3> thresholds{};
  std::array<std::int32_t, 4> leaves{};
  friend bool operator==(const Tree&, const Tree&) = default;
};

/// A window is rejected if, for any n, the sum of the leaves of its first n trees is `threshold` or
/// less.
struct Model {
  std::string class_name;  ///< what the model finds: "face", "pedestrian"
  Size object;             ///< size in pixels of a scale; at least 16 in each direction
  /// size of the object and its surroundings, in pixels: multiples of 4, at most 512 in each
  /// direction
  Size window;
  Size padding;  ///< padding in pixels, on all sides of each scale: multiples of 4
  /// The channels at scale s are the channels at scale r times (s / r)^-lambda. Colours, magnitudes
  /// and histograms each have their own lambda.
  std::array<double, 3> lambdas{};
  std::int32_t threshold = 0;  ///< in units of 1 / kUnit
  double steepness = 1;        ///< a of the score 1 / (1 + exp(-a (h - b))); > 0
  double middle = 0;           ///< b, the sum whose score is 0.5, in units of 1
  std::vector<Tree> trees;     ///< 1..65536 trees
  std::string sha256;          ///< SHA-256 of the file's bytes, in lower-case hex

  [[nodiscard]] Size window_cells() const;
};

/// Returns whether the bytes of a model file are JSON. If not, read_model() can't read the file.
[[nodiscard]] bool looks_like_json(std::string_view bytes);

/// Returns whether a file is JSON, like looks_like_json(). Reads no more of the file than needed.
/// Returns false if the file is not regular or can't be read. The function that reads the file
/// later reports the reason.
[[nodiscard]] bool is_json_file(const std::filesystem::path& file);

/// Reads a file of version 1, as experiments/training/train-acf and data/acf-from-mat write it.
/// README.md in this folder describes the format. Throws the error of refuse_model() for a file
/// * that read_model_file() refuses, or that is larger than 16 MiB;
/// * that is not JSON, is truncated, or is JSON of another kind;
/// * in which something is missing, unknown, of another type, out of range or not finite;
/// * that has other channels or another pyramid than ours;
/// * that has features outside of the window, or leaves whose sum could reach 2^31.
[[nodiscard]] Model read_model(const std::filesystem::path& file);

}  // namespace facepipe::detector::acf
