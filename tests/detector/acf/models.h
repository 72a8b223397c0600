// Makes models for tests, and writes them to files.
#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "detector/acf/model/acf.h"

namespace facepipe::test {

/// Returns a model for an object of 20x26 pixels in a window of 28x36, padded by 4x8. In any
/// picture, some windows pass many of its `count` trees.
inline detector::acf::Model small_model(std::size_t count, unsigned seed) {
  detector::acf::Model model;
  model.class_name = "thing";
  model.object = {20, 26};
  model.window = {28, 36};
  model.padding = {4, 8};
  model.lambdas = {0, .125, .25};
  model.threshold = -detector::acf::kUnit;
  model.steepness = 0.5;
  model.middle = 1.5;
  std::mt19937 bits(seed);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(bits() % end); };
  for (std::size_t i = 0; i < count; ++i) {
    detector::acf::Tree& tree = model.trees.emplace_back();
    for (std::size_t node = 0; node < 3; ++node) {
      tree.features[node] = below(7 * 9 * 10);
      const bool is_color = tree.features[node] < 7 * 9 * 3;
      // Thresholds are multiples of 1/64, so that cells which are multiples of 1/64 can equal them
      // exactly.
      tree.thresholds[node] = static_cast<float>(below(is_color ? 40 : 12)) / 64;
    }
    for (std::int32_t& leaf : tree.leaves)
      leaf = static_cast<std::int32_t>(below(detector::acf::kUnit)) - detector::acf::kUnit * 7 / 16;
  }
  return model;
}

inline nlohmann::ordered_json json_of(const detector::acf::Model& model) {
  nlohmann::ordered_json json = {
      {"format", "facepipe-acf"},
      {"version", 1},
      {"class", model.class_name},
      {"channels",
       {{"colors", "luv"},
        {"shrink", 4},
        {"orientations", 6},
        {"normalization_radius", 5},
        {"normalization_constant", .005}}},
      {"pyramid", {{"per_octave", 8}, {"approximated", 7}, {"lambdas", model.lambdas}}},
      {"window",
       {{"width", model.object.width},
        {"height", model.object.height},
        {"padded_width", model.window.width},
        {"padded_height", model.window.height}}},
      {"padding", {{"x", model.padding.width}, {"y", model.padding.height}}},
      {"stride", 4},
      {"unit", detector::acf::kUnit},
      {"threshold", model.threshold},
      {"score", {{"a", model.steepness}, {"b", model.middle}}}};
  for (const char* name : {"f", "t", "h"}) json["trees"][name] = nlohmann::ordered_json::array();
  for (const detector::acf::Tree& tree : model.trees) {
    json["trees"]["f"].push_back(tree.features);
    json["trees"]["t"].push_back(tree.thresholds);
    json["trees"]["h"].push_back(tree.leaves);
  }
  return json;
}

}  // namespace facepipe::test
