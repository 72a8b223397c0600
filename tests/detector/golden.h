// Reads the golden file, which holds results of onnxruntime and numpy. bench/golden/make_golden.py
// writes it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/geometry.h"
#include "tests/detector/files.h"

namespace facepipe::test {

class Golden {
 public:
  explicit Golden(nlohmann::json json) : json_(std::move(json)) {}

  [[nodiscard]] const nlohmann::json& model(const std::string& kind) const {
    for (const nlohmann::json& model : json_.at("models"))
      if (model.at("kind") == kind) return model;
    throw std::out_of_range("no golden values for " + kind);
  }
  [[nodiscard]] std::size_t sample_step() const { return json_.at("sample_step"); }
  [[nodiscard]] std::string picture_sha256() const { return json_.at("picture_sha256"); }

 private:
  nlohmann::json json_;
};

inline Golden read_golden() {
  std::ifstream stream(golden_file());
  return Golden(nlohmann::json::parse(stream));
}

/// Fills three planes with curved stripes. The values equal those of bench/golden/pattern.py.
inline void fill_pattern(std::span<std::uint8_t> planes, Size size) {
  std::size_t i = 0;
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        planes[i++] = static_cast<std::uint8_t>(
            (((3 * x * x + 5 * y * y + 7 * x * y) >> 4) + 41 * c * (x + y)) & 255);
}

}  // namespace facepipe::test
