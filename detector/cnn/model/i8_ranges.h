// Reads and writes the ranges of values in a model's tensors, which were measured on pictures. An
// engine uses them to place the 256 levels of int8.
//
// A file of ranges belongs to one model, which it names by the model's SHA-256. It is JSON:
//
//   {"format": "facepipe i8 ranges 1", "model_sha256": "...", "pictures": ["SHA-256", ...],
//    "tensors": [{"name": "365", "low": 0, "high": 16.8, "channels": [100, 12, ...]}, ...]}
//
// `facepipe calibrate` makes such a file. The ranges of CenterFace and YuNet are built in; a file
// beside the model replaces them. Files are not trusted: every field is checked, and other fields
// are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detector/cnn/model/model.h"

namespace facepipe::detector {

/// Describes the values of a tensor for the measured pictures. A convolution or an addition reads
/// the tensor.
struct TensorRange {
  std::string name;  ///< the name in the model's file
  float low = 0;     ///< least value of all channels; at most 0
  float high = 0;    ///< greatest value of all channels; at least 0
  /// The largest magnitude of each channel, in percent of the tensor's largest magnitude, rounded
  /// up: 1..100.
  std::vector<std::uint8_t> channels;

  friend bool operator==(const TensorRange&, const TensorRange&) = default;
};

struct I8Ranges {
  std::string model_sha256;
  std::vector<std::string> pictures;  ///< SHA-256 of each file that was measured
  std::vector<TensorRange> tensors;   ///< each name appears once
  std::string origin;                 ///< "built in" or the file's path; not part of the file

  [[nodiscard]] const TensorRange* find(std::string_view name) const;
};

/// Throws Error(device): "i8 ranges ORIGIN: REASON".
[[noreturn]] void refuse_i8_ranges(const std::string& origin, const std::string& reason);

/// Reads the content of a file. Throws the error of refuse_i8_ranges() if the file doesn't have the
/// format above, or was made for another model than `model_sha256`.
[[nodiscard]] I8Ranges parse_i8_ranges(std::string_view json, const std::string& origin,
                                       std::string_view model_sha256);

/// Writes a line for each tensor. parse_i8_ranges() reads the same ranges again, except that
/// numbers are rounded.
[[nodiscard]] std::string to_json(const I8Ranges& ranges);

/// Returns where a model's own file of ranges is expected: "MODEL.i8.json".
[[nodiscard]] std::filesystem::path i8_ranges_file(const std::filesystem::path& model);

/// Returns the ranges of a model from the file beside it. If there is no such file, returns the
/// built-in ranges. Throws the errors of parse_i8_ranges(). Throws Error(device), with the command
/// that makes ranges, if there are none.
[[nodiscard]] I8Ranges find_i8_ranges(const Model& model);

}  // namespace facepipe::detector
