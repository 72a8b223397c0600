// A detector of aggregate channel features as its JSON file holds it: trees of depth 2 over the
// cells of a window.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry.h"

namespace facepipe::detector::acf {

/// Sums of leaves, and what is compared with them, are whole numbers of 1 / kUnit: so the order in
/// which they are added doesn't matter.
inline constexpr std::int32_t kUnit = 65536;

/// Three decisions: left where the cell at `features` is < threshold, else right; the second is the
/// left child's, the third the right child's. Leaves from left to right.
/// A feature is channel * cells of the window + column * its rows + row, as the authors' files have
/// it.
struct Tree {
  std::array<std::uint32_t, 3> features{};
  std::array<float, 3> thresholds{};
  std::array<std::int32_t, 4> leaves{};
  friend bool operator==(const Tree&, const Tree&) = default;
};

/// A window of which the first n trees' leaves sum up to `threshold` or less is out, for any n.
struct Model {
  std::string class_name;  ///< what it finds: "face", "pedestrian"
  Size object;             ///< in pixels of a scale; at least 16 each way
  Size window;             ///< with what surrounds it: multiples of 4, at most 512 each way
  Size padding;            ///< of each scale, on all sides, in pixels: multiples of 4
  /// Channels at scale s from those at scale r: times (s / r)^-lambda. Of colours, of magnitudes,
  /// of histograms.
  std::array<double, 3> lambdas{};
  std::int32_t threshold = 0;  ///< in units of 1 / kUnit
  double steepness = 1;        ///< of a score: a in 1 / (1 + exp(-a (h - b))), > 0
  double middle = 0;           ///< b; the sum that gets the score 0.5, in units of 1
  std::vector<Tree> trees;     ///< 1..65536
  std::string sha256;          ///< of the file, lower-case hex

  [[nodiscard]] Size window_cells() const;
};

/// Whether bytes of a model file are JSON: then only read_model() can make anything of them.
[[nodiscard]] bool looks_like_json(std::string_view bytes);

/// The same of a file, of which no more is read than that needs. False for what is no regular file
/// or can't be read: whoever reads it tells why.
[[nodiscard]] bool is_json_file(const std::filesystem::path& file);

/// Reads a file of version 1, as data/train-acf and data/acf-from-mat write it (README.md beside
/// this header tells what is in it).
/// Errors: as refuse_model(), for a file that read_model_file() refuses, of more than 16 MiB; that
/// is no JSON, cut, or JSON of something else; in which something is missing, unknown, of another
/// type, out of range or not finite; other channels or another pyramid than ours; features outside
/// of the window; leaves whose sum could exceed 2^31.
[[nodiscard]] Model read_model(const std::filesystem::path& file);

}  // namespace facepipe::detector::acf
