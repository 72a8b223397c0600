// Makes frames in memory for tests. The frames can have any format, contain noise, and have padded
// rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "core/frame.h"

namespace facepipe::test {

using PlaneBytes = std::array<std::vector<std::byte>, 4>;

struct FrameSpec {
  PixelFormat format;
  Size size;
  Orientation orientation{};
  ColorInfo color{};
  FieldOrder field_order = FieldOrder::progressive;
  bool alpha = false;
};

/// Returns the bytes of all planes, with the padding.
inline PlaneBytes& bytes_of(const Frame& frame) {
  return *static_cast<PlaneBytes*>(frame.owner.get());
}

/// Returns the number of samples in a row of plane `p`, or 0 if the format has no such plane.
inline int row_samples(const Frame& frame, std::size_t p, bool alpha) {
  if (p == 0) return frame.size.width;
  if (p == 3) return alpha ? frame.size.width : 0;
  if (!frame.format.has_chroma) return 0;
  if (!frame.format.semi_planar) return frame.chroma_size().width;
  return p == 1 ? 2 * frame.chroma_size().width : 0;
}

inline int rows(const Frame& frame, std::size_t p) {
  return p == 0 || p == 3 ? frame.size.height : frame.chroma_size().height;
}

/// Returns a frame of random bytes. Samples of 9 to 15 bits are within their range. Each row has at
/// least 13 bytes of padding.
inline Frame make_noise_frame(const FrameSpec& spec, unsigned seed) {
  Frame frame;
  frame.format = spec.format;
  frame.format.has_alpha = spec.alpha;
  frame.size = spec.size;
  frame.orientation = spec.orientation;
  frame.color = spec.color;
  frame.field_order = spec.field_order;
  frame.owner = std::make_shared<PlaneBytes>();
  std::mt19937 random(seed);
  for (std::size_t p = 0; p < 4; ++p) {
    const int samples = row_samples(frame, p, spec.alpha);
    if (samples == 0) continue;
    const int stride = (samples * spec.format.bytes_per_sample() + 13 + 1) / 2 * 2;
    std::vector<std::byte>& bytes = bytes_of(frame)[p];
    bytes.resize(static_cast<std::size_t>(stride) * static_cast<std::size_t>(rows(frame, p)));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xFFU);
    if (spec.format.bytes_per_sample() == 2)
      for (std::size_t i = 0; i < bytes.size(); i += 2) {
        const auto value = static_cast<std::uint16_t>((random() & ((1U << spec.format.bits) - 1))
                                                      << spec.format.shift);
        std::memcpy(&bytes[i], &value, 2);
      }
    frame.planes[p] = {bytes.data(), stride};
  }
  return frame;
}

/// Returns the number of padding bytes that differ between two frames.
inline int wrong_padding(const Frame& before, const Frame& after, bool alpha) {
  int wrong = 0;
  for (std::size_t p = 0; p < 4; ++p) {
    const int used = row_samples(after, p, alpha) * after.format.bytes_per_sample();
    if (used == 0) continue;
    for (int y = 0; y < rows(after, p); ++y)
      for (auto i = static_cast<std::ptrdiff_t>(used); i < after.planes[p].stride; ++i) {
        const std::ptrdiff_t at = y * after.planes[p].stride + i;
        wrong += before.planes[p].data[at] != after.planes[p].data[at] ? 1 : 0;
      }
  }
  return wrong;
}

/// Returns the sample of plane `p` in column `x` and row `y`, as it is in memory. Columns are
/// counted in samples.
inline unsigned raw_sample(const Frame& frame, std::size_t p, int x, int y) {
  const std::byte* row = frame.planes[p].data + y * frame.planes[p].stride;
  if (frame.format.bytes_per_sample() == 1) return std::to_integer<unsigned>(row[x]);
  std::uint16_t value = 0;
  std::memcpy(&value, row + 2 * static_cast<std::ptrdiff_t>(x), 2);
  return value;
}

inline void set_raw_sample(Frame& frame, std::size_t p, int x, int y, unsigned value) {
  std::byte* row = frame.planes[p].data + y * frame.planes[p].stride;
  if (frame.format.bytes_per_sample() == 1) {
    row[x] = static_cast<std::byte>(value);
  } else {
    const auto word = static_cast<std::uint16_t>(value);
    std::memcpy(row + 2 * static_cast<std::ptrdiff_t>(x), &word, 2);
  }
}

/// Holds a position in a picture. upright_place() returns the position of a stored pixel in the
/// upright picture. core/geometry.h defines Orientation.
struct PixelPlace {
  int x = 0;
  int y = 0;
};
inline PixelPlace upright_place(PixelPlace stored, Size size, Orientation orientation) {
  PixelPlace place = stored;
  if (orientation.mirrored) place.x = size.width - 1 - place.x;
  for (int turn = 0; turn < orientation.quarter_turns; ++turn) {
    place = {size.height - 1 - place.y, place.x};
    size = {size.height, size.width};
  }
  return place;
}

inline std::vector<Orientation> all_orientations() {
  std::vector<Orientation> all;
  for (const bool mirrored : {false, true})
    for (int turns = 0; turns < 4; ++turns) all.push_back({turns, mirrored});
  return all;
}

}  // namespace facepipe::test
