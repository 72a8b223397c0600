// Makes small lumas with known motion: a camera sees a textured background, and patches move in
// front of it.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "track/cpu/luma.h"
#include "track/similarity.h"

namespace facepipe::test {

/// Returns a pseudo-random value from 0 to 1 for a lattice point.
inline float lattice(int x, int y, unsigned seed) {
  std::uint32_t h = static_cast<std::uint32_t>(x) * 374761393U +
                    static_cast<std::uint32_t>(y) * 668265263U + seed * 2246822519U;
  h = (h ^ (h >> 13U)) * 1274126177U;
  return static_cast<float>((h ^ (h >> 16U)) & 0xFFFFU) / 65535.0F;
}

/// Returns noise that changes smoothly between lattice points. The points are `cell` pixels apart.
inline float noise(float x, float y, float cell, unsigned seed) {
  const float u = x / cell;
  const float v = y / cell;
  const int i = static_cast<int>(std::floor(u));
  const int j = static_cast<int>(std::floor(v));
  const auto ease = [](float t) { return t * t * (3 - 2 * t); };
  const float fu = ease(u - static_cast<float>(i));
  const float fv = ease(v - static_cast<float>(j));
  return (1 - fv) * ((1 - fu) * lattice(i, j, seed) + fu * lattice(i + 1, j, seed)) +
         fv * ((1 - fu) * lattice(i, j + 1, seed) + fu * lattice(i + 1, j + 1, seed));
}

/// Returns a grey value from 0 to 255 of a texture with details of several sizes.
inline float texture(float x, float y, unsigned seed) {
  return 255 * (0.4F * noise(x, y, 7, seed) + 0.3F * noise(x, y, 19, seed + 1) +
                0.3F * noise(x, y, 61, seed + 2));
}

/// Describes an object in front of the background. Its texture moves with it.
struct Patch {
  Box box;
  unsigned seed = 0;
};

struct Scene {
  Size picture{320, 240};
  unsigned seed = 1;
  track::Similarity camera{};  ///< moves the background's points to their places in the picture
  std::vector<Patch> patches{};
  float gain = 1;
};

/// Renders a scene. Each sample is the scene's value at the middle of the sample.
inline track::Luma render(const Scene& scene) {
  track::Luma luma{
      scene.picture, {(scene.picture.width + 1) / 2, (scene.picture.height + 1) / 2}, {}};
  const track::Similarity to_background = scene.camera.inverse();
  for (int y = 0; y < luma.size.height; ++y)
    for (int x = 0; x < luma.size.width; ++x) {
      const Point at{2 * static_cast<float>(x) + 1, 2 * static_cast<float>(y) + 1};
      const Point there = to_background(at);
      float grey = texture(there.x, there.y, scene.seed);
      for (const auto& [box, seed] : scene.patches)
        if (at.x >= box.x1 && at.x < box.x2 && at.y >= box.y1 && at.y < box.y2)
          grey = texture(at.x - box.x1, at.y - box.y1, seed);
      luma.samples.push_back(static_cast<std::uint8_t>(std::min(255.0F, scene.gain * grey)));
    }
  return luma;
}

/// Returns a similarity that rotates by `degrees` and scales around `centre`, and then moves by
/// (dx, dy).
inline track::Similarity about(Point centre, float degrees, float scale, float dx, float dy) {
  const float radians = degrees * 3.14159265F / 180;
  track::Similarity s;
  s.a = scale * std::cos(radians);
  s.b = scale * std::sin(radians);
  s.dx = centre.x - s.a * centre.x + s.b * centre.y + dx;
  s.dy = centre.y - s.b * centre.x - s.a * centre.y + dy;
  return s;
}

}  // namespace facepipe::test
