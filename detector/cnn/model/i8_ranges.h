// What a model's tensors hold, measured on pictures: by it an engine places the 256 levels of int8.
//
// A file of ranges is one model's, told by the model's SHA-256, and is JSON:
//
//   {"format": "facepipe i8 ranges 1", "model_sha256": "...", "pictures": ["SHA-256", ...],
//    "tensors": [{"name": "365", "low": 0, "high": 16.8, "channels": [100, 12, ...]}, ...]}
//
// `facepipe calibrate` makes one. Those of CenterFace and YuNet are built in; one beside the model
// takes their place. Files are not trusted: every field is checked, and nothing else may be in one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detector/cnn/model/model.h"

namespace facepipe::detector {

/// The values that pictures gave a tensor which a convolution reads, or an addition.
struct TensorRange {
  std::string name;  ///< as the model's file has it
  float low = 0;     ///< of all channels; at most 0
  float high = 0;    ///< at least 0
  /// Of each channel the largest magnitude, in percent of the tensor's, rounded up: 1..100.
  std::vector<std::uint8_t> channels;

  friend bool operator==(const TensorRange&, const TensorRange&) = default;
};

struct I8Ranges {
  std::string model_sha256;
  std::vector<std::string> pictures;  ///< SHA-256 of each file that was looked at
  std::vector<TensorRange> tensors;   ///< each name once
  std::string origin;                 ///< "built in" or the file's path; not part of the file

  [[nodiscard]] const TensorRange* find(std::string_view name) const;
};

/// Error(device): "i8 ranges ORIGIN: REASON".
[[noreturn]] void refuse_i8_ranges(const std::string& origin, const std::string& reason);

/// Errors: as refuse_i8_ranges(), for what is not as told above or was made for another model than
/// `model_sha256`.
[[nodiscard]] I8Ranges parse_i8_ranges(std::string_view json, const std::string& origin,
                                       std::string_view model_sha256);

/// A line for each tensor; parse_i8_ranges() gives the same again, but for numbers that are
/// rounded.
[[nodiscard]] std::string to_json(const I8Ranges& ranges);

/// Where a model's own file of ranges is looked for: "MODEL.i8.json".
[[nodiscard]] std::filesystem::path i8_ranges_file(const std::filesystem::path& model);

/// The ranges of a model: those of the file beside it, else those that are built in. Errors: as
/// parse_i8_ranges(); device, telling how they are made, where there are none.
[[nodiscard]] I8Ranges find_i8_ranges(const Model& model);

}  // namespace facepipe::detector
