// A detector of aggregate channel features as its JSON file describes it: trees of depth 2 that
// look at the cells of a window.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry.h"

namespace facepipe::detector::acf {

/// Sums of leaves, and what they are compared with, are whole numbers of 1 / kUnit. So the order of
/// adding doesn't matter.
inline constexpr std::int32_t kUnit = 65536;

/// A tree makes three decisions. Each goes left if the cell at `features` is < threshold, else
/// right. The first decision is the root's, the second the left child's, the third the right
/// child's. `leaves` are ordered from left to right. A feature is channel * cells of the window +
/// column * its rows + row, as in the authors' files.
struct Tree {
  std::array<std::uint32_t, 3> features{};
  std::array<float, 3> thresholds{};
  std::array<std::int32_t, 4> leaves{};
  friend bool operator==(const Tree&, const Tree&) = default;
};

/// A window is out if, for any n, the leaves of its first n trees sum up to `threshold` or less.
struct Model {
  std::string class_name;  ///< what the model finds: "face", "pedestrian"
  Size object;             ///< size in pixels of a scale; at least 16 each way
  /// the object and what surrounds it, in pixels: multiples of 4, at most 512 each way
  Size window;
  Size padding;  ///< in pixels, on all sides of each scale: multiples of 4
  /// The channels at scale s are those at scale r times (s / r)^-lambda. There is one lambda each
  /// for colours, magnitudes and histograms.
  std::array<double, 3> lambdas{};
  std::int32_t threshold = 0;  ///< in units of 1 / kUnit
  double steepness = 1;        ///< a > 0 of the score 1 / (1 + exp(-a (h - b)))
  double middle = 0;           ///< b, the sum whose score is 0.5, in units of 1
  std::vector<Tree> trees;     ///< 1..65536 trees
  std::string sha256;          ///< of the file's bytes, in lower-case hex

  [[nodiscard]] Size window_cells() const;
};

/// Tells whether bytes of a model file are JSON. Only read_model() can then read the file.
[[nodiscard]] bool looks_like_json(std::string_view bytes);

/// Tells the same about a file, and reads no more of it than needed. Returns false for a file that
/// is not regular or can't be read: whoever reads it later reports why.
[[nodiscard]] bool is_json_file(const std::filesystem::path& file);

/// Reads a file of version 1, as experiments/training/train-acf and data/acf-from-mat write it.
/// README.md beside this header describes the format. Throws the error of refuse_model() for a file
/// * that read_model_file() refuses, or that is larger than 16 MiB;
/// * that is no JSON, is cut off, or is JSON of another kind;
/// * in which something is missing, unknown, of another type, out of range or not finite;
/// * that has other channels or another pyramid than ours;
/// * that has features outside of the window, or leaves whose sum could reach 2^31.
[[nodiscard]] Model read_model(const std::filesystem::path& file);

}  // namespace facepipe::detector::acf
